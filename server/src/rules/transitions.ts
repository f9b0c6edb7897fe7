import type { ErrorDetail, RuleChange, RuleRequest, RuleState } from '@portcullis/contract';
import { MAX_ALLOW_DAYS, RULE_TRANSITIONS, readTimestamp } from '@portcullis/contract/values';
import { ApiError } from '../validation/errors.ts';
import { compileSent } from './compile-sent.ts';
import { errorText } from './expression-error.ts';
import type { RuleRow } from './store.ts';

const DAY_MS = 24 * 3_600_000;

const expiryOf = (expiresAt: unknown): number | null =>
  typeof expiresAt === 'string' ? (readTimestamp(expiresAt) ?? null) : null;

/** The error of an expression, with its place. The schema reports values that are not text. */
export const expressionErrors = (expression: unknown, field: string): ErrorDetail[] => {
  const compiled = typeof expression === 'string' && expression !== '' ? compileSent(expression) : undefined;
  return compiled !== undefined && 'error' in compiled ? [{ field, message: errorText(compiled.error) }] : [];
};

/** Errors that the schema cannot find. The body may have other errors too. */
export const bodyErrors = (body: Readonly<Record<string, unknown>>, now: number): ErrorDetail[] => {
  const errors = expressionErrors(body.expression, 'expression');
  const expiresAt = expiryOf(body.expires_at);
  if (expiresAt !== null && expiresAt <= now) errors.push({ field: 'expires_at', message: 'must be in the future' });
  return errors;
};

/** A rule that allows must expire: an attacker could leave one behind as a back door. */
export const allowErrors = (row: Pick<RuleRow, 'action' | 'expires_at'>, now: number): ErrorDetail[] => {
  const { decision } = JSON.parse(row.action) as { decision?: string };
  const isBounded = row.expires_at !== null && row.expires_at <= now + MAX_ALLOW_DAYS * DAY_MS;
  if (decision !== 'allow' || isBounded) return [];
  return [
    {
      field: 'expires_at',
      message: `is required for a rule that allows, and must be at most ${MAX_ALLOW_DAYS} days ahead`,
    },
  ];
};

/** The columns that the caller sets. */
type Content = Pick<RuleRow, 'name' | 'description' | 'expression' | 'action' | 'subject_types' | 'expires_at'>;
const CONTENT = ['name', 'description', 'expression', 'action', 'subject_types', 'expires_at'] as const;

export const contentOf = (request: RuleRequest): Content => ({
  name: request.name,
  description: request.description ?? '',
  expression: request.expression,
  action: JSON.stringify(request.action),
  subject_types: JSON.stringify((request.subject_types ?? ['transaction', 'event']).toSorted().toReversed()),
  expires_at: expiryOf(request.expires_at),
});

const isEditable = (state: RuleState): boolean => state === 'draft' || state === 'shadow';

/** The row after a change; the same object if nothing differs. Throws 409 if the state does not permit the change. */
export const changedRow = (before: RuleRow, change: RuleChange, now: number): RuleRow => {
  const { name, description, expression, action, subject_types, expires_at, state = before.state } = change;
  const row: RuleRow = {
    ...before,
    name: name ?? before.name,
    description: description ?? before.description,
    expression: expression ?? before.expression,
    action: action === undefined ? before.action : JSON.stringify(action),
    subject_types:
      subject_types === undefined ? before.subject_types : JSON.stringify(subject_types.toSorted().toReversed()),
    expires_at: expires_at === undefined ? before.expires_at : expiryOf(expires_at),
    state,
    version: before.version + 1,
    updated_at: now,
  };
  const hasNewContent = CONTENT.some((column) => row[column] !== before[column]);
  if (!hasNewContent && state === before.state) return before;
  const allowed = RULE_TRANSITIONS[before.state];
  if (state !== before.state && !allowed.includes(state)) {
    const advice = allowed.length === 0 ? 'create a new rule' : `it can become ${allowed.join(' or ')}`;
    throw new ApiError('rule_state', `A rule that is ${before.state} cannot become ${state}: ${advice}.`);
  }
  // Only content that ran in shadow may go live, so a change of content and going live are two steps.
  if (!isEditable(state) && hasNewContent) {
    throw new ApiError(
      'rule_state',
      `The content of a rule that ${before.state === state ? 'is' : 'becomes'} ${state} cannot change: change it as a draft or in shadow.`,
    );
  }
  return row;
};
