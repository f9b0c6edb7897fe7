import type { RuleCheck, RuleHits, RuleList } from '@portcullis/contract';
import { MAX_RULES, writeTimestamp } from '@portcullis/contract/values';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { invalidRequest } from '../validation/errors.ts';
import { compileSent } from './compile-sent.ts';
import { hitsOf } from './hit-store.ts';
import { ruleVariables } from './reference.ts';
import { findRuleOf, type RulesState, toRule, warnOfLists } from './rule-state.ts';
import { retiredRules, rulesIn, UNRETIRED } from './store.ts';

const DEFAULT_LIMIT = 20;

/** Compiles an expression and returns its errors, or the names it uses. Stores nothing. */
export const checkRule = async (state: RulesState, call: Call<'checkRule'>): Promise<Answer> => {
  const compiled = compileSent(call.body.expression);
  const empty: RuleCheck = { valid: false, errors: [], variables: [], features: [], lists: [] };
  if ('error' in compiled) return call.answer({ ...empty, errors: [compiled.error] });
  await warnOfLists(state, call, compiled.lists);
  const { variables, features, lists } = compiled;
  const check: RuleCheck = {
    valid: true,
    errors: [],
    variables: [...variables],
    features: [...features],
    lists: [...lists],
  };
  return call.answer(check);
};

export const listHits = async (state: RulesState, call: Call<'listRuleHits'>): Promise<Answer> => {
  const { id, tenant } = await findRuleOf(state, call);
  const { limit = DEFAULT_LIMIT, before } = call.query;
  const last = before === undefined ? undefined : idOf('decision', before);
  if (before !== undefined && last === undefined)
    throw invalidRequest([{ field: 'before', message: 'must be the `decision_id` of a hit' }]);
  const { rows, hasMore } = await hitsOf(state.backend, tenant, id, state.clock(), last, limit);
  const list: RuleHits = {
    hits: rows.map(({ screening_id, at, state: ruleState, version, decision }) => ({
      decision_id: withPrefix('decision', screening_id),
      matched_at: writeTimestamp(at),
      state: ruleState,
      version,
      decision,
    })),
    has_more: hasMore,
  };
  return call.answer(list);
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
