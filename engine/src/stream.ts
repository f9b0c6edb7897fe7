import { ENTITY_KINDS } from './entity.ts';
import { countedAs, type Facts, makeFacts, makeFound, measure } from './facts.ts';
import { addHistory, observe, observeLabel } from './history.ts';
import { newShelf } from './shelf.ts';
import { makeSlab } from './slab.ts';
import type { Subject } from './subject.ts';

const FIRST_WORDS = 2 ** 14;
const KINDS = ENTITY_KINDS.length;

/** The histories of everyone in a stream of subjects, kept in memory: what serving keeps in a store. Each entity has a shelf of its own. */
export const makeStream = () => {
  const slab = makeSlab(FIRST_WORDS);
  const known = ENTITY_KINDS.map(() => new Map<number, number>());
  const found = makeFound();
  const facts = makeFacts();
  return {
    /** What is known before the subject. Reused for the next: copy what is to be kept. */
    measure: (subject: Subject): Facts => {
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = subject.hashes[kind] as number;
        found.shelf[kind] = hash === 0 ? 0 : (known[kind]?.get(hash) ?? 0);
      }
      measure(slab, found, subject, facts);
      return facts;
    },
    /** Counts the subject in, which must be the one measured last. */
    observe: (subject: Subject): void => {
      const counted = countedAs(subject, facts);
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = subject.hashes[kind] as number;
        if (hash === 0) continue;
        const shelf = known[kind]?.get(hash) ?? addHistory(slab, newShelf(slab), 0, subject.at);
        known[kind]?.set(hash, observe(slab, shelf, 0, kind, subject, counted));
      }
    },
    /** Counts in what became known at `moment` of a subject that was observed before, and had these hashes. */
    label: (hashes: Subject['hashes'], fraud: boolean, moment: number): void => {
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = hashes[kind] as number;
        const shelf = hash === 0 ? undefined : known[kind]?.get(hash);
        if (shelf !== undefined) known[kind]?.set(hash, observeLabel(slab, shelf, 0, kind, fraud, moment));
      }
    },
  };
};
