import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';

/** A feature computed from several facts, or from the request. */
export interface DerivedFeature {
  readonly name: string;
  readonly of: (facts: Facts, subject: Subject) => number;
}
