import {
  type Arena,
  adoptHistory,
  adoptProfile,
  DISPUTE_BIT,
  entityCount,
  kindIndex,
  type MapRelated,
  observeLabel,
} from '@portcullis/engine';
import type { JournalDigest } from './journal-digest.ts';

/** An entity of a former group, with the identity it has now. */
export interface FormerHistory {
  readonly kind: number;
  readonly key: number;
  readonly check: number;
  readonly words: Float64Array;
  /** The profile, where the entity is a user. */
  readonly profile: Float64Array | undefined;
}

/** Counts the frauds that blame the last entity of a group. */
const blame = (arena: Arena, before: number, kind: number, frauds: ReturnType<JournalDigest['blamed']>): number => {
  const index = entityCount(arena, before) - 1;
  let group = before;
  for (const { at, isDispute } of frauds) {
    const actors = (1 << kind) | (isDispute ? DISPUTE_BIT : 0);
    // The fraud itself is counted already: only whom it blames is new.
    group = observeLabel(arena, group, index, kind, [], { fraud: true, at, actors, insteadOf: { fraud: true, at } });
  }
  return group;
};

/**
 * Adds a former history to a group, completed by what the journal knows. Returns the new position of the group; 0 if the
 * words cannot be a history.
 */
export const adoptFormer = (
  arena: Arena,
  group: number,
  digest: JournalDigest,
  tenant: number,
  { kind, key, check, words, profile }: FormerHistory,
  mapRelated: MapRelated,
): number => {
  const isUser = kind === kindIndex.user;
  const added = isUser ? digest.pairs(tenant, key) : [];
  const adopted = adoptHistory(arena, group, kind, key, check, words, mapRelated, added);
  if (adopted === 0) return 0;
  const blamed = blame(arena, adopted, kind, digest.blamed(tenant, key, check));
  return isUser && profile !== undefined ? adoptProfile(arena, blamed, profile) : blamed;
};
