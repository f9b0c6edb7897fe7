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

/** The trust in a pair. An unknown time means that there was no success or payment. */
export const trustOf = (ageMs: number, paidMs: number, days: number, vouched: number): number =>
  1 -
  doubtAfter(AGED, ageMs / DAY_MS) *
    doubtAfter(PAID, paidMs / DAY_MS) *
    doubtAfter(USED, days - 1) *
    DOUBT_AFTER_LABEL ** vouched;

const STEPS = 10;
/**
 * Trust in tenths, rounded down. Models would tell the first day of trust from none at all, and one login must earn nothing.
 */
export const tenthsOf = (trust: number): number => Math.floor(trust * STEPS);
