import { type Decision, type DecisionQuery, type ReviewRequest, writeTimestamp } from '@portcullis/contract';
import {
  areReadable,
  explain,
  factorsAnew,
  knowledgeIn,
  type Model,
  OTHER_FEATURES,
  subjectOf,
  unavailableIn,
  unpackFacts,
  unpackVerdict,
  type Verdict,
} from '@portcullis/engine';
import type { Cases } from '../cases/cases.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../ids.ts';
import type { Labels } from '../labels/labels.ts';
import { maskNotes } from '../mask.ts';
import { labelOf, type ReviewRow, type Reviews } from '../reviews/reviews.ts';
import type { FindScreening, ScreeningRow } from '../screening/screen.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

type FactorsWanted = NonNullable<DecisionQuery['factors']>;

/** Nothing is told of single features where the model said little: that is made up for when somebody reads it. */
const isTold = ({ factors }: Verdict): boolean =>
  factors.some(({ of, name }) => of === 'feature' && name !== OTHER_FEATURES);

const toDecision = (
  row: ScreeningRow,
  reviews: readonly ReviewRow[],
  model: Model | undefined,
  wanted: FactorsWanted = 'stored',
  warnings: string[] = [],
): Decision => {
  const facts = areReadable(row.facts_version) ? unpackFacts(row.facts) : undefined;
  const known = facts === undefined ? undefined : knowledgeIn(facts);
  const subject = subjectOf(row.type, JSON.parse(row.request), row.screened_at, known);
  const stored = unpackVerdict(row.verdict);
  const isExact = wanted === 'exact';
  const anew =
    facts === undefined || model === undefined || (isTold(stored) && !isExact)
      ? undefined
      : factorsAnew(stored, model, subject, facts, isExact);
  if (isExact && anew === undefined)
    warnings.push(
      'exact factors cannot be had, since the model of this decision is not kept any more or has no trees, or its facts are laid out otherwise; these are the stored ones',
    );
  const verdict = { ...stored, ...anew };
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
    unavailable: facts === undefined ? [] : unavailableIn(subject.hashes, facts),
    case_id: verdict.decision === 'review' ? withPrefix('case', row.id) : null,
    reviews: reviews.map(({ reviewed_at, ...review }) => ({ ...review, reviewed_at: writeTimestamp(reviewed_at) })),
    decided_at: writeTimestamp(row.screened_at),
  };
};

export const makeDecisions = (deps: {
  findScreening: FindScreening;
  reviews: Reviews;
  labels: Labels;
  cases: Cases;
  webhooks: Webhooks;
  /** The model that a decision of the account was made with, if it is kept. */
  modelOf: (account: string, version: string) => Promise<Model | undefined>;
  clock: () => number;
}) => {
  const { reviews, labels, cases, webhooks, clock } = deps;

  const decisionId = (call: Call): string => {
    const id = idOf('decision', call.params.decision_id as string);
    if (id === undefined) throw notFound('decision');
    return id;
  };

  const modelOf = async (call: Call, { verdict }: ScreeningRow): Promise<Model | undefined> => {
    const { modelVersion } = unpackVerdict(verdict);
    return modelVersion === null ? undefined : deps.modelOf(call.caller.account, modelVersion);
  };

  const review = async (call: Call): Promise<Answer> => {
    const { decision, analyst_id = null, notes } = call.body as ReviewRequest;
    const masked = maskNotes(notes, call.warnings);
    const { tenant } = call.caller;
    const id = decisionId(call);
    return labels.inTurn(tenant, id, async () => {
      const item = await labels.find(tenant, id);
      if (item === undefined) throw notFound('decision');
      const before = await reviews.of(tenant, id);
      const given: ReviewRow = { decision, analyst_id, notes: masked, reviewed_at: clock() };
      const reviewed = toDecision(item.screening, [...before, given], await modelOf(call, item.screening));
      const message = webhooks.owe(call.caller, 'decision.reviewed', JSON.stringify(reviewed), given.reviewed_at);
      const resolving = await cases.resolveBy(call.caller, id, given);
      const answer = call.answer(reviewed);
      await labels.writeWith(call.caller, item, labelOf(given, 'review'), [
        reviews.add(tenant, id, reviewed.user_id, before, given),
        ...message,
        ...resolving,
        ...answer.statements,
      ]);
      webhooks.send(call.caller);
      return answer;
    });
  };

  return {
    get: async (call: Call): Promise<Answer> => {
      const row = await deps.findScreening(call.caller.tenant, decisionId(call));
      if (row === undefined) throw notFound('decision');
      const { factors } = call.query as DecisionQuery;
      const given = await reviews.of(call.caller.tenant, row.id);
      return call.answer(toDecision(row, given, await modelOf(call, row), factors, call.warnings));
    },
    review,
  };
};
export type Decisions = ReturnType<typeof makeDecisions>;
