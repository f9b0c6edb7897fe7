import { ENTITY_KINDS } from './entity.ts';
import { type Facts, makeFacts, makeFound, measure } from './facts.ts';
import { addHistory, observe, observeLabel } from './history.ts';
import { newShelf } from './shelf.ts';
import { makeSlab } from './slab.ts';
import type { Subject } from './subject.ts';

const FIRST_WORDS = 2 ** 14;

/** The histories of everyone in a stream of subjects, kept in memory: what serving keeps in a store. Each entity has a shelf of its own. */
export const makeStream = () => {
  const slab = makeSlab(FIRST_WORDS);
  const known = ENTITY_KINDS.map(() => new Map<string, number>());
  const found = makeFound();
  const facts = makeFacts();
  return {
    /** What is known before the subject. Reused for the next: copy what is to be kept. */
    measure: (subject: Subject): Facts => {
      subject.entities.forEach((value, kind) => {
        found.shelf[kind] = value === undefined ? 0 : (known[kind]?.get(value) ?? 0);
      });
      measure(slab, found, subject, facts);
      return facts;
    },
    /** Counts the subject in. */
    observe: (subject: Subject): void => {
      subject.entities.forEach((value, kind) => {
        if (value === undefined) return;
        const shelf = known[kind]?.get(value) ?? addHistory(slab, newShelf(slab), 0, subject.at);
        known[kind]?.set(value, observe(slab, shelf, 0, kind, subject));
      });
    },
    /** Counts in what became known at `moment` of a subject that was observed before. */
    label: (subject: Subject, fraud: boolean, moment: number): void => {
      subject.entities.forEach((value, kind) => {
        const shelf = value === undefined ? undefined : known[kind]?.get(value);
        if (value === undefined || shelf === undefined) return;
        known[kind]?.set(value, observeLabel(slab, shelf, 0, kind, fraud, moment));
      });
    },
  };
};
