import { type Decision, type DecisionQuery, type ReviewRequest, writeTimestamp } from '@portcullis/contract';
import {
  explain,
  FACTS_VERSION,
  factorsExactly,
  knowledgeIn,
  type Model,
  subjectOf,
  unavailableOf,
  unpackFacts,
  unpackVerdict,
} from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import type { Cases } from '../cases/cases.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../ids.ts';
import { maskNotes } from '../mask.ts';
import type { ReviewRow, Reviews } from '../reviews/reviews.ts';
import type { FindScreening, ScreeningRow } from '../screening/screen.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

const toDecision = (row: ScreeningRow, reviews: readonly ReviewRow[]): Decision => {
  const subject = subjectOf(row.type, JSON.parse(row.request), row.screened_at);
  const verdict = unpackVerdict(row.verdict);
  const facts = row.facts_version === FACTS_VERSION ? unpackFacts(row.facts) : undefined;
  return {
    decision_id: withPrefix('decision', row.id),
    subject_type: row.type,
    subject_id: withPrefix(row.type, row.id),
    user_id: subject.request.user_id,
    decision: reviews.at(-1)?.decision ?? verdict.decision,
    automated_decision: verdict.decision,
    risk_score: verdict.score,
    signals: [...verdict.signals],
    factors: explain(verdict, subject, facts),
    base_score: verdict.baseScore,
    model_version: verdict.modelVersion,
    ruleset_version: row.ruleset_version,
    unavailable: facts === undefined ? [] : unavailableOf(knowledgeIn(facts)),
    case_id: verdict.decision === 'review' ? withPrefix('case', row.id) : null,
    reviews: reviews.map(({ reviewed_at, ...review }) => ({ ...review, reviewed_at: writeTimestamp(reviewed_at) })),
    decided_at: writeTimestamp(row.screened_at),
  };
};

export const makeDecisions = (deps: {
  backend: Backend;
  findScreening: FindScreening;
  reviews: Reviews;
  cases: Cases;
  webhooks: Webhooks;
  model: Model;
  clock: () => number;
}) => {
  const { backend, reviews, cases, webhooks, clock } = deps;

  const find = async (call: Call): Promise<ScreeningRow> => {
    const id = idOf('decision', call.params.decision_id as string);
    const row = id === undefined ? undefined : await deps.findScreening(call.caller.tenant, id);
    if (row === undefined) throw notFound('decision');
    return row;
  };

  const review = async (call: Call): Promise<Answer> => {
    const { decision, analyst_id = null, notes } = call.body as ReviewRequest;
    const masked = maskNotes(notes, call.warnings);
    const { tenant } = call.caller;
    // Again only when another review or a resolution came between reading and writing.
    for (;;) {
      const row = await find(call);
      const before = await reviews.of(tenant, row.id);
      const given: ReviewRow = { decision, analyst_id, notes: masked, reviewed_at: clock() };
      const reviewed = toDecision(row, [...before, given]);
      const answer = call.answer(reviewed);
      const outcome = await backend.write([
        reviews.add(tenant, row.id, reviewed.user_id, before, given),
        ...webhooks.owe(call.caller, 'decision.reviewed', JSON.stringify(reviewed), given.reviewed_at),
        ...(await cases.resolveBy(call.caller, row.id, given)),
        ...answer.statements,
      ]);
      if (outcome.written) return answer;
    }
  };

  /** The decision as it is, but for the factors: those are computed anew. */
  const withExactFactors = (decision: Decision, row: ScreeningRow, warnings: string[]): Decision => {
    const verdict = unpackVerdict(row.verdict);
    const facts = row.facts_version === FACTS_VERSION ? unpackFacts(row.facts) : undefined;
    const subject = subjectOf(row.type, JSON.parse(row.request), row.screened_at);
    const exact = facts === undefined ? undefined : factorsExactly(verdict, deps.model, subject, facts);
    if (exact === undefined) {
      warnings.push(
        'exact factors cannot be had, since the model of this decision is not in force any more or has no trees, or its facts are laid out otherwise; these are the stored ones',
      );
      return decision;
    }
    return { ...decision, base_score: exact.baseScore, factors: explain({ ...verdict, ...exact }, subject, facts) };
  };

  return {
    get: async (call: Call): Promise<Answer> => {
      const row = await find(call);
      const decision = toDecision(row, await reviews.of(call.caller.tenant, row.id));
      const { factors } = call.query as DecisionQuery;
      return call.answer(factors === 'exact' ? withExactFactors(decision, row, call.warnings) : decision);
    },
    review,
  };
};
export type Decisions = ReturnType<typeof makeDecisions>;
