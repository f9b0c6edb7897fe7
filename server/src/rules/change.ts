import {
  type ErrorDetail,
  MAX_ALLOW_DAYS,
  RULE_TRANSITIONS,
  type RuleChange,
  type RuleRequest,
  type RuleState,
  readTimestamp,
} from '@portcullis/contract';
import { ApiError } from '../http/errors.ts';
import { compile } from './compile.ts';
import { faultText } from './fault.ts';
import type { RuleRow } from './store.ts';

const DAY_MS = 24 * 3_600_000;

const expiryOf = (expiresAt: unknown): number | null =>
  typeof expiresAt === 'string' ? (readTimestamp(expiresAt) ?? null) : null;

/** What is wrong with an expression, and where; of what is no text the schema tells. */
export const expressionFaults = (expression: unknown, field: string): ErrorDetail[] => {
  const compiled = typeof expression === 'string' && expression !== '' ? compile(expression) : undefined;
  return compiled !== undefined && 'fault' in compiled ? [{ field, message: faultText(compiled.fault) }] : [];
};

/** Faults that a schema cannot tell, of a body that may have others. */
export const bodyFaults = (body: Readonly<Record<string, unknown>>, now: number): ErrorDetail[] => {
  const faults = expressionFaults(body.expression, 'expression');
  const expiresAt = expiryOf(body.expires_at);
  if (expiresAt !== null && expiresAt <= now) faults.push({ field: 'expires_at', message: 'must be in the future' });
  return faults;
};

/** A rule that lets things through is the one that a thief would leave behind: it must end. */
export const allowFaults = (row: Pick<RuleRow, 'action' | 'expires_at'>, now: number): ErrorDetail[] => {
  const { decision } = JSON.parse(row.action) as { decision?: string };
  const isBounded = row.expires_at !== null && row.expires_at <= now + MAX_ALLOW_DAYS * DAY_MS;
  if (decision !== 'allow' || isBounded) return [];
  return [
    { field: 'expires_at', message: `is required of a rule that allows, and at most ${MAX_ALLOW_DAYS} days ahead` },
  ];
};

/** What of a row the caller decides. */
type Content = Pick<RuleRow, 'name' | 'description' | 'expression' | 'action' | 'subject_types' | 'expires_at'>;
const CONTENT = ['name', 'description', 'expression', 'action', 'subject_types', 'expires_at'] as const;

export const contentOf = (request: RuleRequest, description: string): Content => ({
  name: request.name,
  description,
  expression: request.expression,
  action: JSON.stringify(request.action),
  subject_types: JSON.stringify((request.subject_types ?? ['transaction', 'event']).toSorted().toReversed()),
  expires_at: expiryOf(request.expires_at),
});

const isTried = (state: RuleState): boolean => state === 'draft' || state === 'shadow';

/** The row after a change, the same one where nothing differs; 409 where its state does not let it be changed so. */
export const changedRow = (before: RuleRow, change: RuleChange, description: string, now: number): RuleRow => {
  const { name, expression, action, subject_types, expires_at, state = before.state } = change;
  const row: RuleRow = {
    ...before,
    name: name ?? before.name,
    description,
    expression: expression ?? before.expression,
    action: action === undefined ? before.action : JSON.stringify(action),
    subject_types:
      subject_types === undefined ? before.subject_types : JSON.stringify(subject_types.toSorted().toReversed()),
    expires_at: expires_at === undefined ? before.expires_at : expiryOf(expires_at),
    state,
    version: before.version + 1,
    updated_at: now,
  };
  const isOther = CONTENT.some((member) => row[member] !== before[member]);
  if (!isOther && state === before.state) return before;
  const allowed = RULE_TRANSITIONS[before.state];
  if (state !== before.state && !allowed.includes(state)) {
    const to = allowed.length === 0 ? 'nothing else: make a new rule' : allowed.join(' or ');
    throw new ApiError('rule_state', `A rule that is ${before.state} cannot become ${state}, only ${to}.`);
  }
  // What goes live is what was tried: so the two are two steps.
  if (!isTried(state) && isOther) {
    throw new ApiError(
      'rule_state',
      `A rule that ${before.state === state ? 'is' : 'becomes'} ${state} keeps its content: change it as a draft or in shadow.`,
    );
  }
  return row;
};
