import type { Replay } from '@portcullis/contract';
import {
  areFactsReadable,
  explain,
  knowledgeIn,
  markPresent,
  subjectOf,
  unpackFacts,
  unpackVerdict,
} from '@portcullis/engine';
import { isErased, presentRequest } from '../backend/erased-request.ts';
import type { FindScreening, ScreeningRow } from '../backend/journal.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Policies } from '../policies/policies.ts';
import type { RuleRow, Rules } from '../rules/rules.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import type { BodyCheck } from '../validation/body.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import type { Recompute, ReplayBy } from './recompute.ts';

export const ERASED =
  'the person of this decision was erased: factors of erased fields, such as metadata, may differ from those of the decision';

export interface ReplayDeps {
  readonly findScreening: FindScreening;
  readonly policies: Pick<Policies, 'of' | 'replayed' | 'pointErrors'>;
  readonly rules: Pick<Rules, 'rowOf'>;
  readonly replay: Recompute['replay'];
}

const missing = (what: string): ApiError => new ApiError('not_replayable', `${what} cannot be read any more.`);

/** The rules of a version. Their content is not stored with it, so a rule that changed since is named in a warning. */
const rulesOf = async (
  { rules }: ReplayDeps,
  call: Call<'replayDecision'>,
  stored: NonNullable<Awaited<ReturnType<Policies['replayed']>>>['rules'],
  changedAfter: number,
): Promise<RuleRow[]> => {
  const found: RuleRow[] = [];
  for (const { rule_id, name, state } of stored) {
    const row = await rules.rowOf(call.caller.tenant, idOf('rule', rule_id) as string);
    if (row === undefined) call.warnings.push(`the rule \`${name}\` was deleted since: it is left out`);
    else {
      found.push({ ...row, state });
      if (row.updated_at > changedAfter)
        call.warnings.push(`the rule \`${name}\` was changed or retired since: its present text is evaluated`);
    }
  }
  return found;
};

/** The policy that the call asks for. */
const policyFor = async (deps: ReplayDeps, call: Call<'replayDecision'>, row: ScreeningRow): Promise<ReplayBy> => {
  const isThen = call.body.policy === 'then';
  const { tenant } = call.caller;
  const found = await deps.policies.replayed(tenant, isThen ? row.ruleset_version : undefined, call.body.change);
  if (found === undefined) throw missing(`The policy of this decision, ${row.ruleset_version},`);
  const rules = await rulesOf(deps, call, found.rules, isThen ? row.screened_at : Number.MAX_SAFE_INTEGER);
  return { policy: found.policy, rules };
};

/** Errors of the change that the schema cannot express. */
export const replayErrors =
  ({ policies }: ReplayDeps): BodyCheck =>
  ({ change }) =>
    policies
      .pointErrors((change ?? {}) as { points?: unknown })
      .map(({ field, message }) => ({ field: `change.${field}`, message }));

/** Decides a stored screening again, in a thread of its own: reading a model takes tens of milliseconds. */
export const replayDecision = async (deps: ReplayDeps, call: Call<'replayDecision'>): Promise<Answer> => {
  const { caller, warnings } = call;
  const id = idOf('decision', call.params.decision_id);
  const row = id === undefined ? undefined : await deps.findScreening(caller.tenant, id);
  if (row === undefined) throw notFound('decision');
  if (!areFactsReadable(row.facts_version)) throw missing('The facts of this decision');
  const stored = unpackVerdict(row.verdict);
  const now = deps.policies.of(caller.tenant).model?.version ?? null;
  const version = call.body.model === 'then' ? stored.modelVersion : now;
  if (version === null) throw missing('The model of this decision');
  const replayBy = await policyFor(deps, call, row);
  const verdict = await deps.replay(caller, row, version, replayBy);
  if (verdict === undefined) throw missing(`The model of this decision, ${version},`);
  if (isErased(row)) warnings.push(ERASED);
  const facts = unpackFacts(row.facts);
  const subject = subjectOf(markPresent, row.type, presentRequest(row.request), row.screened_at, knowledgeIn(facts));
  const same =
    verdict.score === stored.score &&
    verdict.decision === stored.decision &&
    verdict.signals.join() === stored.signals.join();
  const replayed: Replay = {
    decision_id: withPrefix('decision', row.id),
    risk_score: verdict.score,
    decision: verdict.decision,
    signals: [...verdict.signals],
    factors: explain(verdict, subject, facts),
    base_score: verdict.baseScore,
    model_version: verdict.modelVersion,
    ruleset_version: replayBy.policy.version,
    same,
  };
  return call.answer(replayed);
};
