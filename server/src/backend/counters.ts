import type { Facts, LabelEffect, Profile, Subject, Verdict } from '@portcullis/engine';
import type { StoredSubject } from './journal.ts';
import type { JournalEntry } from './journal-pages.ts';

/** An entity by its kind and the two numbers of its identity. */
export interface EntityIdentity {
  readonly kind: number;
  readonly key: number;
  readonly check: number;
}

/** A screening to be counted under the number `seq`. */
export interface CountedScreening {
  readonly tenant: number;
  readonly subject: Subject;
  readonly seq: number;
  /** Set by `decide`, which is called once the facts are gathered. */
  verdict: Verdict | undefined;
  /**
   * Set before `decide` by counters that follow the write. To be called once: with undefined when the screening is
   * stored, or with the error because of which it is not.
   */
  onEnd: ((error: unknown) => void) | undefined;
}
/** Decides gathered screenings by their facts. */
export type DecideGathered<T> = (gathered: readonly T[], facts: readonly Facts[]) => void;

/** An imported item that will be stored under the number `seq`. */
export interface PastItem {
  readonly subject: Subject;
  readonly seq: number;
  /** Called once. The facts are valid only until it returns. */
  readonly decide: (facts: Facts) => Verdict;
}
/** A label of an imported item. */
export interface PastLabel {
  readonly screening: StoredSubject;
  readonly effect: LabelEffect;
  readonly seq: number;
}
/** How a slice of an import is stored. */
export interface SliceWrites {
  /** Stores the entries, and whether they are counted. It starts its write before it returns. */
  readonly store: (isCounted: boolean) => Promise<unknown>;
  /** Stores that the entries are counted. */
  readonly confirm: () => Promise<unknown>;
}

/**
 * The histories of entities, such as users, addresses and devices, and a profile of each user. Called counters for short.
 */
export interface Counters {
  /**
   * Measures the facts known before each screening and counts it, one after the other in the order given, and adds the
   * verdicts to the profiles of the users. `decide` is called with some of the screenings at a time and their facts,
   * which are valid only until it returns. It must set the verdicts and start the writes before that. `fail` is called
   * for a screening whose facts cannot be measured; it is not counted then.
   */
  count<T extends CountedScreening>(
    screenings: readonly T[],
    decide: DecideGathered<T>,
    fail: (screening: T, error: unknown) => void,
  ): void;
  /**
   * Applies the effect of the label numbered `seq` to the histories, and writes it. A label without effect is only
   * numbered.
   */
  label<T>(
    tenant: number,
    screening: StoredSubject,
    effect: LabelEffect | undefined,
    seq: number,
    write: () => Promise<T>,
  ): Promise<T>;
  /**
   * Decides and counts imported items one after the other, each at its own time. When it rejects, some or all may be
   * stored without being counted: then `recount` must count them before anything else is imported.
   */
  countPast(tenant: number, items: readonly PastItem[], writes: SliceWrites): Promise<void>;
  labelPast(tenant: number, labels: readonly PastLabel[], writes: SliceWrites): Promise<void>;
  /** Counts stored entries of an import that may be counted already, and confirms them. */
  recount(tenant: number, entries: readonly JournalEntry[], confirm: SliceWrites['confirm']): Promise<void>;
  /** Completes entries of an import that are confirmed. Their process may have ended right after that. */
  settlePast(tenant: number, entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Deletes the histories of these users, and of other entities that nobody else was seen with. Histories that others
   * share stay. Screenings numbered above `after` count again. Returns which of the entities had a history only of
   * these users, in the order of `entities`. Resolves when the deletion is durable.
   */
  forget(
    tenant: number,
    entities: readonly EntityIdentity[],
    users: readonly EntityIdentity[],
    after: number,
  ): Promise<boolean[]>;
  /** Returns the profile of a user and fills `facts` with the user's facts at `now`. Undefined for an unknown user. */
  user(tenant: number, userId: string, now: number, facts: Facts): Profile | undefined | Promise<Profile | undefined>;
}
