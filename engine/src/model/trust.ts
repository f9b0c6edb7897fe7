import { type Facts, fact } from '../history/facts.ts';
import { tenthsOf, trustOf } from '../history/trust.ts';
import { kindIndex, RELATIONS } from '../subject/entity.ts';
import type { DerivedFeature } from './derived-feature.ts';

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
      if (Number.isNaN(at(facts, days))) return tenthsOf(trustOf(at(facts, age), at(facts, age), 0, 0)) / 10;
      return tenthsOf(trustOf(at(facts, age), at(facts, paid), at(facts, days), at(facts, vouched))) / 10;
    },
  };
};

/** The trust of the user in each entity of the request. */
export const TRUST_FEATURES: readonly DerivedFeature[] = RELATIONS.user.map(trustFeature);
