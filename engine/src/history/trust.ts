/**
 * How far a user's use of an entity of the request has earned trust, from 0 to 1. Four kinds of evidence add up, each
 * leaving a part of the doubt: time since the first payment, which nobody disputed; days with a success; labels as
 * legitimate; and time alone, which earns little. Every part grows smoothly, so that waiting pays off nowhere at once.
 */

const DAY_MS = 24 * 3_600_000;
/** The share of the doubt that each kind of evidence can remove, and how fast. */
const PAID = { share: 0.9, days: 7 };
const USED = { share: 0.6, days: 6 };
const AGED = { share: 0.2, days: 14 };
/** The doubt that one label as legitimate leaves. */
const DOUBT_AFTER_LABEL = 0.3;

const doubtAfter = ({ share, days }: typeof PAID, passed: number): number =>
  passed > 0 ? 1 - share * (1 - Math.exp(-passed / days)) : 1;
const doubtAfterUse = (days: number): number => doubtAfter(USED, days - 1);
const doubtAfterLabels = (vouched: number): number => DOUBT_AFTER_LABEL ** vouched;

/** The doubt by number of days and of labels. A pair counts no further, and an exponential takes as long as the rest. */
const COUNTED = 256;
const USE_DOUBTS = Float64Array.from({ length: COUNTED }, (_, days) => doubtAfterUse(days));
const LABEL_DOUBTS = Float64Array.from({ length: COUNTED }, (_, vouched) => doubtAfterLabels(vouched));
const isCounted = (count: number): boolean => count >= 0 && count < COUNTED && Math.floor(count) === count;

/** The trust in a pair. An unknown time means that there was no success or payment. */
export const trustOf = (ageMs: number, paidMs: number, days: number, vouched: number): number =>
  1 -
  doubtAfter(AGED, ageMs / DAY_MS) *
    doubtAfter(PAID, paidMs / DAY_MS) *
    (isCounted(days) ? (USE_DOUBTS[days] as number) : doubtAfterUse(days)) *
    (isCounted(vouched) ? (LABEL_DOUBTS[vouched] as number) : doubtAfterLabels(vouched));

const STEPS = 10;
/**
 * Trust in tenths, rounded down. Models would tell the first day of trust from none at all, and one login must earn nothing.
 */
export const tenthsOf = (trust: number): number => Math.floor(trust * STEPS);
