import type { CaseStats, DecisionStats, ServiceStats } from '@portcullis/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { useThresholds } from '../case/Waterfall.tsx';
import { explorerPath } from '../explorer/path.ts';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDuration, formatShare, formatUsd, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { useOpenCount } from '../shell/Nav.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { Histogram } from './Histogram.tsx';
import { Health, People, Signals } from './Panels.tsx';
import { StackedChart } from './StackedChart.tsx';
import './tiles.css';
import './overview.css';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const RANGES = {
  '24h': { days: 1, step: '1h', words: 'By hour, last 24 hours' },
  '7d': { days: 7, step: '1h', words: 'By hour, last 7 days' },
  '30d': { days: 30, step: '1d', words: 'By day, last 30 days' },
  '90d': { days: 90, step: '1d', words: 'By day, last 90 days' },
} as const;
type Range = keyof typeof RANGES;

/** The range of the address, to the hour, so that the requests of one hour are alike. */
const useRange = () => {
  const chosen = new URLSearchParams(useSearch()).get('range');
  const range: Range = chosen !== null && chosen in RANGES ? (chosen as Range) : '7d';
  const end = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const { days, step } = RANGES[range];
  const iso = (time: number): string => new Date(time).toISOString();
  return {
    range,
    step,
    now: { from: iso(end - days * DAY_MS), until: iso(end) },
    before: { from: iso(end - 2 * days * DAY_MS), until: iso(end - days * DAY_MS) },
    hasBefore: days <= 30,
  };
};

const useStats = () => {
  const client = useClient();
  const environment = useEnvironment();
  const { now, before, step, hasBefore } = useRange();
  const options = { placeholderData: keepPreviousData, refetchInterval: 30_000 } as const;
  return {
    decisions: useQuery({
      queryKey: [environment, 'stats', 'decisions', now, step],
      queryFn: ({ signal }) => client.stats.getDecisions({ ...now, step }, { signal }),
      ...options,
    }),
    earlier: useQuery({
      queryKey: [environment, 'stats', 'decisions', before, '1d'],
      queryFn: ({ signal }) => client.stats.getDecisions({ ...before, step }, { signal }),
      enabled: hasBefore,
      staleTime: HOUR_MS,
    }),
    scores: useQuery({
      queryKey: [environment, 'stats', 'scores', now],
      queryFn: ({ signal }) => client.stats.getScores({ ...now, type: 'transaction' }, { signal }),
      ...options,
    }),
    signals: useQuery({
      queryKey: [environment, 'stats', 'signals', now],
      queryFn: ({ signal }) => client.stats.getSignals(now, { signal }),
      ...options,
    }),
    cases: useQuery({
      queryKey: [environment, 'stats', 'cases', now],
      queryFn: ({ signal }) => client.stats.getCases(now, { signal }),
      ...options,
    }),
    service: useQuery({
      queryKey: [environment, 'stats', 'service'],
      queryFn: ({ signal }) => client.stats.getService({ signal }),
      ...options,
      refetchInterval: 5000,
    }),
  };
};

const Tile = ({ name, children, note }: { name: string; children: ReactNode; note?: ReactNode }) => (
  <div className="card tile">
    <div className="tile-name">{name}</div>
    <div className="tile-value num">{children}</div>
    <div className="tile-note">{note}</div>
  </div>
);

const screenedOf = ({ totals }: DecisionStats): number => totals.allow + totals.review + totals.block;
const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const change = (now: number, before: number | undefined): string | undefined => {
  if (before === undefined || before === 0) return undefined;
  const share = (now - before) / before;
  return `${share > 0 ? '+' : share < 0 ? '−' : ''}${formatShare(Math.abs(share))} vs. the period before`;
};
const points = (now: number, before: number | undefined): string | undefined => {
  if (before === undefined) return undefined;
  const difference = Math.round((now - before) * 1000) / 10;
  return `${difference > 0 ? '+' : difference < 0 ? '−' : '±'}${Math.abs(difference)} points`;
};

/** How many cases wait longer than the account wants. */
const OverTarget = () => {
  const client = useClient();
  const environment = useEnvironment();
  const hasTarget = useSettings().data?.review_target_minutes != null;
  const over = useQuery({
    queryKey: [environment, 'cases', 'over-target'],
    queryFn: ({ signal }) => client.cases.list({ target: 'over', limit: 1 }, { signal }),
    enabled: hasTarget,
    refetchInterval: 60_000,
  }).data?.total;
  if (over === undefined) return <Link href="/cases?view=unassigned">Unassigned cases</Link>;
  return <Link href="/cases?f=target%3Aover">{formatCount(over)} over the target</Link>;
};

interface TilesProps {
  readonly range: Range;
  readonly decisions: DecisionStats;
  readonly earlier: DecisionStats | undefined;
  readonly cases: CaseStats | undefined;
  readonly service: ServiceStats | undefined;
}
const Tiles = ({ range, decisions, earlier, cases, service }: TilesProps) => {
  const open = useOpenCount();
  const screened = screenedOf(decisions);
  const before = earlier && screenedOf(earlier);
  const held = shareOf(decisions.totals.review, screened);
  const blocked = shareOf(decisions.totals.block, screened);
  const time = cases?.totals.seconds_to_resolve;
  const hasBefore = before !== undefined && before > 0;
  return (
    <div className="tiles">
      <Tile name="Screened" note={change(screened, before) ?? `${formatUsd(decisions.totals.amount_usd)} in payments`}>
        <Link href={explorerPath({ range })}>{formatCount(screened)}</Link>
      </Tile>
      <Tile
        name="Held for review"
        note={
          points(held, hasBefore ? shareOf(earlier?.totals.review ?? 0, before) : undefined) ??
          plural(decisions.totals.review, 'item')
        }
      >
        {formatShare(held)}
      </Tile>
      <Tile
        name="Blocked"
        note={
          points(blocked, hasBefore ? shareOf(earlier?.totals.block ?? 0, before) : undefined) ??
          plural(decisions.totals.block, 'item')
        }
      >
        {formatShare(blocked)}
      </Tile>
      <Tile name="Open cases" note={<OverTarget />}>
        {open === undefined ? '…' : formatCount(open)}
      </Tile>
      <Tile
        name="Median time to decide"
        note={cases && `${plural(cases.totals.approved + cases.totals.rejected, 'case')} resolved`}
      >
        {time == null ? '–' : formatDuration(time.p50 * 1000)}
      </Tile>
      <Tile
        name="Response time, p99"
        note={service && `${formatCount(service.screenings_per_minute)} in the last minute`}
      >
        {service?.latency_ms == null ? '–' : `${Math.round(service.latency_ms.p99 * 10) / 10} ms`}
      </Tile>
    </div>
  );
};

/** Is it quiet today? */
export default function Overview() {
  const [, go] = useLocation();
  const { range } = useRange();
  const { decisions, earlier, scores, signals, cases, service } = useStats();
  const thresholds = useThresholds('transaction');
  useEffect(() => {
    document.title = 'Overview · Portcullis';
  }, []);
  const isNew =
    decisions.data !== undefined && screenedOf(decisions.data) === 0 && range === '7d' && !decisions.isPlaceholderData;
  return (
    <>
      <div className="page-head">
        <h1>Overview</h1>
        <div className="page-more">
          <nav className="segments" aria-label="Range">
            {(Object.keys(RANGES) as Range[]).map((one) => (
              <button
                key={one}
                type="button"
                aria-current={one === range}
                onClick={() => go(one === '7d' ? '/' : `/?range=${one}`, { replace: true })}
              >
                {one}
              </button>
            ))}
          </nav>
        </div>
      </div>
      {isNew ? (
        <FirstSteps />
      ) : decisions.data === undefined ? (
        decisions.isError ? (
          <Failed error={decisions.error} retry={() => void decisions.refetch()} />
        ) : (
          <Skeleton rows={8} height={40} />
        )
      ) : (
        <div className="overview">
          <Tiles
            range={range}
            decisions={decisions.data}
            earlier={earlier.data}
            cases={cases.data}
            service={service.data}
          />
          <Card title="Decisions" note={RANGES[range].words}>
            <StackedChart
              points={decisions.data.points}
              step={decisions.data.step}
              onRange={(from, until) => go(explorerPath({ from, until }))}
            />
          </Card>
          <div className="overview-pair">
            <Card title="Scores" note="Payments, log scale">
              {scores.data === undefined ? (
                <Skeleton rows={6} />
              ) : (
                <Histogram
                  scores={scores.data.scores}
                  thresholds={thresholds}
                  onScores={(low, high) =>
                    go(explorerPath({ range, type: 'transaction', terms: [`score>${low}`, `score<${high}`] }))
                  }
                />
              )}
            </Card>
            <Card title="Active signals" note="Items by signal">
              <Signals query={signals} range={range} />
            </Card>
          </div>
          <div className="overview-pair">
            <Card title="People" note="Resolved cases">
              <People cases={cases.data} />
            </Card>
            <Card title="Health">
              <Health service={service.data} />
            </Card>
          </div>
        </div>
      )}
    </>
  );
}
