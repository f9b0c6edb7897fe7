import type { Facts, Profile, Said, Subject, Verdict } from '@portcullis/engine';
import type { StoredSubject } from './stored-history.ts';

/** What is decided of a subject, and the write that makes it durable. */
export interface Decided {
  readonly verdict: Verdict;
  readonly stored: Promise<unknown>;
}

/** What is known of users, addresses, devices and the rest: histories, and a profile of each user. */
export interface Counters {
  /**
   * Hands over what was known before the subject, counts the subject in as the screening numbered `seq`, and adds the verdict to its user's
   * profile. `decide` is called once and must have handed over its write when it returns. The facts are the caller's only until then.
   */
  count<T extends Decided>(tenant: number, subject: Subject, seq: number, decide: (facts: Facts) => T): T | Promise<T>;
  /** Counts in, as the label numbered `seq`, what is said of a screening, and writes it. Nothing said changes nothing but must be numbered. */
  label<T>(tenant: number, of: StoredSubject, said: Said | undefined, seq: number, write: () => Promise<T>): Promise<T>;
  /** What is told of a user; fills `facts` with what is known of them at a moment. Undefined when they were never seen. */
  user(tenant: number, userId: string, now: number, facts: Facts): Profile | undefined | Promise<Profile | undefined>;
}
