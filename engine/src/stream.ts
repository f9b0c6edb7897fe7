import { ENTITY_KINDS } from './entity.ts';
import { countedAs, type Facts, makeFacts, makeFound, measure } from './facts.ts';
import { addHistory, observe } from './history.ts';
import { observeLabel, type Said } from './history-labels.ts';
import { newShelf } from './shelf.ts';
import { makeSlab } from './slab.ts';
import type { Subject } from './subject.ts';

const FIRST_WORDS = 2 ** 14;
const FIRST_PLACES = 2 ** 10;
const KINDS = ENTITY_KINDS.length;
/** Spreads numbers that follow one another, such as those of autonomous systems. */
const SPREAD = 0x9e3779b1;

/**
 * The shelf of each entity of a kind, by its hash: open addressing, at most half full. A `Map` would make an object of every hash, and a
 * backtest asks it thirty times an item.
 */
const makeIndex = () => {
  let hashes = new Float64Array(FIRST_PLACES);
  let shelves = new Uint32Array(FIRST_PLACES);
  let count = 0;
  const placeOf = (hash: number): number => {
    const mask = hashes.length - 1;
    let at = (Math.imul(hash, SPREAD) >>> 7) & mask;
    while (hashes[at] !== hash && hashes[at] !== 0) at = (at + 1) & mask;
    return at;
  };
  const grow = (): void => {
    const [before, shelvesBefore] = [hashes, shelves];
    hashes = new Float64Array(2 * before.length);
    shelves = new Uint32Array(2 * before.length);
    before.forEach((hash, i) => {
      if (hash === 0) return;
      const at = placeOf(hash);
      hashes[at] = hash;
      shelves[at] = shelvesBefore[i] as number;
    });
  };
  return {
    /** 0 for one that was never seen. */
    get: (hash: number): number => shelves[placeOf(hash)] as number,
    set: (hash: number, shelf: number): void => {
      let at = placeOf(hash);
      if (hashes[at] === 0 && ++count * 2 > hashes.length) {
        grow();
        at = placeOf(hash);
      }
      hashes[at] = hash;
      shelves[at] = shelf;
    },
  };
};

/** The histories of everyone in a stream of subjects, kept in memory: what serving keeps in a store. Each entity has a shelf of its own. */
export const makeStream = () => {
  const slab = makeSlab(FIRST_WORDS);
  const known = ENTITY_KINDS.map(makeIndex);
  const found = makeFound();
  const facts = makeFacts();
  type Index = ReturnType<typeof makeIndex>;
  return {
    /** What is known before the subject. Reused for the next: copy what is to be kept. */
    measure: (subject: Subject): Facts => {
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = subject.hashes[kind] as number;
        found.shelf[kind] = hash === 0 ? 0 : (known[kind] as Index).get(hash);
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
        const index = known[kind] as Index;
        const before = index.get(hash);
        const shelf = before === 0 ? addHistory(slab, newShelf(slab), 0, subject.at) : before;
        const after = observe(slab, shelf, 0, kind, subject, counted);
        if (after !== before) index.set(hash, after);
      }
    },
    /** Counts in what is said of a subject that was observed before, and had these hashes. */
    label: (hashes: Subject['hashes'], said: Said): void => {
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = hashes[kind] as number;
        const index = known[kind] as Index;
        const before = hash === 0 ? 0 : index.get(hash);
        if (before === 0) continue;
        const after = observeLabel(slab, before, 0, kind, said);
        if (after !== before) index.set(hash, after);
      }
    },
  };
};
