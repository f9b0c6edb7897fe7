import {
  type DecisionValue,
  type ErrorDetail,
  MAX_RULES,
  type Rule,
  type RuleChange,
  type RuleRequest,
  writeTimestamp,
} from '@portcullis/contract';
import { type OwnRule, type Policy, type Subject, type Verdict, wouldDecide } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend, Outcome, Statement, Unit } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { ApiError, invalidRequest, notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import type { Log } from '../log.ts';
import { mask } from '../mask.ts';
import type { Metrics } from '../metrics.ts';
import { logFailures, makeAsked } from './asked.ts';
import { allowFaults, bodyFaults, changedRow, contentOf } from './change.ts';
import { compile } from './compile.ts';
import { hasMatched, insertHit } from './hit-store.ts';
import { makeReads } from './reads.ts';
import {
  type CountedRule,
  deleteRule,
  findRule,
  insertRule,
  type RuleRow,
  rulesIn,
  tenantsWithRules,
  UNRETIRED,
  updateRule,
} from './store.ts';

export { expressionFaults } from './change.ts';
export { compile } from './compile.ts';
export { sweepHits } from './hit-store.ts';

/** Of all that are live or in shadow together: so many take 20 ms of the most expensive request there can be, and hardly any of others. */
const MOST_STEPS_TOGETHER = 200_000;

export interface RuleDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'write'>;
  readonly note: Note;
  /** To be told when what decides has changed; resolves when screenings are decided by it. */
  readonly changed: (tenant: number, author: string) => Promise<void>;
  /** The tenant's lists, by name. */
  readonly listNames: (tenant: number) => Promise<Iterable<string>>;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What of a rule does not change by itself. */
const contentIn = (row: RuleRow) => ({
  name: row.name,
  description: row.description,
  expression: row.expression,
  action: JSON.parse(row.action) as Rule['action'],
  subject_types: JSON.parse(row.subject_types) as Rule['subject_types'],
  state: row.state,
  expires_at: row.expires_at === null ? null : writeTimestamp(row.expires_at),
  version: row.version,
});

/** The account's own rules: what they say, which of them are asked, and what they matched. */
export const makeRules = (deps: RuleDeps) => {
  const { backend, audit, newId, clock } = deps;
  /** Changes of one tenant come one after the other: each looks at the names and counts the steps that the one before left. */
  const inTurn = ({ caller }: Call, work: () => Promise<Answer>): Promise<Answer> =>
    backend.inTurn(`rules ${caller.tenant}`, work);
  const asked = makeAsked(logFailures(deps));

  const toRule = (row: CountedRule): Rule => ({
    rule_id: withPrefix('rule', row.id),
    ...contentIn(row),
    created_at: writeTimestamp(row.created_at),
    updated_at: writeTimestamp(row.updated_at),
    hits: { matched: row.matched, since: writeTimestamp(row.updated_at) },
    errors: asked.errorsOf(row.id),
  });

  const faults = (body: Readonly<Record<string, unknown>>): ErrorDetail[] => bodyFaults(body, clock());

  const warnOfLists = async (call: Call, names: readonly string[]): Promise<void> => {
    if (names.length === 0) return;
    const there = new Set(await deps.listNames(call.caller.tenant));
    for (const name of names.filter((one) => !there.has(one)))
      call.warnings.push(`there is no list \`${name}\` yet: until there is, nothing is on it`);
  };
  const warnOf = async (call: Call, expression: string | undefined): Promise<void> => {
    const compiled = expression === undefined ? undefined : compile(expression);
    if (compiled !== undefined && !('fault' in compiled)) await warnOfLists(call, compiled.lists);
  };

  const find = async (call: Call): Promise<CountedRule> => {
    const id = idOf('rule', call.params.rule_id as string);
    const row = id === undefined ? undefined : await findRule(backend, call.caller.tenant, id);
    if (row === undefined) throw notFound('rule');
    return row;
  };

  /** Writes the change, who made it, and for other processes that it was made. */
  const write = (
    call: Call,
    action: string,
    before: RuleRow | undefined,
    after: RuleRow | undefined,
    unit: Unit,
  ): Promise<Outcome> => {
    const told = (row: RuleRow | undefined) => (row === undefined ? null : contentIn(row));
    const target = withPrefix('rule', ((after ?? before) as RuleRow).id);
    const change = { action, target, before: told(before), after: told(after) };
    return audit.write(call.caller, change, [...unit, ...deps.note(call.caller.tenant, 'rules')]);
  };
  const changed = ({ caller }: Call): Promise<void> => deps.changed(caller.tenant, withPrefix('key', caller.keyId));

  const nameTaken = async ({ id, tenant, name }: RuleRow): Promise<boolean> =>
    (await rulesIn(backend, tenant, UNRETIRED)).some((other) => other.name === name && other.id !== id);
  const refuseName = (name: string): ApiError =>
    new ApiError('rule_exists', `There is a rule named ${name} that is not retired.`);

  const createNow = async (call: Call): Promise<Answer> => {
    const request = call.body as RuleRequest;
    const now = clock();
    const row: CountedRule = {
      ...contentOf(request, mask(request.description ?? '', 'description', call.warnings)),
      id: newId(),
      tenant: call.caller.tenant,
      state: 'draft',
      version: 1,
      created_at: now,
      updated_at: now,
      matched: 0,
    };
    const wrong = allowFaults(row, now);
    if (wrong.length > 0) throw invalidRequest(wrong);
    await warnOf(call, row.expression);
    const answer = call.answer(toRule(row));
    const unit = [insertRule(row, MAX_RULES), ...answer.statements];
    const { written } = await write(call, 'rule.created', undefined, row, unit);
    if (!written) {
      if (await nameTaken(row)) throw refuseName(row.name);
      throw new ApiError('limit_reached', `There are ${MAX_RULES} rules already, the most there can be.`);
    }
    await changed(call);
    return answer;
  };

  /** Whoever shares the installation must not be kept waiting by what others made of their rules. */
  const refuseCostly = async ({ id, tenant, state, expression }: RuleRow): Promise<void> => {
    if (state !== 'live' && state !== 'shadow') return;
    const compiled = compile(expression);
    const own = 'fault' in compiled ? 0 : compiled.steps;
    const others = (await rulesIn(backend, tenant, ['shadow', 'live'])).filter((other) => other.id !== id);
    const steps = others.reduce((sum, other) => sum + asked.of(other).steps, own);
    if (steps <= MOST_STEPS_TOGETHER) return;
    const message = `The rules that are live or in shadow would take ${steps} steps together, and can take ${MOST_STEPS_TOGETHER}.`;
    throw new ApiError('limit_reached', message);
  };

  /** Undefined when it came to nothing because another change came between. */
  const store = async (call: Call, before: CountedRule, row: RuleRow): Promise<Answer | undefined> => {
    const answer = call.answer(toRule({ ...row, matched: 0 }));
    const { written } = await write(call, 'rule.changed', before, row, [updateRule(before, row), ...answer.statements]);
    if (!written) {
      if (await nameTaken(row)) throw refuseName(row.name);
      return undefined;
    }
    await changed(call);
    return answer;
  };

  const changeNow = async (call: Call): Promise<Answer> => {
    const wanted = call.body as RuleChange;
    const description =
      wanted.description === undefined ? undefined : mask(wanted.description, 'description', call.warnings);
    await warnOf(call, wanted.expression);
    for (;;) {
      const before = await find(call);
      const now = clock();
      const row = changedRow(before, wanted, description ?? before.description, now);
      if (row === before) return call.answer(toRule(before));
      const wrong = row.state === 'retired' ? [] : allowFaults(row, now);
      if (row.state === 'live' && row.expires_at !== null && row.expires_at <= now)
        wrong.push({ field: 'expires_at', message: 'has passed: the rule would match nothing' });
      if (wrong.length > 0) throw invalidRequest(wrong);
      await refuseCostly(row);
      const answer = await store(call, before, row);
      if (answer !== undefined) return answer;
    }
  };

  /** A draft disappears; what ever matched stays as retired, for the decisions that name it. */
  const removeNow = async (call: Call): Promise<Answer> => {
    for (;;) {
      const before = await find(call);
      const answer = call.answer({});
      if (before.state === 'retired') return answer;
      if (before.state !== 'draft' || (await hasMatched(backend, before.id))) {
        const row = changedRow(before, { state: 'retired' }, before.description, clock());
        if ((await store(call, before, row)) !== undefined) return answer;
        continue;
      }
      const unit = [deleteRule(before), ...answer.statements];
      const { written } = await write(call, 'rule.deleted', before, undefined, unit);
      if (!written) continue;
      await changed(call);
      return answer;
    }
  };

  const inUse = async (tenant: number) => (await rulesIn(backend, tenant, ['shadow', 'live'])).map(asked.of);

  return {
    faults,
    create: (call: Call): Promise<Answer> => inTurn(call, () => createNow(call)),
    change: (call: Call): Promise<Answer> => inTurn(call, () => changeNow(call)),
    remove: (call: Call): Promise<Answer> => inTurn(call, () => removeNow(call)),
    ...makeReads({ backend, clock, find, toRule, warnOfLists }),
    /** Those that are live or in shadow, in the order they were made. */
    compiled: async (tenant: number): Promise<OwnRule[]> => (await inUse(tenant)).map(({ own }) => own),
    has: async (tenant: number, id: string): Promise<boolean> => (await findRule(backend, tenant, id)) !== undefined,
    tenants: (): Promise<number[]> => tenantsWithRules(backend),
    /** Whether a rule that is live or in shadow names the list. */
    usesList: async (tenant: number, list: string): Promise<boolean> =>
      (await inUse(tenant)).some(({ lists }) => lists.includes(list)),
    /** What matched of the rules that were asked. To be part of the unit of the screening. */
    hitStatements: (tenant: number, id: string, policy: Policy, subject: Subject, verdict: Verdict): Statement[] => {
      // As it was asked: a newer version may be stored already, and not yet decide.
      const versionOf = (ruleId: string): number => policy.rules?.find((rule) => rule.id === ruleId)?.version as number;
      const hit = (ruleId: string, state: 'live' | 'shadow', decision: DecisionValue): Statement[] =>
        insertHit(tenant, ruleId, { screening_id: id, at: subject.at, state, version: versionOf(ruleId), decision });
      return [
        ...verdict.rules.flatMap((rule) => hit(rule, 'live', verdict.decision)),
        ...verdict.shadow.flatMap((rule) => hit(rule, 'shadow', wouldDecide(policy, subject, verdict, rule))),
      ];
    },
  };
};
export type Rules = ReturnType<typeof makeRules>;
