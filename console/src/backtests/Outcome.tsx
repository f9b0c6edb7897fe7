import type { BacktestOutcome } from '@portcullis/client';
import { useLocation } from 'wouter';
import { useClient } from '../api/environment.tsx';
import { DecisionBadge } from '../parts/Badge.tsx';
import { DayBars } from '../parts/DayBars.tsx';
import { formatCount, formatDayTime, formatShare, formatUsd, plural } from '../parts/format.ts';
import { TableBox } from '../parts/TableBox.tsx';
import { Time } from '../parts/Time.tsx';
import { notify } from '../shell/notices.ts';
import { Figure } from './Figure.tsx';
import './backtests.css';

const heldOf = ({ review, block }: BacktestOutcome['before']): number => review + block;
const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
export const signed = (value: number): string =>
  value === 0 ? '±0' : `${value > 0 ? '+' : '−'}${formatCount(Math.abs(value))}`;
const ofKnown = (items: number, kind: string): string =>
  items === 0 ? `No item in this period is labelled ${kind}` : `of ${formatCount(items)} known ${kind}`;

/** The four numbers that decide: fraud, false positives, work, money. */
export const Figures = ({ outcome, isPolicy }: { outcome: BacktestOutcome; isPolicy: boolean }) => {
  const { fraud, legitimate, before, after, dollars, items, changed } = outcome;
  const more = heldOf(after) - heldOf(before);
  return (
    <dl className="tune-figures">
      <Figure
        name={isPolicy ? 'Fraud decided differently' : 'Fraud caught'}
        note={ofKnown(fraud.items, 'fraud')}
        part={shareOf(fraud.hits, fraud.items)}
        color="--raises"
      >
        {formatCount(fraud.hits)}
      </Figure>
      <Figure
        name={isPolicy ? 'Legitimate decided differently' : 'False positives'}
        note={ofKnown(legitimate.items, 'legitimate')}
        part={shareOf(legitimate.hits, legitimate.items)}
        color="--lowers"
      >
        {formatCount(legitimate.hits)}
      </Figure>
      <Figure
        name="Held or blocked"
        note={`${formatCount(heldOf(before))} → ${formatCount(heldOf(after))}; ${formatCount(changed)} of ${plural(items, 'decision')} changed`}
      >
        {signed(more)}
      </Figure>
      <Figure
        name={isPolicy ? 'Amount decided differently' : 'Amount matched'}
        note={`${formatUsd(dollars.fraud_hits)} of it known fraud`}
      >
        {formatUsd(dollars.hits)}
      </Figure>
    </dl>
  );
};

export const Days = ({ outcome, isPolicy }: { outcome: BacktestOutcome; isPolicy: boolean }) => (
  <DayBars
    label={isPolicy ? 'Changed decisions by day' : 'Matches by day'}
    days={outcome.days.map(({ day, hits, items }) => ({ at: day, values: [hits, items] }))}
    series={[
      { name: isPolicy ? 'Changed decisions' : 'Matches', color: '--accent-fill' },
      { name: 'Screened', color: '--base', isHidden: true },
    ]}
  />
);

/** Opens the decision about a transaction or an event. */
const useOpenSubject = () => {
  const client = useClient();
  const [, go] = useLocation();
  return async (type: 'transaction' | 'event', id: string): Promise<void> => {
    try {
      const { decision_id } = await (type === 'event' ? client.events.get(id) : client.transactions.get(id));
      go(`/decisions/${decision_id}`);
    } catch (error) {
      notify((error as Error).message);
    }
  };
};

export const LabelBadge = ({ label }: { label: 'fraud' | 'legitimate' | null }) =>
  label === null ? (
    <span className="dim">–</span>
  ) : (
    <span className={`badge ${label === 'fraud' ? 'badge-block' : 'badge-allow'}`}>{label}</span>
  );

export const Examples = ({
  outcome,
  first = outcome.examples.length,
}: {
  outcome: BacktestOutcome;
  first?: number;
}) => {
  const open = useOpenSubject();
  if (outcome.examples.length === 0) return <p className="dim">There are no examples in this period.</p>;
  return (
    <TableBox label="Table of examples">
      <table className="table examples">
        <thead>
          <tr>
            <th scope="col">Screened</th>
            <th scope="col">Score</th>
            <th scope="col">Decision</th>
            <th scope="col">Label</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {outcome.examples.slice(0, first).map((one) => (
            <tr key={one.subject_id}>
              <td className="nowrap">
                <button
                  type="button"
                  className="link-button"
                  onClick={() => void open(one.subject_type, one.subject_id)}
                  aria-label={`Open the decision of ${formatDayTime(one.screened_at)}`}
                >
                  <Time at={one.screened_at} as={formatDayTime} />
                </button>
              </td>
              <td className="num nowrap">
                {one.score_before === one.score_after ? one.score_after : `${one.score_before} → ${one.score_after}`}
              </td>
              <td className="nowrap">
                {one.decision_before !== one.decision_after && (
                  <>
                    <DecisionBadge decision={one.decision_before} /> →{' '}
                  </>
                )}
                <DecisionBadge decision={one.decision_after} />
              </td>
              <td>
                <LabelBadge label={one.label} />
              </td>
              <td className="dim examples-why">{one.summary}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
};

export const Overlap = ({ outcome }: { outcome: BacktestOutcome }) => (
  <ul className="overlap">
    {outcome.overlap.map(({ rule_id, name, hits, both }) => (
      <li key={rule_id}>
        <span className="mono cut">{name}</span>
        <span className="dim num">
          {hits === 0
            ? 'no match in this period'
            : `${formatCount(both)} of its ${plural(hits, 'match', 'matches')} (${formatShare(shareOf(both, hits))})`}
        </span>
      </li>
    ))}
  </ul>
);
