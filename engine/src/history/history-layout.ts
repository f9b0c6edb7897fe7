import type { Arena } from './arena.ts';

/**
 * The words of a history: those named here, then the related entities (`related.ts`), then the cells of its windows
 * (`windows.ts`).
 */

/**
 * The layout version of groups, histories and profiles. A change of it makes the service convert or rebuild the
 * histories on disk.
 */
export const HISTORY_LAYOUT = 4;

/** Halves: the number of related entities, and the second of the first activity. */
const RELATED = 0;
export const FIRST = 1;
export const LAST_AT = 1;
/** Halves: the number of subjects it took part in, and of payments with a known amount. */
export const ACTIONS = 4;
export const PAYMENTS = 5;
/** The running mean, sum of squared deviations and maximum of the payments in dollars. */
export const MEAN = 3;
export const M2 = 4;
export const MAXIMUM = 5;
/** Halves: the number of confirmed frauds, and the second in which the last was reported. */
export const FRAUDS = 12;
export const FRAUD_SECOND = 13;
/**
 * Halves: the number of confirmed frauds that blame the entity, with a user's disputes and the days on which they were
 * reported, and the second in which the last such fraud was reported.
 */
export const ACTOR_FRAUDS = 14;
export const ACTOR_FRAUD_SECOND = 15;
export const HISTORY_HEAD = 8;

const SECOND = 1000;
/** Histories store seconds since 1970 in 32 bits. Items from here on (February 2106) would get wrong facts. */
export const HISTORIES_END_AT = 2 ** 32 * SECOND;
export const secondOf = (moment: number): number => Math.floor(moment / SECOND);
export const wordsFor = (halves: number): number => (halves + 1) >>> 1;

export const relatedCount = ({ u32 }: Arena, at: number): number => u32[2 * at + RELATED] as number;
export const setRelatedCount = ({ u32 }: Arena, at: number, count: number): void => {
  u32[2 * at + RELATED] = count;
};
export const firstAt = ({ u32 }: Arena, at: number): number => (u32[2 * at + FIRST] as number) * SECOND;
export const actionsOf = ({ u32 }: Arena, at: number): number => u32[2 * at + ACTIONS] as number;
export const paymentsOf = ({ u32 }: Arena, at: number): number => u32[2 * at + PAYMENTS] as number;
export const fraudsOf = ({ u32 }: Arena, at: number): number => u32[2 * at + FRAUDS] as number;
/** When the last fraud was reported. */
export const fraudAt = ({ u32 }: Arena, at: number): number => (u32[2 * at + FRAUD_SECOND] as number) * SECOND;
/** When the last fraud that blames the entity was reported. */
export const actorFraudAt = ({ u32 }: Arena, at: number): number =>
  (u32[2 * at + ACTOR_FRAUD_SECOND] as number) * SECOND;

/** A counter in some bits of a half. A count that reaches the most it can hold means "this many or more", and stays. */
export interface PackedCount {
  readonly shift: number;
  readonly max: number;
}
export const ACTOR_COUNT: PackedCount = { shift: 0, max: 2 ** 20 - 1 };
export const DISPUTE_COUNT: PackedCount = { shift: 20, max: 2 ** 6 - 1 };
export const DISPUTE_DAYS: PackedCount = { shift: 26, max: 2 ** 6 - 1 };

export const readCount = ({ u32 }: Arena, half: number, { shift, max }: PackedCount): number =>
  ((u32[half] as number) >>> shift) & max;
export const incrementCount = ({ u32 }: Arena, half: number, { shift, max }: PackedCount): void => {
  const packed = u32[half] as number;
  if (((packed >>> shift) & max) !== max) u32[half] = packed + 2 ** shift;
};
export const decrementCount = ({ u32 }: Arena, half: number, { shift, max }: PackedCount): void => {
  const packed = u32[half] as number;
  const count = (packed >>> shift) & max;
  if (count !== 0 && count !== max) u32[half] = packed - 2 ** shift;
};
