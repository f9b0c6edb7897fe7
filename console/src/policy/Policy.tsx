import type { PolicyChange, Policy as PolicyData } from '@portcullis/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Days, Figures } from '../backtests/Outcome.tsx';
import { Progress } from '../backtests/Progress.tsx';
import { useBacktest, useBacktests } from '../backtests/use-backtest.ts';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDay } from '../parts/format.ts';
import { problemOf } from '../parts/problem.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useKeys } from '../shell/keys.ts';
import { notify } from '../shell/notices.ts';
import { changeOf, differencesOf, hasSamePoints, TYPES, useDraft } from './change.ts';
import { Points } from './Points.tsx';
import { PolicyVersions } from './PolicyVersions.tsx';
import { TypeCard } from './TypeCard.tsx';
import '../cases/reject.css';
import '../parts/table.css';
import '../parts/day-bars.css';
import '../rules/tune.css';
import './policy.css';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const RANGES = [7, 30, 90] as const;

/** Figures of the past, up to the hour, so that the requests of one hour are alike. */
const usePast = (days: number) => {
  const client = useClient();
  const environment = useEnvironment();
  const end = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const range = { from: new Date(end - days * DAY_MS).toISOString(), until: new Date(end).toISOString() };
  const options = { placeholderData: keepPreviousData, staleTime: 60_000 } as const;
  const scoresOf = (type: 'transaction' | 'event') => ({
    queryKey: [environment, 'stats', 'scores', range, type],
    queryFn: ({ signal }: { signal: AbortSignal }) => client.stats.getScores({ ...range, type }, { signal }),
    ...options,
  });
  return {
    scores: { transaction: useQuery(scoresOf('transaction')), event: useQuery(scoresOf('event')) },
    signals: useQuery({
      queryKey: [environment, 'stats', 'signals', range],
      queryFn: ({ signal }) => client.stats.getSignals(range, { signal }),
      ...options,
    }).data?.signals,
    cases: useQuery({
      queryKey: [environment, 'stats', 'cases', range],
      queryFn: ({ signal }) => client.stats.getCases(range, { signal }),
      ...options,
    }).data,
    proposal: useQuery({
      queryKey: [environment, 'policy', 'proposal', days],
      queryFn: ({ signal }) => client.policy.getProposal({ days }, { signal }),
      ...options,
    }).data,
  };
};

const PolicyBacktest = ({ id }: { id: string }) => {
  const { data: backtest, error } = useBacktest(id);
  return (
    <Card
      title="Backtest"
      note={
        backtest &&
        `${formatDay(backtest.from)} to ${formatDay(backtest.until)}, decided again with the facts of that time`
      }
      more={<Link href={`/backtests/${id}`}>All figures</Link>}
    >
      {backtest === undefined ? (
        error === null ? (
          <Skeleton rows={3} />
        ) : (
          <Failed error={error} />
        )
      ) : backtest.outcome === null ? (
        <Progress backtest={backtest} />
      ) : (
        <div className="stack">
          <Figures outcome={backtest.outcome} isPolicy />
          <Days outcome={backtest.outcome} isPolicy />
        </div>
      )}
    </Card>
  );
};

const Loaded = ({ policy }: { policy: PolicyData }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const { draft, days, backtestId, setThresholds, setPoints, set, discard } = useDraft(policy);
  const { scores, signals, cases, proposal } = usePast(days);
  const backtests = useBacktests();
  const [isSaving, setSaving] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const whyTune = useWhyNot('tune');
  const whyReview = useWhyNot('review');
  const changes = differencesOf(policy, draft);
  const whySame = changes.length === 0 ? 'There are no changes.' : undefined;
  const median = cases?.totals.seconds_to_resolve?.p50;

  const store = async (change: PolicyChange): Promise<void> => {
    setBusy(true);
    try {
      const saved = await client.policy.change(change);
      queries.setQueryData([environment, 'policy'], saved);
      discard();
      await queries.invalidateQueries({ queryKey: [environment, 'policy'] });
    } catch (error) {
      notify(problemOf(error));
    } finally {
      setBusy(false);
      setSaving(false);
    }
  };
  const goBack = ({ thresholds, points, budget }: PolicyData): Promise<void> => {
    const { transaction, event } = budget;
    return store({
      thresholds,
      ...(!hasSamePoints(points, policy.points) && { points }),
      ...(JSON.stringify(budget) !== JSON.stringify(policy.budget) && {
        budget: { ...(transaction !== null && { transaction }), ...(event !== null && { event }) },
      }),
    });
  };
  const startBacktest = async (): Promise<void> => {
    const from = new Date(Date.now() - days * DAY_MS).toISOString();
    const begun = await backtests.start({ policy: changeOf(policy, draft), from });
    if (begun !== undefined) set('backtest', begun.backtest_id);
  };
  useKeys('Policy', [
    {
      keys: 't',
      label: 'Backtest',
      run: () => void startBacktest(),
      disabled: (whyReview ?? whySame) !== undefined,
    },
    { keys: 's', label: 'Save', run: () => setSaving(true), disabled: (whyTune ?? whySame) !== undefined },
  ]);
  return (
    <div className="tune">
      <div className="page-head">
        <h1>
          Policy <span className="dim num">version {policy.version}</span>
        </h1>
        <nav className="segments" aria-label="Range">
          {RANGES.map((range) => (
            <button
              key={range}
              type="button"
              aria-current={range === days}
              onClick={() => set('days', range === 30 ? undefined : String(range))}
            >
              {range} days
            </button>
          ))}
        </nav>
        <div className="page-more">
          {changes.length > 0 && <Button onClick={discard}>Discard</Button>}
          <Button hint="T" busy={backtests.isBusy} why={whyReview ?? whySame} onClick={() => void startBacktest()}>
            Backtest
          </Button>
          <Button look="primary" hint="S" why={whyTune ?? whySame} onClick={() => setSaving(true)}>
            Save as version {policy.version + 1}
          </Button>
        </div>
      </div>
      <div className="stack">
        {TYPES.map((type) => (
          <TypeCard
            key={type}
            type={type}
            policy={policy}
            draft={draft.thresholds[type]}
            scores={scores[type].data?.scores}
            proposal={proposal}
            days={days}
            resolveMs={type === 'transaction' && median !== undefined ? median * 1000 : undefined}
            onChange={(next) => setThresholds(type, next)}
          />
        ))}
        {backtestId !== undefined && <PolicyBacktest id={backtestId} />}
        <div className="rule-grid">
          <Points stored={policy.points} points={draft.points} signals={signals} onChange={setPoints} />
          <PolicyVersions policy={policy} goBack={goBack} />
        </div>
      </div>
      <Dialog
        opened={isSaving}
        onClose={() => setSaving(false)}
        title={`Save as version ${policy.version + 1}`}
        size={480}
      >
        <div className="stack">
          <ul className="changes">
            {changes.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <p className="dim">Applies to every screening from now on. Earlier decisions do not change.</p>
          <div className="row-buttons">
            <Button look="primary" busy={isBusy} onClick={() => void store(changeOf(policy, draft))} data-autofocus>
              Save
            </Button>
            <Button onClick={() => setSaving(false)}>Cancel</Button>
          </div>
        </div>
      </Dialog>
    </div>
  );
};

/** Where review and block begin, and what a change would do. */
export default function Policy() {
  const client = useClient();
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'policy'],
    queryFn: ({ signal }) => client.policy.get({ signal }),
  });
  useEffect(() => {
    document.title = 'Policy · Portcullis';
  }, []);
  if (query.data === undefined)
    return query.isError ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Skeleton rows={8} height={34} />
    );
  return <Loaded policy={query.data} />;
}
