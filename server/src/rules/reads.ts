import {
  type Rule,
  type RuleCheck,
  type RuleCheckRequest,
  type RuleHitQuery,
  type RuleHits,
  type RuleList,
  type RuleQuery,
  writeTimestamp,
} from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import { invalidRequest } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../ids.ts';
import { compile } from './compile.ts';
import { hitsOf } from './hit-store.ts';
import { ruleVariables } from './reference.ts';
import { type CountedRule, rulesIn, UNRETIRED } from './store.ts';

const DEFAULT_LIMIT = 20;

/** What can be asked about rules without changing any. */
export const makeReads = (deps: {
  backend: Backend;
  clock: () => number;
  find: (call: Call) => Promise<CountedRule>;
  toRule: (row: CountedRule) => Rule;
  warnOfLists: (call: Call, names: readonly string[]) => Promise<void>;
}) => {
  const { backend, clock, find, toRule, warnOfLists } = deps;

  const check = async (call: Call): Promise<Answer> => {
    const compiled = compile((call.body as RuleCheckRequest).expression);
    const none: RuleCheck = { valid: false, errors: [], variables: [], features: [], lists: [] };
    if ('fault' in compiled) return call.answer({ ...none, errors: [compiled.fault] });
    await warnOfLists(call, compiled.lists);
    const { variables, features, lists } = compiled;
    const checked: RuleCheck = {
      valid: true,
      errors: [],
      variables: [...variables],
      features: [...features],
      lists: [...lists],
    };
    return call.answer(checked);
  };

  const hits = async (call: Call): Promise<Answer> => {
    const { id, tenant } = await find(call);
    const { limit = DEFAULT_LIMIT, before } = call.query as RuleHitQuery;
    const last = before === undefined ? undefined : idOf('decision', before);
    if (before !== undefined && last === undefined)
      throw invalidRequest([{ field: 'before', message: 'must be the `decision_id` of a hit' }]);
    const rows = await hitsOf(backend, tenant, id, clock(), last, limit + 1);
    const list: RuleHits = {
      hits: rows.slice(0, limit).map(({ screening_id, at, state, version, decision }) => ({
        decision_id: withPrefix('decision', screening_id),
        matched_at: writeTimestamp(at),
        state,
        version,
        decision,
      })),
      has_more: rows.length > limit,
    };
    return call.answer(list);
  };

  return {
    check,
    hits,
    get: async (call: Call): Promise<Answer> => call.answer(toRule(await find(call))),
    list: async (call: Call): Promise<Answer> => {
      const { state } = call.query as RuleQuery;
      const rows = await rulesIn(backend, call.caller.tenant, state === undefined ? UNRETIRED : [state]);
      const list: RuleList = { rules: rows.map(toRule) };
      return call.answer(list);
    },
    variables: async (call: Call): Promise<Answer> => call.answer(ruleVariables()),
  };
};
