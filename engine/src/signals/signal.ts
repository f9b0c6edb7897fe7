import type { Theme } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';

/**
 * A named pattern that makes a subject suspicious. The facts exclude the subject itself, so "a fifth payment" reads
 * `>= 4`. An unknown fact is NaN, which makes every comparison false, so a missing field raises no signal.
 */
export interface Signal {
  readonly name: string;
  /** When the signal is active. Shown in the documentation, and as the reason of a decision without stored facts. */
  readonly meaning: string;
  readonly on: 'transaction' | 'event' | 'both';
  readonly theme: Theme;
  /**
   * Feature topics that this signal covers. Their contributions are added to the signal's, so that each cause appears
   * once.
   */
  readonly topics: readonly string[];
  readonly active: (facts: Facts, subject: Subject) => boolean;
  /**
   * How strongly the pattern holds, from 0 to 1. Models use it instead of `active`, so that no score jumps when a doubt has
   * faded enough for the signal to end.
   */
  readonly grade?: (facts: Facts, subject: Subject) => number;
  /**
   * The weight in log-odds that training starts from, for a signal that few histories have: simulated callers send no device
   * tokens, and no list of Tor exits is shipped. Items with the signal correct it.
   */
  readonly assumedWeight?: number;
  /** The reason that an analyst reads, with the numbers of this subject. */
  readonly describe: (facts: Facts, subject: Subject) => string;
  /** The same in a few words, for the summary of a decision. */
  readonly brief: (facts: Facts, subject: Subject) => string;
}
