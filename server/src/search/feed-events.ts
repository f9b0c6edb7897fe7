import type { Statement } from '../backend/backend.ts';
import type { FollowedCaseChange, FollowedLabel } from '../backend/journal-follow.ts';
import { NEWEST_SEQ } from '../backend/journal-sql.ts';
import type { Projection } from '../backend/projection.ts';
import { firstSeqAt, timeOfSeq } from '../runtime/ids.ts';
import { insertEvent, type NewEvent, newestNumber } from './feed-store.ts';
import type { SearchItem } from './item.ts';

/** How long events are kept. An entry that is older when it is read has none. */
export const FEED_KEPT_MS = 24 * 3_600_000;

/** The event of a new item; undefined if it was allowed, or imported. */
export const eventOfItem = (item: SearchItem, id: string): NewEvent | undefined => {
  const { tenant, seq, at, type: subject_type, score, decision } = item;
  if (decision === 'allow' || item.isImported) return undefined;
  const has_case = decision === 'review' ? 1 : 0;
  const type = has_case === 1 ? 'case.created' : (`${subject_type}.decision.block` as const);
  return { tenant, seq, entry: seq, type, at, id, subject_type, has_case, score, decision };
};

/** The event of a label; undefined unless it comes from the resolution of a case or the override of a decision. */
export const eventOfLabel = (label: FollowedLabel): NewEvent | undefined => {
  const { tenant, seq, origin, labelled_at: at, screening_id: id, subject_type, score } = label;
  if (origin === 'api') return undefined;
  return {
    ...{ tenant, seq, entry: seq, at, id, subject_type, score },
    type: origin === 'case' ? 'case.resolved' : 'decision.reviewed',
    // An imported item opens no case.
    has_case: label.decision === 'review' && label.screening?.imported !== 1 ? 1 : 0,
    decision: label.label === 'fraud' ? 'block' : 'allow',
  };
};

/** The event of a change of a case. */
export const eventOfChange = (change: FollowedCaseChange): NewEvent => {
  const { tenant, seq, case_id: id, type, subject_type, score, at } = change;
  return { tenant, seq, entry: -seq, type, at, id, subject_type, has_case: 1, score, decision: 'review' };
};

/**
 * Numbers the events of a page after all earlier ones. A number is that of the entry where possible, so numbers keep
 * growing even after `search.db` was lost. Events of old entries, which a rebuild reads, are left out.
 */
export const numberEvents = async (projection: Projection, events: readonly NewEvent[]): Promise<Statement[]> => {
  if (events.length === 0) return [];
  const newest = (await projection.journal.read<{ seq: number }>(NEWEST_SEQ))[0]?.seq ?? 0;
  const oldest = firstSeqAt(timeOfSeq(newest) - FEED_KEPT_MS);
  let last = await newestNumber(projection);
  return events
    .filter(({ seq }) => seq >= oldest)
    .map((event) => {
      last = Math.max(last + 1, event.seq);
      return insertEvent(last, event);
    });
};
