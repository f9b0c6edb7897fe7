import { decide, type Verdict } from './decide.ts';
import { ENTITY_KINDS } from './entity.ts';
import { type Facts, makeFacts, makeFound, measure } from './facts.ts';
import { addHistory, observe } from './history.ts';
import type { Policy } from './policy.ts';
import { newShelf } from './shelf.ts';
import { makeSlab } from './slab.ts';
import type { Subject } from './subject.ts';

export interface Replayed {
  readonly subject: Subject;
  /** Reused for the next subject: copy what is to be kept. */
  readonly facts: Facts;
  readonly verdict: Verdict;
}

const FIRST_WORDS = 2 ** 14;

/** Decides a whole history anew, in its order, from nothing: what serving does, without a store. Each entity has a shelf of its own. */
export function* replay(policy: Policy, subjects: Iterable<Subject>): Generator<Replayed> {
  const slab = makeSlab(FIRST_WORDS);
  const known = ENTITY_KINDS.map(() => new Map<string, number>());
  const found = makeFound();
  const facts = makeFacts();
  for (const subject of subjects) {
    subject.entities.forEach((value, kind) => {
      found.shelf[kind] = value === undefined ? 0 : (known[kind]?.get(value) ?? 0);
    });
    measure(slab, found, subject, facts);
    yield { subject, facts, verdict: decide(policy, subject, facts) };
    subject.entities.forEach((value, kind) => {
      if (value === undefined) return;
      const shelf = found.shelf[kind] || addHistory(slab, newShelf(slab), 0, subject.at);
      known[kind]?.set(value, observe(slab, shelf, 0, kind, subject));
    });
  }
}
