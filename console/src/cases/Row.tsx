import type { Case } from '@portcullis/client';
import { memo } from 'react';
import { Link } from 'wouter';
import { ScoreChip, StatusBadge } from '../parts/Badge.tsx';
import { formatCountry, formatDuration, formatMoney, formatName } from '../parts/format.ts';
import { Face } from '../shell/Nav.tsx';

const HOUR_MS = 3_600_000;
const MAX_SIGNALS = 3;

export const Assignee = ({ id }: { id: string | null }) =>
  id === null ? (
    <span className="dim">Unassigned</span>
  ) : (
    <span className="assignee" title={id}>
      <Face name={id} isSmall />
      <span className="cut">{id.split('@')[0]}</span>
    </span>
  );

/** How long is left, in words and colour. */
export const Left = ({ one, now }: { one: Case; now: number }) => {
  if (one.status !== 'open') return <StatusBadge status={one.status} />;
  const left = Date.parse(one.expires_at) - now;
  const isSoon = left < 24 * HOUR_MS;
  return (
    <span className={isSoon ? 'left is-soon' : 'left'}>{left <= 0 ? 'Expired' : `${formatDuration(left)} left`}</span>
  );
};

/** What happened, in a word. Cases of earlier versions have no amount. */
export const whatOf = (one: Case): string => {
  if (one.amount !== null && one.currency !== null) return formatMoney(one.amount, one.currency);
  if (one.event_type !== null) return formatName(one.event_type);
  return one.subject_type === 'transaction' ? 'Payment' : 'Event';
};

interface Props {
  readonly one: Case;
  readonly index: number;
  readonly isAt: boolean;
  readonly isPicked: boolean;
  readonly isResolved: boolean;
  readonly now: number;
  /** How long a case should wait at most; undefined without a target. */
  readonly targetMs: number | undefined;
  readonly mayReview: boolean;
  readonly onPick: (id: string, isRange: boolean) => void;
  readonly onAt: (index: number) => void;
}

/** A row of the queue. Only rows that change are drawn again. */
export const Row = memo(({ one, index, isAt, isPicked, isResolved, now, targetMs, mayReview, onPick, onAt }: Props) => {
  const waited = Math.max(0, now - Date.parse(one.created_at));
  const isOver = one.status === 'open' && targetMs !== undefined && waited > targetMs;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k move, and the link of the row takes Enter
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isPicked}
      className={`case-row ${isAt ? 'is-at' : ''} ${isResolved ? 'is-resolved' : ''}`}
      onClick={() => onAt(index)}
    >
      <span role="gridcell" className="c-select">
        <input
          type="checkbox"
          checked={isPicked}
          disabled={!mayReview}
          aria-label={`Select the case of ${one.user_id}`}
          onChange={() => {}}
          onClick={(event) => {
            event.stopPropagation();
            onPick(one.case_id, event.shiftKey);
          }}
        />
      </span>
      <span role="gridcell" className="c-score">
        <ScoreChip score={one.risk_score} decision="review" />
      </span>
      <span role="gridcell" className="c-item">
        <Link href={`/cases/${one.case_id}`} className="case-link num">
          {whatOf(one)}
        </Link>
        {one.priority !== 'normal' && <span className={`priority is-${one.priority}`}>{formatName(one.priority)}</span>}
      </span>
      <span role="gridcell" className="c-user mono cut" title={one.user_id}>
        {one.user_id}
      </span>
      <span role="gridcell" className="c-from" title={one.country === null ? undefined : formatCountry(one.country)}>
        {one.country}
      </span>
      <span role="gridcell" className="c-why">
        <span className="why-text cut" title={one.summary ?? undefined}>
          {one.summary ?? one.signals.slice(0, MAX_SIGNALS).map(formatName).join(', ')}
        </span>
      </span>
      <span role="gridcell" className="c-wait num">
        {isOver ? (
          <span className="left is-soon" title="Past the review target">
            {formatDuration(waited)}
            <span className="unseen">, past the target</span>
          </span>
        ) : (
          formatDuration(waited)
        )}
      </span>
      <span role="gridcell" className="c-left">
        <Left one={one} now={now} />
      </span>
      <span role="gridcell" className="c-assignee">
        {isResolved ? (
          <span className="dim">Resolved by someone else</span>
        ) : (
          <Assignee id={one.status === 'open' ? one.assignee : one.analyst_id} />
        )}
      </span>
    </div>
  );
});
