import type { PolicyProposal, ThresholdProposal, TransactionRequest } from '@portcullis/contract';
import { inDollars, type SubjectType, writeTimestamp } from '@portcullis/contract/values';
import {
  type Budget,
  DEFAULT_BUDGET,
  MIN_BUDGET_ITEMS,
  per10k,
  SCORES,
  sumsFrom,
  type Thresholds,
  thresholdsWithin,
} from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { countScores, fraudsFrom, type ScoreCount, type ScoreLimits } from '../backend/journal-scores.ts';
import { firstSeqAt } from '../runtime/ids.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';

type Effect = ThresholdProposal['current'];
export interface ByType<T> {
  readonly transaction: T;
  readonly event: T;
}

const DAY_MS = 24 * 3_600_000;
const TOO_FEW = 'Fewer than 1,000 decisions that are not known fraud: too few to propose thresholds.';
const NONE_WITHIN =
  'No thresholds stay within the budget: too many items that are not known fraud have the highest scores.';
/** Bounds the time of one request to a few seconds. */
const LIMITS: ScoreLimits = { page: 10_000, read: 1_000_000, counted: 200_000 };

/** Decisions of one type by score. */
interface Tally {
  readonly legitimate: Float64Array;
  readonly unlabelled: Float64Array;
  readonly fraud: Float64Array;
  readonly fraudDollars: Float64Array;
  /** Whatever their score. */
  forced: number;
}
const makeTally = (): Tally => ({
  legitimate: new Float64Array(SCORES),
  unlabelled: new Float64Array(SCORES),
  fraud: new Float64Array(SCORES),
  fraudDollars: new Float64Array(SCORES),
  forced: 0,
});

const hundredths = (value: number): number => Math.round(value * 100) / 100;
const rate = (part: number, whole: number): number | null => {
  const value = per10k(part, whole);
  return value === null ? null : hundredths(value);
};

const proposalOf = (tally: Tally, thresholds: Thresholds, ownBudget: Budget | null): ThresholdProposal => {
  const notFraud = tally.legitimate.map((items, score) => items + (tally.unlabelled[score] as number));
  const [held, fraud, dollars] = [sumsFrom(notFraud), sumsFrom(tally.fraud), sumsFrom(tally.fraudDollars)];
  const all = held[0] as number;
  const at = (sums: Float64Array, score: number): number => sums[score] as number;
  const effectOf = ({ review, block }: Thresholds): Effect => ({
    thresholds: { review, block },
    reviewed_per_10k: rate(at(held, review), all),
    blocked_per_10k: rate(at(held, block), all),
    fraud_reviewed: at(fraud, review),
    fraud_blocked: at(fraud, block),
  });
  const budget = ownBudget ?? DEFAULT_BUDGET;
  const proposed = all < MIN_BUDGET_ITEMS ? undefined : thresholdsWithin(notFraud, budget);
  return {
    items: {
      legitimate: at(sumsFrom(tally.legitimate), 0),
      fraud: at(fraud, 0),
      unlabelled: at(sumsFrom(tally.unlabelled), 0),
      forced: tally.forced,
    },
    budget,
    is_default_budget: ownBudget === null,
    current: effectOf(thresholds),
    proposed: proposed === undefined ? null : effectOf(proposed),
    message: proposed !== undefined ? null : all < MIN_BUDGET_ITEMS ? TOO_FEW : NONE_WITHIN,
    trade_off: Array.from({ length: SCORES - 1 }, (_, i) => ({
      threshold: i + 1,
      legitimate: at(held, i + 1),
      legitimate_per_10k: rate(at(held, i + 1), all),
      fraud: at(fraud, i + 1),
      fraud_dollars: hundredths(at(dollars, i + 1)),
    })),
  };
};

const addCounts = (tallies: ByType<Tally>, counts: readonly ScoreCount[]): void => {
  for (const { type, score, isForced, label, items } of counts)
    if (isForced) tallies[type].forced += items;
    else (tallies[type][label ?? 'unlabelled'][score] as number) += items;
};

const addDollars = async (
  tallies: ByType<Tally>,
  backend: Pick<Backend, 'readLong'>,
  tenant: number,
  from: number,
): Promise<void> => {
  for await (const frauds of fraudsFrom(backend, tenant, from))
    for (const { type, score, isForced, request } of frauds) {
      if (type !== 'transaction' || isForced) continue;
      const { amount, currency } = JSON.parse(request) as TransactionRequest;
      const dollars = inDollars(amount, currency);
      if (!Number.isNaN(dollars)) (tallies[type].fraudDollars[score] as number) += dollars;
    }
};

/** Decisions of a tenant by score, and the time they are from. */
interface Counted {
  readonly tallies: ByType<Tally>;
  readonly from: number;
  readonly until: number;
}

const count = async (
  backend: Pick<Backend, 'readLong'>,
  tenant: number,
  days: number,
  until: number,
): Promise<Counted> => {
  const start = until - days * DAY_MS;
  const { counts, oldest, isPartial } = await countScores(backend, tenant, firstSeqAt(start), LIMITS);
  const tallies = { transaction: makeTally(), event: makeTally() };
  addCounts(tallies, counts);
  const reached = isPartial ? oldest : undefined;
  await addDollars(tallies, backend, tenant, reached?.seq ?? firstSeqAt(start));
  return { tallies, from: Math.max(start, reached?.at ?? start), until };
};

/**
 * Makes the function that proposes thresholds for a tenant from the decisions of the last `days` days. Counting reads up to a
 * million rows: a tenant counts once at a time, and equal requests share a count that has not ended.
 */
export const makeProposals = (backend: Pick<Backend, 'readLong'>, clock: () => number) => {
  const inTurn = serializeByKey<number>();
  const counting = new Map<string, Promise<Counted>>();
  const countOnce = (tenant: number, days: number): Promise<Counted> => {
    const name = `${tenant} ${days}`;
    let counted = counting.get(name);
    if (counted === undefined) {
      counted = inTurn(tenant, () => count(backend, tenant, days, clock())).finally(() => counting.delete(name));
      counting.set(name, counted);
    }
    return counted;
  };
  return async (
    tenant: number,
    days: number,
    policy: { readonly thresholds: ByType<Thresholds>; readonly budget: ByType<Budget | null> },
  ): Promise<PolicyProposal> => {
    const { tallies, from, until } = await countOnce(tenant, days);
    const of = (type: SubjectType): ThresholdProposal =>
      proposalOf(tallies[type], policy.thresholds[type], policy.budget[type]);
    return {
      from: writeTimestamp(from),
      until: writeTimestamp(until),
      transaction: of('transaction'),
      event: of('event'),
    };
  };
};
