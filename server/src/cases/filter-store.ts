import type { CaseOrder, CaseStatus, EventType, SubjectType } from '@portcullis/contract';
import { allOf, type Condition, ifGiven } from '../backend/conditions.ts';

/** The conditions and orders of lists of cases, as SQL. */

/** Expiry is not stored, so the filter for a status is one on status and time. */
const statusIs = (status: CaseStatus | undefined, now: number): Condition[] => {
  if (status === 'open') return [{ text: "status = 'open' AND expires_at > ?", params: [now] }];
  if (status === 'expired') return [{ text: "status = 'open' AND expires_at <= ?", params: [now] }];
  return ifGiven('status = ?', status);
};

export interface CaseFilter {
  readonly status?: CaseStatus | undefined;
  readonly from?: number | undefined;
  readonly before?: number | undefined;
  readonly userId?: string | undefined;
  readonly subjectType?: SubjectType | undefined;
  readonly scoreMin?: number | undefined;
  readonly scoreMax?: number | undefined;
  readonly signal?: string | undefined;
  readonly usdMin?: number | undefined;
  readonly country?: string | undefined;
  readonly eventType?: EventType | undefined;
  /** Null: cases that are assigned to nobody. */
  readonly assignee?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly tag?: string | undefined;
  /** The id of the first case of an attack. */
  readonly attack?: string | undefined;
  readonly isSnoozed?: boolean | undefined;
}

/** The text is the same whichever of these is set: each text is a prepared statement. */
const NARROWED = `subject_type = COALESCE(?, subject_type) AND risk_score >= ? AND risk_score <= ? AND signals LIKE ? ESCAPE '!'
  AND priority = COALESCE(?, priority) AND tags LIKE ? ESCAPE '!' AND COALESCE(usd, -1) >= ?
  AND COALESCE(country, '') = COALESCE(?, country, '') AND COALESCE(event_type, '') = COALESCE(?, event_type, '')`;
/** The pattern of a JSON list with the name. Signals and tags have no character that JSON escapes. */
const listWith = (name: string | undefined): string => (name === undefined ? '%' : `%"${name.replaceAll('_', '!_')}"%`);
const narrowed = (filter: CaseFilter): Condition[] => {
  const { subjectType, scoreMin, scoreMax, signal, priority, tag, usdMin, country, eventType } = filter;
  const all = [subjectType, scoreMin, scoreMax, signal, priority, tag, usdMin, country, eventType];
  if (all.every((value) => value === undefined)) return [];
  const params = [
    subjectType ?? null,
    scoreMin ?? 0,
    scoreMax ?? 100,
    listWith(signal),
    priority ?? null,
    listWith(tag),
    usdMin ?? -1,
    country ?? null,
    eventType ?? null,
  ];
  return [{ text: NARROWED, params }];
};

const assignedTo = (assignee: string | null | undefined): Condition[] =>
  assignee === null ? [{ text: 'assignee IS NULL', params: [] }] : ifGiven('assignee = ?', assignee);
const snoozed = (isSnoozed: boolean | undefined, now: number): Condition[] =>
  isSnoozed === undefined
    ? []
    : ifGiven(isSnoozed ? 'snoozed_until > ?' : '(snoozed_until IS NULL OR snoozed_until <= ?)', now);

export const filtered = (tenant: number, filter: CaseFilter, now: number): Condition =>
  allOf([
    { text: 'tenant = ?', params: [tenant] },
    ...statusIs(filter.status, now),
    ...ifGiven('created_at >= ?', filter.from),
    ...ifGiven('created_at < ?', filter.before),
    ...ifGiven('user_id = ?', filter.userId),
    ...assignedTo(filter.assignee),
    ...ifGiven('attack = ?', filter.attack),
    ...snoozed(filter.isSnoozed, now),
    ...narrowed(filter),
  ]);

export const ORDERS: Readonly<Record<CaseOrder, string>> = {
  newest: 'created_at DESC, id DESC',
  oldest: 'created_at, id',
  score: 'risk_score DESC, created_at DESC, id DESC',
  priority: 'priority DESC, created_at, id',
  amount: 'COALESCE(usd, -1) DESC, created_at DESC, id DESC',
};
