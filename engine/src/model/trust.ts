import { type Facts, fact } from '../history/facts.ts';
import { kindIndex, RELATIONS } from '../subject/entity.ts';
import type { DerivedFeature } from './derived-feature.ts';

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

const USER_ACTIONS = fact('user.actions');

const trustFeature = (other: (typeof RELATIONS.user)[number]): DerivedFeature => {
  const [age, paid] = [fact(`user.this_${other}_age_ms`), fact(`user.this_${other}_paid_ms`)];
  const [days, vouched] = [fact(`user.this_${other}_days`), fact(`user.this_${other}_vouched`)];
  const at = (facts: Facts, position: number): number => facts[position] as number;
  return {
    name: `user.trust_${other}`,
    of: (facts, { hashes }) => {
      if (hashes[kindIndex[other]] === 0 || Number.isNaN(at(facts, USER_ACTIONS))) return Number.NaN;
      // Before version 5 of the facts, only the first time they were seen together is known.
      if (Number.isNaN(at(facts, days))) return trustOf(at(facts, age), at(facts, age), 0, 0);
      return trustOf(at(facts, age), at(facts, paid), at(facts, days), at(facts, vouched));
    },
  };
};

/** The trust of the user in each entity of the request. */
export const TRUST_FEATURES: readonly DerivedFeature[] = RELATIONS.user.map(trustFeature);
