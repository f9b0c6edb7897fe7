import { MAX_RULES } from '@portcullis/contract/values';
import type { Outcome, Unit } from '../backend/backend.ts';
import { authorOf } from '../http/caller.ts';
import type { Answer, AnyCall, Call } from '../http/route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import { compile } from './compile.ts';
import { hasMatched } from './hit-store.ts';
import { contentIn, findRuleOf, type RulesState, toRule, warnOfLists } from './rule-state.ts';
import { type CountedRule, deleteRule, insertRule, type RuleRow, rulesIn, UNRETIRED, updateRule } from './store.ts';
import { allowErrors, changedRow, contentOf } from './transitions.ts';

/** Limit of all live and shadow rules together: 20 ms for the most expensive request, far less for most. */
const MAX_TOTAL_STEPS = 200_000;

/** Serializes the changes of a tenant: each one checks the names and the steps that the one before left. */
const serialize = (state: RulesState, { caller }: AnyCall, work: () => Promise<Answer>): Promise<Answer> =>
  state.backend.withLock(`rules ${caller.tenant}`, work);

/** Writes a change with its audit entry and its announcement to other processes. */
const writeChange = (
  state: RulesState,
  call: AnyCall,
  action: string,
  before: RuleRow | undefined,
  after: RuleRow | undefined,
  unit: Unit,
): Promise<Outcome> => {
  const audited = (row: RuleRow | undefined) => (row === undefined ? null : contentIn(row));
  const target = withPrefix('rule', ((after ?? before) as RuleRow).id);
  const change = { action, target, before: audited(before), after: audited(after) };
  return state.audit.write(call.caller, change, [...unit, ...state.note(call.caller.tenant, 'rules')]);
};

const applyChange = (state: RulesState, { caller }: AnyCall): Promise<void> =>
  state.changed(caller.tenant, authorOf(caller));

const warnOfExpression = async (state: RulesState, call: AnyCall, expression: string | undefined): Promise<void> => {
  const compiled = expression === undefined ? undefined : compile(expression);
  if (compiled !== undefined && !('error' in compiled)) await warnOfLists(state, call, compiled.lists);
};

const isNameTaken = async ({ backend }: RulesState, { id, tenant, name }: RuleRow): Promise<boolean> =>
  (await rulesIn(backend, tenant, UNRETIRED)).some((other) => other.name === name && other.id !== id);

const nameTakenError = (name: string): ApiError =>
  new ApiError('rule_exists', `A rule named ${name} already exists. Choose another name or retire that rule.`);

const createOnce = async (state: RulesState, call: Call<'createRule'>): Promise<Answer> => {
  const request = call.body;
  const now = state.clock();
  const row: CountedRule = {
    ...contentOf(request),
    id: state.newId(),
    tenant: call.caller.tenant,
    state: 'draft',
    version: 1,
    created_at: now,
    updated_at: now,
    matched: 0,
  };
  const errors = allowErrors(row, now);
  if (errors.length > 0) throw invalidRequest(errors);
  await warnOfExpression(state, call, row.expression);
  const answer = call.answer(toRule(state, row));
  const unit = [insertRule(row, MAX_RULES), ...answer.statements];
  const { written } = await writeChange(state, call, 'rule.created', undefined, row, unit);
  if (!written) {
    if (await isNameTaken(state, row)) throw nameTakenError(row.name);
    const message = `An account can have at most ${MAX_RULES} rules, not counting retired ones. Retire a rule first.`;
    throw new ApiError('limit_reached', message);
  }
  await applyChange(state, call);
  return answer;
};

/** Refuses rules that would take too long together: the accounts of an installation share its processor. */
const requireSteps = async (state: RulesState, row: RuleRow): Promise<void> => {
  const { id, tenant, state: ruleState, expression } = row;
  if (ruleState !== 'live' && ruleState !== 'shadow') return;
  const compiled = compile(expression);
  const ownSteps = 'error' in compiled ? 0 : compiled.steps;
  const others = (await rulesIn(state.backend, tenant, ['shadow', 'live'])).filter((other) => other.id !== id);
  const steps = others.reduce((sum, other) => sum + state.compiledRules.of(other).steps, ownSteps);
  if (steps <= MAX_TOTAL_STEPS) return;
  const message = `All live and shadow rules together would take ${steps} steps. The limit is ${MAX_TOTAL_STEPS}: simplify or retire a rule.`;
  throw new ApiError('limit_reached', message);
};

/** Undefined if another change came in between and nothing was written. */
const storeChange = async (
  state: RulesState,
  call: AnyCall,
  before: CountedRule,
  row: RuleRow,
): Promise<Answer | undefined> => {
  const answer = call.answer(toRule(state, { ...row, matched: 0 }));
  const unit = [updateRule(before, row), ...answer.statements];
  const { written } = await writeChange(state, call, 'rule.changed', before, row, unit);
  if (!written) {
    if (await isNameTaken(state, row)) throw nameTakenError(row.name);
    return undefined;
  }
  await applyChange(state, call);
  return answer;
};

const changeUntilStored = async (state: RulesState, call: Call<'changeRule'>): Promise<Answer> => {
  const change = call.body;
  await warnOfExpression(state, call, change.expression);
  for (;;) {
    const before = await findRuleOf(state, call);
    const now = state.clock();
    const row = changedRow(before, change, now);
    if (row === before) return call.answer(toRule(state, before));
    const errors = row.state === 'retired' ? [] : allowErrors(row, now);
    if (row.state === 'live' && row.expires_at !== null && row.expires_at <= now)
      errors.push({ field: 'expires_at', message: 'is in the past: the rule would never match' });
    if (errors.length > 0) throw invalidRequest(errors);
    await requireSteps(state, row);
    const answer = await storeChange(state, call, before, row);
    if (answer !== undefined) return answer;
  }
};

/** Deletes a draft. A rule that ever matched is retired instead, because decisions refer to it. */
const removeUntilStored = async (state: RulesState, call: Call<'deleteRule'>): Promise<Answer> => {
  for (;;) {
    const before = await findRuleOf(state, call);
    const answer = call.answer({});
    if (before.state === 'retired') return answer;
    if (before.state !== 'draft' || (await hasMatched(state.backend, before.id))) {
      const row = changedRow(before, { state: 'retired' }, state.clock());
      if ((await storeChange(state, call, before, row)) !== undefined) return answer;
      continue;
    }
    const unit = [deleteRule(before), ...answer.statements];
    const { written } = await writeChange(state, call, 'rule.deleted', before, undefined, unit);
    if (!written) continue;
    await applyChange(state, call);
    return answer;
  }
};

export const createRule = (state: RulesState, call: Call<'createRule'>): Promise<Answer> =>
  serialize(state, call, () => createOnce(state, call));

export const changeRule = (state: RulesState, call: Call<'changeRule'>): Promise<Answer> =>
  serialize(state, call, () => changeUntilStored(state, call));

export const removeRule = (state: RulesState, call: Call<'deleteRule'>): Promise<Answer> =>
  serialize(state, call, () => removeUntilStored(state, call));
