import { type HashIndex, makeHashIndex } from '../hash-index.ts';
import { ENTITY_KINDS } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { makeArena } from './arena.ts';
import { newEntityGroup } from './entity-group.ts';
import { activityOf, type Facts, makeFacts } from './facts.ts';
import { addHistory, observe } from './history.ts';
import { type LabelEffect, observeLabel } from './labels.ts';
import { makeHistoryLocations } from './locations.ts';
import { measure } from './measure.ts';

const FIRST_WORDS = 2 ** 14;
const KINDS = ENTITY_KINDS.length;

/**
 * The histories of all entities in a sequence of subjects, in memory instead of a store. Each entity has its own
 * group.
 */
export const makeInMemoryHistory = () => {
  const arena = makeArena(FIRST_WORDS);
  const indexes = ENTITY_KINDS.map(() => makeHashIndex());
  const locations = makeHistoryLocations();
  const reused = makeFacts();
  return {
    /** Fills in the facts before the subject. Without `facts`, it returns an array that is reused for the next subject. */
    measure: (subject: Subject, facts: Facts = reused): Facts => {
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = subject.hashes[kind] as number;
        locations.group[kind] = hash === 0 ? 0 : (indexes[kind] as HashIndex).get(hash);
      }
      measure(arena, locations, subject, facts);
      return facts;
    },
    /** Adds the subject to the histories. It must be the subject measured last, and `facts` the array filled in then. */
    observe: (subject: Subject, facts: Facts = reused): void => {
      const activity = activityOf(subject, facts);
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = subject.hashes[kind] as number;
        if (hash === 0) continue;
        const index = indexes[kind] as HashIndex;
        const before = index.get(hash);
        const group = before === 0 ? addHistory(arena, newEntityGroup(arena), kind, hash, 0, subject.at) : before;
        const after = observe(arena, group, 0, kind, subject, activity);
        if (after !== before) index.set(hash, after);
      }
    },
    /** Adds a label to the histories of a subject that was observed before, found by its hashes. */
    label: (hashes: Subject['hashes'], effect: LabelEffect): void => {
      for (let kind = 0; kind < KINDS; kind++) {
        const hash = hashes[kind] as number;
        const index = indexes[kind] as HashIndex;
        const before = hash === 0 ? 0 : index.get(hash);
        if (before === 0) continue;
        const after = observeLabel(arena, before, 0, kind, hashes, effect);
        if (after !== before) index.set(hash, after);
      }
    },
  };
};
