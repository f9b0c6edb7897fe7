import { ACTIVITIES, type Activity } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { M2, MAXIMUM, MEAN, PAYMENTS } from './history-layout.ts';

/** The payments of a history. */

/** Adds a payment to the running mean, the sum of squared deviations and the maximum. */
export const addAmount = ({ f64, u32 }: Arena, at: number, amount: number): void => {
  const payments = (u32[2 * at + PAYMENTS] as number) + 1;
  const delta = amount - (f64[at + MEAN] as number);
  const mean = (f64[at + MEAN] as number) + delta / payments;
  u32[2 * at + PAYMENTS] = payments;
  f64[at + MEAN] = mean;
  f64[at + M2] = (f64[at + M2] as number) + delta * (amount - mean);
  if (amount > (f64[at + MAXIMUM] as number)) f64[at + MAXIMUM] = amount;
};

const PAYMENT_ACTIVITIES: readonly Activity[] = ['transactions', 'small_transactions', 'large_transactions'];
export const IS_PAYMENT = Uint8Array.from(ACTIVITIES, (activity) => Number(PAYMENT_ACTIVITIES.includes(activity)));
