import { decide, type Verdict } from './decide.ts';
import type { Facts } from './facts.ts';
import type { Said } from './history-labels.ts';
import type { Policy } from './policy.ts';
import { makeStream } from './stream.ts';
import type { Subject } from './subject.ts';

export interface Replayed {
  readonly subject: Subject;
  /** Reused for the next subject: copy what is to be kept. */
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** What was said of an earlier subject of the history, which had these hashes. */
export interface Labelled extends Said {
  readonly type: 'label';
  readonly hashes: Subject['hashes'];
}

/** Decides a whole history anew, in its order, from nothing: what serving does, without a store. */
export function* replay(policy: Policy, history: Iterable<Subject | Labelled>): Generator<Replayed> {
  const stream = makeStream();
  for (const step of history) {
    if (step.type === 'label') {
      stream.label(step.hashes, step);
      continue;
    }
    const facts = stream.measure(step);
    yield { subject: step, facts, verdict: decide(policy, step, facts) };
    stream.observe(step);
  }
}
