import type { Theme } from '@portcullis/contract';
import { FACT_NAMES, type Facts } from '../history/facts.ts';
import type { RelatedKind } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';

/** What a feature says about one subject. */
export interface Description {
  /** A sentence with the numbers, for a fraud analyst. */
  readonly text: string;
  /** The same in a few words, for the summary of a decision. Undefined where it is not worth saying aloud. */
  readonly brief?: string | undefined;
  /** 1 if it speaks against the user, -1 if it speaks for them, 0 or undefined if it can be either. */
  readonly side?: number;
  /** Replace those of the phrase. */
  readonly topic?: string;
  readonly theme?: Theme;
}

export interface Evidence {
  readonly facts: Facts;
  readonly subject: Subject;
}

export interface Phrase {
  readonly theme: Theme;
  /** Features of one topic are one reason: of six about the same amount, only the strongest is listed. */
  readonly topic: string;
  /** Names the value, for a page of reference. */
  readonly meaning: string;
  /** The entities that the feature is about. If the request lacks one of them, the text says so instead. */
  readonly of: readonly RelatedKind[];
  /** Whether the phrase has its own words for an entity that was never seen before. */
  readonly describesFirst?: boolean;
  /** Undefined if nothing is known. The value is NaN if it is unknown. */
  readonly describe: (value: number, evidence: Evidence) => Description | undefined;
}
/** Makes the phrase of features whose names match a pattern, from the matched parts. */
export type PhrasePattern = readonly [pattern: RegExp, phrase: (...parts: string[]) => Phrase];

/** A function that reads a fact. A fact that this version does not have is unknown. */
export const factReader = (name: string): ((facts: Facts) => number) => {
  const at = FACT_NAMES.indexOf(name);
  return at < 0 ? () => Number.NaN : (facts) => facts[at] as number;
};

/** Describes only known values. */
export const ifKnown =
  (describe: Phrase['describe']): Phrase['describe'] =>
  (value, evidence) =>
    Number.isNaN(value) ? undefined : describe(value, evidence);
