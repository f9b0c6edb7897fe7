import type { Rule } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { RuleInput } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import type { AnyCall, CallWith } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { notFound } from '../validation/errors.ts';
import { type CompiledRules, logFailures, makeCompiledRules } from './compiled-rules.ts';
import { type CountedRule, findRule, type RuleRow } from './store.ts';

export interface RuleDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'write' | 'of'>;
  readonly note: Note;
  /** To be called after a change of rules; resolves when screenings are decided by it. */
  readonly changed: (tenant: number, author: string) => Promise<void>;
  /** Names of the tenant's lists. */
  readonly listNames: (tenant: number) => Promise<Iterable<string>>;
  /** The names of people, by `person_…`. */
  readonly namesOf: (account: string, authors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** What rules would be evaluated on for a stored item; undefined if it is not stored, or not readable any more. */
  readonly inputOf: (tenant: number, subjectId: string) => Promise<RuleInput | undefined>;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface RulesState extends RuleDeps {
  readonly compiledRules: CompiledRules;
}

export const makeRulesState = (deps: RuleDeps): RulesState => ({
  ...deps,
  compiledRules: makeCompiledRules(logFailures(deps)),
});

/** The fields of a rule that the audit records. */
export const contentIn = (row: RuleRow) => ({
  name: row.name,
  description: row.description,
  expression: row.expression,
  action: JSON.parse(row.action) as Rule['action'],
  subject_types: JSON.parse(row.subject_types) as Rule['subject_types'],
  state: row.state,
  expires_at: row.expires_at === null ? null : writeTimestamp(row.expires_at),
  version: row.version,
});

export const toRule = ({ compiledRules }: RulesState, row: CountedRule): Rule => ({
  rule_id: withPrefix('rule', row.id),
  ...contentIn(row),
  created_at: writeTimestamp(row.created_at),
  updated_at: writeTimestamp(row.updated_at),
  hits: { matched: row.matched, since: writeTimestamp(row.updated_at) },
  errors: compiledRules.errorsOf(row.id),
});

/** The rule that a call names. Throws if the account has none. */
export const findRuleOf = async ({ backend }: RulesState, call: CallWith<'rule_id'>): Promise<CountedRule> => {
  const id = idOf('rule', call.params.rule_id);
  const row = id === undefined ? undefined : await findRule(backend, call.caller.tenant, id);
  if (row === undefined) throw notFound('rule');
  return row;
};

/** Warns about lists that an expression uses and that do not exist. */
export const warnOfLists = async (state: RulesState, call: AnyCall, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return;
  const existing = new Set(await state.listNames(call.caller.tenant));
  for (const name of names.filter((one) => !existing.has(one)))
    call.warnings.push(`there is no list \`${name}\` yet; nothing matches it until you create it`);
};
