import {
  type CaseActivity,
  type CaseActivityEntry,
  type CaseActivityKind,
  MAX_CASE_ACTIVITY,
} from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { AuditRow } from '../audit/audit.ts';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import type { ReviewRow } from '../reviews/reviews.ts';
import { withPrefix } from '../runtime/ids.ts';
import { type CaseDeps, caseIdOf, requireCase, toCase } from './case.ts';
import type { CaseRow } from './store.ts';

interface Entry {
  readonly kind: CaseActivityKind;
  readonly at: number;
  readonly who: string | null;
  readonly value: string | null;
}

type After = Readonly<Record<string, unknown>>;
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The entries of the audit log about a case: their kind, and the value that each set. */
const AUDITED: Readonly<Record<string, (after: After) => [CaseActivityKind, unknown]>> = {
  'case.assigned': ({ assignee }) => [assignee === null ? 'released' : 'assigned', assignee],
  'case.priority_changed': ({ priority }) => ['priority_changed', priority],
  'case.tags_changed': ({ tags }) => ['tags_changed', Array.isArray(tags) ? tags.join(',') : null],
  'case.snoozed': ({ snoozed_until }) => ['snoozed', snoozed_until],
  'case.noted': ({ note_id }) => ['noted', note_id],
  'case.reopened': () => ['reopened', null],
};

const auditedEntry = (row: AuditRow, names: ReadonlyMap<string, string>): Entry[] => {
  const after = (JSON.parse(row.after) ?? {}) as After;
  const read = AUDITED[row.action];
  if (read === undefined) return [];
  const [kind, value] = read(after);
  const who = textOrNull(after.analyst_id) ?? textOrNull(after.author) ?? row.key_id;
  return [{ kind, at: row.at, who: names.get(who) ?? who, value: textOrNull(value) }];
};

/** A review resolves a case that is open. Between a resolution and a reopening it overrides the decision. */
const withReviews = (entries: readonly Entry[], reviews: readonly ReviewRow[], { expires_at }: CaseRow): Entry[] => {
  const reopened = entries.filter(({ kind }) => kind === 'reopened').map(({ at }) => at);
  let openSince = 0;
  const reviewed = reviews.map(({ decision, analyst_id: who, reviewed_at: at }): Entry => {
    const isOpen = at < expires_at && at >= openSince;
    if (!isOpen) return { kind: 'overridden', at, who, value: decision };
    openSince = reopened.filter((time) => time >= at).reduce((first, time) => Math.min(first, time), Infinity);
    return { kind: 'resolved', at, who, value: decision === 'allow' ? 'approved' : 'rejected' };
  });
  return [...entries, ...reviewed];
};

const ownEntries = (row: CaseRow, now: number): Entry[] => [
  { kind: 'opened', at: row.created_at, who: null, value: null },
  ...(toCase(row, now).status === 'expired'
    ? [{ kind: 'expired', at: row.expires_at, who: null, value: null } as const]
    : []),
];

/** Who did what with a case, from the audit log, the reviews and the case: nothing is stored twice. */
export const activityOf = async (
  deps: Pick<CaseDeps, 'audit' | 'reviews' | 'namesOf' | 'clock'>,
  { caller }: Pick<AnyCall, 'caller'>,
  row: CaseRow,
): Promise<CaseActivity> => {
  const { tenant, account } = caller;
  const [audited, reviews] = await Promise.all([
    deps.audit.of(tenant, withPrefix('case', row.id), MAX_CASE_ACTIVITY),
    deps.reviews.of(tenant, row.id),
  ]);
  const names = await deps.namesOf(
    account,
    audited.rows.map(({ key_id }) => key_id),
  );
  // Oldest first, and stable, so that entries of one millisecond keep the order in which they were written.
  const own = ownEntries(row, deps.clock());
  const entries = withReviews(
    audited.rows.toReversed().flatMap((entry) => auditedEntry(entry, names)),
    reviews,
    row,
  );
  const all = [...own, ...entries].toSorted((a, b) => a.at - b.at).toReversed();
  return {
    entries: all
      .slice(0, MAX_CASE_ACTIVITY)
      .map(({ kind, at, who, value }): CaseActivityEntry => ({ kind, at: writeTimestamp(at), who, value })),
    cut: audited.hasMore || all.length > MAX_CASE_ACTIVITY,
  };
};

export const getCaseActivity = async (deps: CaseDeps, call: Call<'getCaseActivity'>): Promise<Answer> => {
  const row = await requireCase(deps, call.caller.tenant, caseIdOf(call));
  return call.answer(await activityOf(deps, call, row));
};
