import type { DecisionValue, ErrorDetail } from '@portcullis/contract';
import { type AccountRule, type Policy, type Subject, type Verdict, wouldDecide } from '@portcullis/engine';
import type { Statement } from '../backend/backend.ts';
import type { Call } from '../http/route.ts';
import type { CompiledRule } from './compiled-rules.ts';
import { getSeries, listHits, listVersions } from './history.ts';
import { insertHit } from './hit-store.ts';
import { changeRule, createRule, removeRule } from './manage-rules.ts';
import { checkRule, getRule, listRules, listVariables } from './queries.ts';
import { makeRulesState, type RuleDeps, type RulesState } from './rule-state.ts';
import { findRule, type RuleRow, rulesIn, tenantsWithRules } from './store.ts';
import { bodyErrors } from './transitions.ts';

export { sweepHits } from './hit-store.ts';
export type { RuleRow } from './store.ts';
export { expressionErrors } from './transitions.ts';
export { inputFor } from './try-rule.ts';

const compiledOf = async ({ backend, compiledRules }: RulesState, tenant: number): Promise<CompiledRule[]> =>
  (await rulesIn(backend, tenant, ['shadow', 'live'])).map(compiledRules.of);

/** The statements that store the matched rules of a screening. They belong in the write of the screening. */
const hitStatements = (tenant: number, id: string, policy: Policy, subject: Subject, verdict: Verdict): Statement[] => {
  // The version that was evaluated: a newer one may be stored already, and not in force yet.
  const versionOf = (ruleId: string): number => policy.rules?.find((rule) => rule.id === ruleId)?.version as number;
  const hit = (ruleId: string, state: 'live' | 'shadow', decision: DecisionValue): Statement[] =>
    insertHit(tenant, ruleId, { screening_id: id, at: subject.at, state, version: versionOf(ruleId), decision });
  return [
    ...verdict.rules.flatMap((rule) => hit(rule, 'live', verdict.decision)),
    ...verdict.shadow.flatMap((rule) => hit(rule, 'shadow', wouldDecide(policy, subject, verdict, rule))),
  ];
};

/** The rules of accounts: their content, the compiled ones, and their matches. */
export const makeRules = (deps: RuleDeps) => {
  const state = makeRulesState(deps);
  const { backend, clock } = state;
  return {
    bodyErrors: (body: Readonly<Record<string, unknown>>): ErrorDetail[] => bodyErrors(body, clock()),
    create: (call: Call<'createRule'>) => createRule(state, call),
    change: (call: Call<'changeRule'>) => changeRule(state, call),
    remove: (call: Call<'deleteRule'>) => removeRule(state, call),
    check: (call: Call<'checkRule'>) => checkRule(state, call),
    hits: (call: Call<'listRuleHits'>) => listHits(state, call),
    series: (call: Call<'getRuleSeries'>) => getSeries(state, call),
    versions: (call: Call<'listRuleVersions'>) => listVersions(state, call),
    get: (call: Call<'getRule'>) => getRule(state, call),
    list: (call: Call<'listRules'>) => listRules(state, call),
    variables: listVariables,
    /** The live and shadow rules, in order of creation. */
    compiled: async (tenant: number): Promise<AccountRule[]> =>
      (await compiledOf(state, tenant)).map(({ rule }) => rule),
    has: async (tenant: number, id: string): Promise<boolean> => (await findRule(backend, tenant, id)) !== undefined,
    /** The stored rule, in any state. */
    rowOf: (tenant: number, id: string): Promise<RuleRow | undefined> => findRule(backend, tenant, id),
    tenants: (): Promise<number[]> => tenantsWithRules(backend),
    /** Whether a live or shadow rule uses the list. */
    usesList: async (tenant: number, list: string): Promise<boolean> =>
      (await compiledOf(state, tenant)).some(({ lists }) => lists.includes(list)),
    hitStatements,
  };
};
export type Rules = ReturnType<typeof makeRules>;
