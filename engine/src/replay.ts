import { decide } from './decide/decide.ts';
import type { Policy } from './decide/policy.ts';
import type { Verdict } from './decide/verdict.ts';
import type { Facts } from './history/facts.ts';
import { makeInMemoryHistory } from './history/in-memory.ts';
import type { LabelEffect } from './history/labels.ts';
import type { Subject } from './subject/subject.ts';

export interface ReplayStep {
  readonly subject: Subject;
  /** Reused for the next subject: copy it to keep it. */
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** A label of an earlier subject, found by its hashes. */
export interface StreamLabel extends LabelEffect {
  readonly type: 'label';
  readonly hashes: Subject['hashes'];
}

/** Decides a sequence of subjects in order, starting with empty histories, as the service does but without a store. */
export function* replay(policy: Policy, steps: Iterable<Subject | StreamLabel>): Generator<ReplayStep> {
  const history = makeInMemoryHistory();
  for (const step of steps) {
    if (step.type === 'label') {
      history.label(step.hashes, step);
      continue;
    }
    const facts = history.measure(step);
    yield { subject: step, facts, verdict: decide(policy, step, facts) };
    history.observe(step);
  }
}
