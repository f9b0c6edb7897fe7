import type { Arena } from './arena.ts';
import { ACCOUNT_FACTS, ACCOUNT_SCALARS } from './fact-layout.ts';
import type { Facts } from './facts.ts';
import { actionsOf, firstAt, M2, MEAN, PAYMENTS, paymentsOf } from './history-layout.ts';

/** The history of an account: totals of all its items, and what its payments usually are. */

/**
 * The account forgets older payments from this many on, so that its usual amount follows the business. Amounts are counted
 * by their logarithm: one payment of a million would hide every other.
 */
const ACCOUNT_PAYMENTS = 10_000;
/** Adds a payment to the mean, and to the variance where other kinds have the sum of squared deviations. */
export const addAccountAmount = ({ f64, u32 }: Arena, at: number, dollars: number): void => {
  if (!(dollars > 0)) return;
  const payments = (u32[2 * at + PAYMENTS] as number) + 1;
  const weight = 1 / Math.min(payments, ACCOUNT_PAYMENTS);
  const delta = Math.log(dollars) - (f64[at + MEAN] as number);
  u32[2 * at + PAYMENTS] = payments;
  f64[at + MEAN] = (f64[at + MEAN] as number) + weight * delta;
  f64[at + M2] = (1 - weight) * ((f64[at + M2] as number) + weight * delta * delta);
};

export const forgetAccount = (facts: Facts): void => {
  for (let i = 0; i < ACCOUNT_SCALARS.length; i++) facts[ACCOUNT_FACTS + i] = Number.NaN;
};

/** With fewer payments nothing is usual. */
const FEWEST_PAYMENTS = 20;
/** Fills in the facts of the account, whose history is at 0 if it is new. */
export const measureAccount = (arena: Arena, history: number, now: number, facts: Facts): void => {
  forgetAccount(facts);
  const payments = history === 0 ? 0 : paymentsOf(arena, history);
  facts[ACCOUNT_FACTS + 1] = history === 0 ? 0 : actionsOf(arena, history);
  facts[ACCOUNT_FACTS + 2] = payments;
  if (history !== 0) facts[ACCOUNT_FACTS] = Math.max(0, now - firstAt(arena, history));
  if (payments < FEWEST_PAYMENTS) return;
  facts[ACCOUNT_FACTS + 3] = Math.exp(arena.f64[history + MEAN] as number);
  facts[ACCOUNT_FACTS + 4] = Math.exp(Math.sqrt(arena.f64[history + M2] as number));
};
