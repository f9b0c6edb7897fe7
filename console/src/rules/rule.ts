import type { Rule, RuleVersions } from '@portcullis/client';
import { formatName } from '../parts/format.ts';

export type RuleState = Rule['state'];
export type Action = Rule['action'];
export type Version = RuleVersions['versions'][number];
export const STATES: readonly RuleState[] = ['draft', 'shadow', 'live', 'retired'];

/** The part of a rule that people write. */
export interface Content {
  readonly name: string;
  readonly description: string;
  readonly expression: string;
  readonly action: Action;
  readonly subject_types: Rule['subject_types'];
  readonly expires_at: string | null;
}

export const contentOf = (rule: Content): Content => ({
  name: rule.name,
  description: rule.description,
  expression: rule.expression,
  action: rule.action,
  subject_types: rule.subject_types,
  expires_at: rule.expires_at,
});

/** The fields that decide which items match and what happens then. A backtest says nothing about the other fields. */
const effectOf = ({ expression, action, subject_types }: Content): string =>
  JSON.stringify([expression, action.points, action.decision, [...subject_types].sort()]);
export const hasSameEffect = (one: Content, other: Content): boolean => effectOf(one) === effectOf(other);
export const isSame = (one: Content, other: Content): boolean =>
  hasSameEffect(one, other) &&
  one.name === other.name &&
  one.description === other.description &&
  one.expires_at === other.expires_at;

/** The request that stores a content. An expiry can be changed, but not removed. */
export const bodyOf = ({ expires_at, ...content }: Content) => ({
  ...content,
  ...(expires_at !== null && { expires_at }),
});

export const actionWords = ({ points, decision }: Action): string =>
  points === undefined ? formatName(decision ?? 'review') : `+${points} % of the gap to 100`;

const TYPE_WORDS = { transaction: 'payments', event: 'events' } as const;
export const typeWords = (types: Rule['subject_types']): string =>
  types.length === 2 ? 'payments and events' : types.map((type) => TYPE_WORDS[type]).join('');

/** Since when a rule has the expression, action and types that it has now. */
export const textSince = (rule: Content, versions: readonly Version[]): string | undefined => {
  let since: string | undefined;
  for (const version of versions) {
    if (!hasSameEffect(version, rule)) break;
    since = version.at;
  }
  return since;
};
