import type { RuleCheck, RuleList } from '@portcullis/contract';
import { MAX_RULES } from '@portcullis/contract/values';
import { requirePermission } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { notFound } from '../validation/errors.ts';
import { compileSent } from './compile-sent.ts';
import { ruleVariables } from './reference.ts';
import { findRuleOf, type RulesState, toRule, warnOfLists } from './rule-state.ts';
import { retiredRules, rulesIn, UNRETIRED } from './store.ts';
import { tryRule } from './try-rule.ts';

/** Compiles an expression and returns its errors, or the names it uses. Stores nothing. */
export const checkRule = async (state: RulesState, call: Call<'checkRule'>): Promise<Answer> => {
  const { expression, on } = call.body;
  // Expressions tell what was sent, one question at a time.
  if (on !== undefined) requirePermission(call.caller, 'read_personal', '`on`');
  const compiled = compileSent(expression);
  const empty: RuleCheck = { valid: false, errors: [], variables: [], features: [], lists: [] };
  if ('error' in compiled) return call.answer({ ...empty, errors: [compiled.error] });
  await warnOfLists(state, call, compiled.lists);
  const { variables, features, lists } = compiled;
  const input = on === undefined ? undefined : await state.inputOf(call.caller.tenant, on);
  if (on !== undefined && input === undefined) throw notFound('transaction or event');
  const check: RuleCheck = {
    valid: true,
    errors: [],
    variables: [...variables],
    features: [...features],
    lists: [...lists],
    ...(input === undefined ? {} : tryRule(expression, input)),
  };
  return call.answer(check);
};

export const getRule = async (state: RulesState, call: Call<'getRule'>): Promise<Answer> =>
  call.answer(toRule(state, await findRuleOf(state, call)));

export const listRules = async (state: RulesState, call: Call<'listRules'>): Promise<Answer> => {
  const { state: wanted } = call.query;
  const { tenant } = call.caller;
  const rows =
    wanted === 'retired'
      ? await retiredRules(state.backend, tenant, MAX_RULES)
      : await rulesIn(state.backend, tenant, wanted === undefined ? UNRETIRED : [wanted]);
  const list: RuleList = { rules: rows.map((row) => toRule(state, row)) };
  return call.answer(list);
};

/** Written once: the text takes milliseconds and never changes. */
let variables: string | undefined;
export const listVariables = async (call: Call<'listRuleVariables'>): Promise<Answer> => {
  variables ??= JSON.stringify(ruleVariables());
  return call.answer(variables);
};
