import { decide, type Verdict } from './decide.ts';
import type { Facts } from './facts.ts';
import type { Policy } from './policy.ts';
import { makeStream } from './stream.ts';
import type { Subject } from './subject.ts';

export interface Replayed {
  readonly subject: Subject;
  /** Reused for the next subject: copy what is to be kept. */
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** Decides a whole history anew, in its order, from nothing: what serving does, without a store. */
export function* replay(policy: Policy, subjects: Iterable<Subject>): Generator<Replayed> {
  const stream = makeStream();
  for (const subject of subjects) {
    const facts = stream.measure(subject);
    yield { subject, facts, verdict: decide(policy, subject, facts) };
    stream.observe(subject);
  }
}
