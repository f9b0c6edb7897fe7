import type { Decision, DecisionQuery } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import {
  areFactsReadable,
  explain,
  knowledgeIn,
  markPresent,
  OTHER_FEATURES,
  subjectOf,
  summarize,
  unavailableIn,
  unpackFacts,
  unpackVerdict,
  type Verdict,
} from '@portcullis/engine';
import { isErased, presentRequest } from '../backend/erased-request.ts';
import type { FindScreening, ScreeningRow } from '../backend/journal.ts';
import type { Cases } from '../cases/cases.ts';
import { analystOf } from '../http/caller.ts';
import type { Answer, AnyCall, Call, CallWith } from '../http/route.ts';
import type { Labels } from '../labels/labels.ts';
import { labelOf, type ReviewRow, type Reviews } from '../reviews/reviews.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { subjectFor } from '../subjects/subjects.ts';
import { notFound } from '../validation/errors.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Recompute, Recomputed } from './recompute.ts';
import { ERASED, type ReplayDeps, replayDecision, replayErrors } from './replay.ts';

type FactorsWanted = NonNullable<DecisionQuery['factors']>;

/**
 * Contributions of single features are not computed for verdicts with few points of the model; they are recomputed on
 * read.
 */
const hasFeatureFactors = ({ factors }: Verdict): boolean =>
  factors.some(({ of, name }) => of === 'feature' && name !== OTHER_FEATURES);

const toDecision = (row: ScreeningRow, reviews: readonly ReviewRow[], recomputed: Recomputed | undefined): Decision => {
  const facts = areFactsReadable(row.facts_version) ? unpackFacts(row.facts) : undefined;
  const known = facts === undefined ? undefined : knowledgeIn(facts);
  const subject = subjectOf(markPresent, row.type, presentRequest(row.request), row.screened_at, known);
  const stored = unpackVerdict(row.verdict);
  const verdict = { ...stored, ...recomputed };
  return {
    decision_id: withPrefix('decision', row.id),
    subject_type: row.type,
    subject_id: withPrefix(row.type, row.id),
    user_id: subject.request.user_id,
    decision: reviews.at(-1)?.decision ?? verdict.decision,
    automated_decision: verdict.decision,
    risk_score: verdict.score,
    signals: [...verdict.signals],
    // From the stored factors, so that it is the line of the case, whatever factors were asked for.
    summary: facts === undefined ? null : summarize(stored, subject, facts),
    factors: explain(verdict, subject, facts),
    base_score: verdict.baseScore,
    model_version: verdict.modelVersion,
    ruleset_version: row.ruleset_version,
    unavailable: facts === undefined ? [] : unavailableIn(subject.hashes, facts),
    case_id: verdict.decision === 'review' && row.imported === 0 ? withPrefix('case', row.id) : null,
    reviews: reviews.map(({ reviewed_at, ...review }) => ({ ...review, reviewed_at: writeTimestamp(reviewed_at) })),
    decided_at: writeTimestamp(row.screened_at),
    ...(row.imported === 1 ? { imported: true } : {}),
  };
};

export const makeDecisions = (
  deps: ReplayDeps & {
    findScreening: FindScreening;
    reviews: Reviews;
    labels: Labels;
    cases: Cases;
    webhooks: Webhooks;
    recompute: Recompute['recompute'];
    clock: () => number;
  },
) => {
  const { reviews, labels, cases, webhooks, clock } = deps;

  const decisionId = (call: CallWith<'decision_id'>): string => {
    const id = idOf('decision', call.params.decision_id);
    if (id === undefined) throw notFound('decision');
    return id;
  };

  /** The factors to show instead of the stored ones. Undefined where the stored ones are shown. */
  const recomputedOf = async (
    call: AnyCall,
    row: ScreeningRow,
    wanted: FactorsWanted = 'stored',
  ): Promise<Recomputed | undefined> => {
    const stored = unpackVerdict(row.verdict);
    const { modelVersion } = stored;
    const isExact = wanted === 'exact';
    if (hasFeatureFactors(stored) && !isExact) return undefined;
    if (isErased(row) && isExact) call.warnings.push(ERASED);
    const recomputed =
      modelVersion === null || !areFactsReadable(row.facts_version)
        ? undefined
        : await deps.recompute(call.caller, row, modelVersion, isExact);
    if (isExact && recomputed === undefined)
      call.warnings.push(
        'exact factors are not available: the model of this decision was deleted or has no trees, or its facts are of an unreadable version; these are the stored factors',
      );
    return recomputed;
  };

  const review = async (call: Call<'reviewDecision'>): Promise<Answer> => {
    const { decision, reason = null, notes = null } = call.body;
    const analyst_id = analystOf(call.caller, call.body.analyst_id) ?? null;
    const { tenant } = call.caller;
    const id = decisionId(call);
    return labels.withLock(tenant, id, async () => {
      const item = await labels.find(tenant, id);
      if (item === undefined) throw notFound('decision');
      labels.requireRoom(item);
      const before = await reviews.of(tenant, id);
      const added: ReviewRow = { decision, reason, analyst_id, notes, reviewed_at: clock() };
      const reviewed = toDecision(item.screening, [...before, added], await recomputedOf(call, item.screening));
      const message = webhooks.enqueue(call.caller, 'decision.reviewed', JSON.stringify(reviewed), added.reviewed_at);
      const resolving = await cases.resolveBy(call.caller, id, added);
      const answer = call.answer(reviewed);
      await labels.writeWith(call.caller, item, labelOf(added, 'review'), [
        reviews.add(tenant, id, reviewed.user_id, before, added),
        ...message,
        ...resolving,
        ...answer.statements,
      ]);
      webhooks.send(call.caller);
      return answer;
    });
  };

  return {
    /** The decision of a stored screening, with its stored factors. */
    of: async (tenant: number, row: ScreeningRow): Promise<Decision> =>
      toDecision(row, await reviews.of(tenant, row.id), undefined),
    /** The decision as `get` returns it. */
    shown: async (call: AnyCall, row: ScreeningRow): Promise<Decision> =>
      toDecision(row, await reviews.of(call.caller.tenant, row.id), await recomputedOf(call, row)),
    get: async (call: Call<'getDecision'>): Promise<Answer> => {
      const row = await deps.findScreening(call.caller.tenant, decisionId(call));
      if (row === undefined) throw notFound('decision');
      const { factors } = call.query;
      const reviewed = await reviews.of(call.caller.tenant, row.id);
      const decision = toDecision(row, reviewed, await recomputedOf(call, row, factors));
      return call.answer({ ...decision, ...subjectFor(call, row) });
    },
    review,
    replay: (call: Call<'replayDecision'>): Promise<Answer> => replayDecision(deps, call),
    replayErrors: replayErrors(deps),
  };
};
export type Decisions = ReturnType<typeof makeDecisions>;
