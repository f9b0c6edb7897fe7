import type { Arena } from './arena.ts';
import { decrementCount, incrementCount, type PackedCount } from './history-layout.ts';

/**
 * A pair of a user and an entity that took part in the same subjects: what the user's trust in the entity is made of. A
 * failed attempt changes only when they were last seen together: anyone can try a password on any device.
 *
 * Halves: the id of the entity, the second they were last seen together, the second of their first success and of
 * their first payment, 0 if there was none, and the counters named here.
 */
const LAST = 1;
const FIRST_SUCCESS = 2;
const FIRST_PAYMENT = 3;
const COUNTERS = 4;
const PAYMENTS: PackedCount = { shift: 0, max: 2 ** 15 - 1 };
/** Set if no success is counted yet on the day they were last seen together. */
const DAY_OPEN = 2 ** 15;
/** The number of labels that confirmed a subject of both as legitimate. */
const VOUCHED: PackedCount = { shift: 16, max: 2 ** 8 - 1 };
/** The number of days with a success. */
const DAYS: PackedCount = { shift: 24, max: 2 ** 8 - 1 };

const SECOND = 1000;
const DAY_SECONDS = 86_400;

/** Records that user and entity were seen together, not earlier than the last time. */
export const updatePair = (arena: Arena, pair: number, second: number, isFailed: boolean, isPayment: boolean): void => {
  const { u32 } = arena;
  const today = second - (second % DAY_SECONDS);
  let counters = u32[pair + COUNTERS] as number;
  if ((u32[pair + LAST] as number) < today) counters |= DAY_OPEN;
  u32[pair + LAST] = second;
  if (!isFailed) {
    if ((counters & DAY_OPEN) !== 0) {
      counters &= ~DAY_OPEN;
      if (counters >>> DAYS.shift !== DAYS.max) counters += 2 ** DAYS.shift;
    }
    if (u32[pair + FIRST_SUCCESS] === 0) u32[pair + FIRST_SUCCESS] = second;
    if (isPayment) {
      if (u32[pair + FIRST_PAYMENT] === 0) u32[pair + FIRST_PAYMENT] = second;
      if ((counters & PAYMENTS.max) !== PAYMENTS.max) counters++;
    }
  }
  u32[pair + COUNTERS] = counters;
};

/** The earlier of two seconds, of which 0 means none. */
const earlier = (known: number, second: number): number => (known === 0 ? second : Math.min(known, second));

/**
 * Records that user and entity were seen together earlier than the last time. It counts a day only if it is before all
 * others: whether one in between is counted already is not known.
 */
export const updatePastPair = (
  arena: Arena,
  pair: number,
  second: number,
  isFailed: boolean,
  isPayment: boolean,
): void => {
  const { u32 } = arena;
  u32[pair + LAST] = Math.max(u32[pair + LAST] as number, second);
  if (isFailed) return;
  const first = u32[pair + FIRST_SUCCESS] as number;
  if (first === 0 || second < first - (first % DAY_SECONDS)) incrementCount(arena, pair + COUNTERS, DAYS);
  u32[pair + FIRST_SUCCESS] = earlier(first, second);
  if (!isPayment) return;
  u32[pair + FIRST_PAYMENT] = earlier(u32[pair + FIRST_PAYMENT] as number, second);
  incrementCount(arena, pair + COUNTERS, PAYMENTS);
};

/** Whether the entity at a position of related entities was seen at a second or later. */
export const wasSeenSince = ({ u32 }: Arena, pair: number, second: number): boolean =>
  (u32[pair + LAST] as number) >= second;

/** Writes a new pair, seen together for the first time. */
export const writePair = (
  arena: Arena,
  pair: number,
  id: number,
  second: number,
  isFailed: boolean,
  isPayment: boolean,
): void => {
  const { u32 } = arena;
  u32[pair] = id;
  u32[pair + LAST] = second;
  u32[pair + FIRST_SUCCESS] = 0;
  u32[pair + FIRST_PAYMENT] = 0;
  u32[pair + COUNTERS] = DAY_OPEN;
  updatePair(arena, pair, second, isFailed, isPayment);
};

/** Counts a label that confirms a subject of the pair as legitimate, or takes it back. */
export const vouchPair = (arena: Arena, pair: number, isTakenBack: boolean): void =>
  (isTakenBack ? decrementCount : incrementCount)(arena, pair + COUNTERS, VOUCHED);

const msSince = (first: number, second: number): number =>
  first === 0 ? Number.NaN : Math.max(0, second - first) * SECOND;

/** How long ago in milliseconds the pair had its first success, as of a second; NaN if never. */
export const pairAge = ({ u32 }: Arena, pair: number, second: number): number =>
  msSince(u32[pair + FIRST_SUCCESS] as number, second);
export const pairPaidAge = ({ u32 }: Arena, pair: number, second: number): number =>
  msSince(u32[pair + FIRST_PAYMENT] as number, second);
export const pairDays = ({ u32 }: Arena, pair: number): number => (u32[pair + COUNTERS] as number) >>> DAYS.shift;
export const pairPayments = ({ u32 }: Arena, pair: number): number => (u32[pair + COUNTERS] as number) & PAYMENTS.max;
export const pairVouched = ({ u32 }: Arena, pair: number): number =>
  ((u32[pair + COUNTERS] as number) >>> VOUCHED.shift) & VOUCHED.max;

/** Whether the pair ever had a success. */
export const hasSucceeded = ({ u32 }: Arena, pair: number): boolean => u32[pair + FIRST_SUCCESS] !== 0;

const SEEN_SECONDS = 30 * DAY_SECONDS;
/** Whether they were seen together in the last 30 days: then the numbers of distinct entities include this one. */
export const wasPairSeen = ({ u32 }: Arena, pair: number, second: number): boolean =>
  second - (u32[pair + LAST] as number) < SEEN_SECONDS;

/**
 * The halves after the id of a pair that an earlier layout stored only as seconds: a success and a payment since they were
 * first seen together, and a success on every day since then. So the customers of the time stay trusted.
 */
export const formerPair = (last: number, first: number): readonly [number, number, number, number] => {
  const days = Math.min(DAYS.max, 1 + Math.max(0, Math.floor((last - first) / DAY_SECONDS)));
  return [last, first, first, days * 2 ** DAYS.shift + days];
};
