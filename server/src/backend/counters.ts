import type { Facts, LabelEffect, Profile, Subject, Verdict } from '@portcullis/engine';
import type { StoredSubject } from './journal.ts';

/** A verdict, and the write that stores it. */
export interface PendingDecision {
  readonly verdict: Verdict;
  readonly stored: Promise<unknown>;
}

/** Histories of users, addresses, devices and other entities, and a profile of each user. */
export interface Counters {
  /**
   * Measures the facts known before the subject, counts the subject as the screening numbered `seq`, and adds the
   * verdict to the profile of its user. `decide` is called once and must start its write before it returns. The facts
   * are valid only until then.
   */
  count<T extends PendingDecision>(
    tenant: number,
    subject: Subject,
    seq: number,
    decide: (facts: Facts) => T,
  ): T | Promise<T>;
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
  /** Returns the profile of a user and fills `facts` with the user's facts at `now`. Undefined for an unknown user. */
  user(tenant: number, userId: string, now: number, facts: Facts): Profile | undefined | Promise<Profile | undefined>;
}
