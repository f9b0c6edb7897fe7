import type { CaseStats, ServiceStats, SignalStats } from '@portcullis/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { explorerPath } from '../explorer/path.ts';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatDuration, formatName, formatShare } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Which signals were active, and how often the labelled ones were fraud. */
export const Signals = ({ query, range }: { query: UseQueryResult<SignalStats>; range: string }) => {
  if (query.data === undefined)
    return query.isError ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Skeleton rows={6} />;
  const signals = query.data.signals.slice(0, 9);
  const most = Math.max(1, ...signals.map(({ items }) => items));
  if (signals.length === 0) return <p className="dim">No signal was active in this period.</p>;
  return (
    <table className="signals">
      <thead>
        <tr>
          <th scope="col">Signal</th>
          <th scope="col">
            <span className="unseen">Bar</span>
          </th>
          <th scope="col" className="signal-count">
            Items
          </th>
          <th scope="col" className="signal-labels">
            Labelled
          </th>
        </tr>
      </thead>
      <tbody>
        {signals.map(({ signal, items, fraud, legitimate }) => (
          <tr key={signal}>
            <th scope="row">
              <Link href={explorerPath({ range, terms: [`signal:${signal}`] })}>{formatName(signal)}</Link>
            </th>
            <td className="signal-bar">
              <span style={{ width: `${(items / most) * 100}%` }} />
            </td>
            <td className="num signal-count">{formatCount(items)}</td>
            <td className="num dim signal-labels">
              {fraud + legitimate === 0 ? '' : `${formatShare(shareOf(fraud, fraud + legitimate))} fraud`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

export const People = ({ cases }: { cases: CaseStats | undefined }) => {
  if (cases === undefined) return <Skeleton rows={3} />;
  if (cases.analysts.length === 0) return <p className="dim">No cases were resolved in this period.</p>;
  return (
    <table className="signals people">
      <thead>
        <tr>
          <th scope="col">Analyst</th>
          <th scope="col">Approved</th>
          <th scope="col">Rejected</th>
          <th scope="col">Median</th>
        </tr>
      </thead>
      <tbody>
        {cases.analysts.slice(0, 8).map(({ analyst_id, approved, rejected, seconds_to_resolve }) => (
          <tr key={analyst_id}>
            <th scope="row" className="cut">
              {analyst_id ?? 'An API key'}
            </th>
            <td className="num">{formatCount(approved)}</td>
            <td className="num">{formatCount(rejected)}</td>
            <td className="num">{seconds_to_resolve === null ? '–' : formatDuration(seconds_to_resolve.p50 * 1000)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

export const Health = ({ service }: { service: ServiceStats | undefined }) => {
  if (service === undefined) return <Skeleton rows={3} />;
  const rows = [
    ['Version', service.version],
    ['Store', service.store === 'embedded' ? 'Embedded' : 'PostgreSQL'],
    ['Search delay', service.search_behind_seconds < 1 ? 'none' : formatDuration(service.search_behind_seconds * 1000)],
    ['Webhook messages pending', formatCount(service.deliveries_pending)],
  ] as const;
  return (
    <dl className="health">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{value}</dd>
        </div>
      ))}
    </dl>
  );
};
