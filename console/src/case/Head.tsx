import type { Case } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useClient, useEnvironment, useMyId } from '../api/environment.tsx';
import { queueSearch } from '../cases/queue.ts';
import { Assignee, Left } from '../cases/Row.tsx';
import { useSnooze } from '../cases/snooze.ts';
import { explorerPath } from '../explorer/path.ts';
import { DecisionBadge, ScoreRing, StatusBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { formatDayTime, formatName, plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/Menu.tsx';
import { Ago, Time, useNow } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { notify } from '../shell/notices.ts';
import { userPath } from '../users/path.ts';

interface Props {
  readonly one: Case;
  readonly title: string;
  readonly place: { at: number; of: number; before: string | undefined; after: string | undefined };
  readonly onLeave: (id: string | undefined) => void;
  /** Who else has it open. */
  readonly others: readonly string[];
  readonly onSnooze: () => void;
  readonly onTake: () => void;
  readonly onApprove: () => void;
  readonly onReject: () => void;
}

const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;

const More = ({ one, why, onSnooze }: { one: Case; why: string | undefined; onSnooze: () => void }) => {
  const snooze = useSnooze();
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const change = async (run: () => Promise<unknown>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      notify((error as Error).message);
    }
    await queries.invalidateQueries({ queryKey: [environment, 'case', one.case_id] });
    await queries.invalidateQueries({ queryKey: [environment, 'cases'] });
  };
  return (
    <Menu
      width={230}
      position="bottom-end"
      button={
        <button type="button" className="button is-icon" aria-label="More actions" data-tip="More">
          <Icon name="more" />
        </button>
      }
      items={[
        {
          id: 'attack',
          label: 'Cases of this attack',
          run: () => go(`/cases?f=${encodeURIComponent(`attack:${one.case_id}`)}`),
        },
        ...(one.status !== 'open'
          ? []
          : one.snoozed_until === null
            ? [{ id: 'aside', label: 'Set aside…', isDisabled: why !== undefined, run: onSnooze }]
            : [
                {
                  id: 'back',
                  label: 'Return to the queue now',
                  isDisabled: why !== undefined,
                  run: () => void snooze(one, null),
                },
              ]),
        {
          id: 'explorer',
          label: 'Items of this user',
          run: () => go(explorerPath({ terms: [`user_id:${one.user_id}`], range: '90d' })),
        },
        { id: 'copy', label: 'Copy the link', run: () => void navigator.clipboard?.writeText(location.href) },
        { id: 'print', label: 'Print', run: () => print() },
        ...(one.status === 'approved' || one.status === 'rejected'
          ? [
              {
                id: 'reopen',
                label: 'Reopen',
                isDisabled: why !== undefined,
                run: () => void change(() => client.cases.reopen(one.case_id, {})),
              },
            ]
          : []),
        { id: 'priority', label: 'Priority' },
        ...PRIORITIES.map((priority) => ({
          id: priority,
          label: formatName(priority),
          isChecked: priority === one.priority,
          isDisabled: why !== undefined,
          run: () => void change(() => client.cases.setPriority(one.case_id, { priority })),
        })),
      ]}
    />
  );
};

/** What another person did with the case while it was open here. */
const Done = ({ one, onNext }: { one: Case; onNext: () => void }) => {
  const myId = useMyId();
  if (one.status === 'open' || one.resolved_at === null) return null;
  const who = one.analyst_id === myId ? 'You' : (one.analyst_id ?? 'Someone');
  return (
    <div className="done" role="status">
      <span>
        {who} {one.status} it <Ago at={one.resolved_at} /> ago
        {one.reason !== null && `: ${formatName(one.reason).toLowerCase()}`}
      </span>
      <Button small onClick={onNext}>
        Next case
      </Button>
    </div>
  );
};

export const Head = ({ one, title, place, others, onSnooze, onLeave, onTake, onApprove, onReject }: Props) => {
  const now = useNow();
  const myId = useMyId();
  const whyNot = useWhyNot('review');
  const why = whyNot ?? (one.status === 'open' ? undefined : `The case is ${one.status}.`);
  const isMine = one.assignee === myId;
  return (
    <>
      <div className="crumbs">
        <Link href={`/cases${queueSearch()}`}>Cases</Link>
        <span className="dim">/</span>
        <Copy value={one.case_id} />
        {place.at !== -1 && (
          <span className="pager">
            <Button
              small
              icon="left"
              label="Previous case"
              disabled={place.before === undefined}
              onClick={() => onLeave(place.before)}
            />
            <span className="dim num">
              {place.at + 1} of {place.of}
            </span>
            <Button
              small
              icon="right"
              label="Next case"
              disabled={place.after === undefined}
              onClick={() => onLeave(place.after)}
            />
          </span>
        )}
      </div>
      <Done one={one} onNext={() => onLeave(place.after)} />
      <div className="case-head">
        <ScoreRing score={one.risk_score} decision="review" />
        <div className="case-title">
          <h1>{title}</h1>
          <div className="case-meta">
            <Link href={userPath(one.user_id)} className="mono">
              {one.user_id}
            </Link>
            <Time at={one.created_at} />
            {one.status === 'open' ? <DecisionBadge decision="review" /> : <StatusBadge status={one.status} />}
            {one.status === 'open' && (
              <span className="badge badge-plain">
                <Icon name="clock" size={13} />
                <Left one={one} now={now} />
              </span>
            )}
            <span className="badge badge-plain">{plural(one.signals.length, 'signal')}</span>
            {one.priority !== 'normal' && (
              <span className={`priority is-${one.priority}`}>{formatName(one.priority)}</span>
            )}
            {one.tags.map((tag) => (
              <span key={tag} className="chip">
                {tag}
              </span>
            ))}
            {one.snoozed_until !== null && (
              <span className="badge badge-accent">Set aside until {formatDayTime(one.snoozed_until)}</span>
            )}
            {others.length > 0 && <span className="also">Also viewing: {others.join(', ')}</span>}
            {one.status === 'open' && one.assignee !== null && (
              <span className="with">
                {isMine ? <span className="dim">Assigned to you</span> : <Assignee id={one.assignee} />}
              </span>
            )}
          </div>
        </div>
        <div className="actions">
          <Button icon="take" hint="T" why={why} onClick={onTake}>
            {one.assignee !== null && !isMine ? 'Take over' : 'Take'}
          </Button>
          <Button look="reject" icon="cross" hint="R" why={why} onClick={onReject}>
            Reject
          </Button>
          <Button look="approve" icon="check" hint="A" why={why} onClick={onApprove}>
            Approve
          </Button>
          <More one={one} why={whyNot} onSnooze={onSnooze} />
        </div>
      </div>
    </>
  );
};
