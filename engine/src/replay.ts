import { decide, type Verdict } from './decide.ts';
import { ENTITY_KINDS } from './entity.ts';
import { type Facts, makeFacts, measure } from './facts.ts';
import { type History, newHistory, observe } from './history.ts';
import type { Policy } from './policy.ts';
import type { Subject } from './subject.ts';

export interface Replayed {
  readonly subject: Subject;
  /** Reused for the next subject: copy what is to be kept. */
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** Decides a whole history anew, in its order, from nothing: what serving does, without a store. */
export function* replay(policy: Policy, subjects: Iterable<Subject>): Generator<Replayed> {
  const known = ENTITY_KINDS.map(() => new Map<string, History>());
  const facts = makeFacts();
  for (const subject of subjects) {
    const histories = subject.entities.map((value, kind) =>
      value === undefined ? undefined : known[kind]?.get(value),
    );
    measure(subject, histories, facts);
    yield { subject, facts, verdict: decide(policy, subject, facts) };
    subject.entities.forEach((value, kind) => {
      if (value === undefined || histories[kind] !== undefined) return;
      histories[kind] = newHistory(subject.at);
      known[kind]?.set(value, histories[kind]);
    });
    observe(subject, histories);
  }
}
