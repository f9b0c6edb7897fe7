import {
  activityOf,
  addToProfile,
  entityCount,
  kindIndex,
  type LabelEffect,
  newProfile,
  observe,
  observeLabel,
  profileAt,
  readEntityGroup,
  type Subject,
  unpackOutcome,
  type Verdict,
} from '@portcullis/engine';
import { isErased } from '../erased-request.ts';
import {
  labelEffectOf,
  type RestoreSubject,
  type StoredLabel,
  type StoredScreening,
  type StoredSubject,
} from '../journal.ts';
import { findEntities, type Histories, isThere, KINDS, LOST, newGroupId } from './find-entity.ts';
import { addEmptyGroup, addGroup, addNewEntity, evict, indexOf, MAX_GROUP_ENTITIES, slotOf } from './history-cache.ts';
import type { LostEntity } from './lost-histories.ts';
import { HAS_OWN_GROUP } from './own-groups.ts';

/** Folds screenings and labels into histories and profiles. */

export const userOf = ({ entities }: Histories): number => entities[kindIndex.user] as number;
const userSlot = (histories: Histories): number => slotOf(userOf(histories));

/** An entity that is found by the id of its group does not need the index on disk. */
const markIndexed = ({ cache }: Histories, slot: number, kind: number, key: number): void => {
  if (HAS_OWN_GROUP[kind] && cache.columns.id[slot] === key) cache.columns.indexed[slot] = 1;
};

/**
 * Adds each new entity of the subject: to the user's group while it has room, else to a new group. A user's group that
 * already contains the screening gets none: the entity would miss the screening when it is folded in again.
 */
export const addNewEntities = (histories: Histories, tenant: number, subject: Subject, seq: number): void => {
  const { cache, entities } = histories;
  const { columns } = cache;
  for (let kind = 0; kind < KINDS; kind++) {
    const key = subject.hashes[kind] as number;
    if (key === 0 || entities[kind] !== 0) continue;
    const user = userSlot(histories);
    const needsGroup =
      HAS_OWN_GROUP[kind] ||
      userOf(histories) === LOST ||
      entityCount(cache.arena, columns.block[user] as number) === MAX_GROUP_ENTITIES ||
      (columns.through[user] as number) >= seq;
    const slot = needsGroup ? addEmptyGroup(cache, newGroupId(histories, key), tenant) : user;
    entities[kind] = addNewEntity(cache, slot, kind, key, subject.checks[kind] as number, subject.at);
    markIndexed(histories, slot, kind, key);
    histories.filter.add(key);
  }
};

/** Counts the subject in every history that does not contain it yet. */
export const countIn = (histories: Histories, subject: Subject, activity: number, seq: number): void => {
  const { cache, saver, entities } = histories;
  const { arena, columns } = cache;
  for (let kind = 0; kind < KINDS; kind++) {
    const entity = entities[kind] as number;
    if (!isThere(entity)) continue;
    const slot = slotOf(entity);
    if ((columns.through[slot] as number) >= seq) continue;
    columns.block[slot] = observe(arena, columns.block[slot] as number, indexOf(entity), kind, subject, activity);
    saver.markDirty(slot, seq);
  }
};

/** Adds the verdict to the profile of the user. */
export const addVerdict = (
  { cache }: Histories,
  user: number,
  subject: Subject,
  { score, decision, signals }: Pick<Verdict, 'score' | 'decision' | 'signals'>,
): void => {
  if (user === LOST) return;
  const { arena, columns } = cache;
  const slot = slotOf(user);
  let block = columns.block[slot] as number;
  if (profileAt(arena, block) === block) block = newProfile(arena, block, subject.at);
  columns.block[slot] = addToProfile(arena, block, subject, score, decision, signals);
};

/** Applies the label numbered `seq` to every history that does not contain it yet. */
export const applyEffect = (
  histories: Histories,
  tenant: number,
  subject: Subject,
  effect: LabelEffect,
  seq: number,
): void => {
  const { cache, saver, entities } = histories;
  const { arena, columns } = cache;
  findEntities(histories, tenant, subject);
  for (let kind = 0; kind < KINDS; kind++) {
    const entity = entities[kind] as number;
    if (!isThere(entity)) continue;
    const slot = slotOf(entity);
    if ((columns.through[slot] as number) >= seq) continue;
    columns.block[slot] = observeLabel(
      arena,
      columns.block[slot] as number,
      indexOf(entity),
      kind,
      subject.hashes,
      effect,
    );
    saver.markDirty(slot, seq);
  }
};

/** Applies a new label. Without an effect it is only numbered. */
export const foldLabel = (
  histories: Histories,
  restore: RestoreSubject,
  tenant: number,
  screening: StoredSubject,
  effect: LabelEffect | undefined,
  seq: number,
): void => {
  if (effect !== undefined) {
    const { subject } = restore(tenant, screening);
    applyEffect(histories, tenant, subject, effect, seq);
    if (histories.lost.count() > 0) histories.lost.miss(tenant, { seq, subject, effect });
  }
  histories.saver.counted(seq);
  evict(histories.cache);
};

/**
 * A label without its screening occurs only when all histories are rebuilt: the label is then older than any screening.
 */
export const foldStoredLabel = (histories: Histories, restore: RestoreSubject, row: StoredLabel): void => {
  const restored = row.type === null ? undefined : restore(row.tenant, row);
  const effect = restored === undefined ? undefined : labelEffectOf(row, restored);
  if (restored !== undefined && effect !== undefined)
    applyEffect(histories, row.tenant, restored.subject, effect, row.seq);
  histories.saver.counted(row.seq);
  evict(histories.cache);
};

/** Folds a stored screening into every history that does not contain it yet. */
export const foldStoredScreening = (histories: Histories, restore: RestoreSubject, row: StoredScreening): void => {
  if (isErased(row)) {
    histories.saver.counted(row.seq);
    return;
  }
  const { facts, subject } = restore(row.tenant, row);
  findEntities(histories, row.tenant, subject);
  addNewEntities(histories, row.tenant, subject, row.seq);
  if (userOf(histories) !== LOST && (histories.cache.columns.through[userSlot(histories)] as number) < row.seq)
    addVerdict(histories, userOf(histories), subject, unpackOutcome(row.verdict));
  countIn(histories, subject, activityOf(subject, facts), row.seq);
  histories.saver.counted(row.seq);
  evict(histories.cache);
};

/** Puts the rebuilt group of a lost entity into the cache, to be saved in place of the damaged row. */
export const addRebuilt = (histories: Histories, { tenant, kind, key }: LostEntity, bytes: Uint8Array): void => {
  const { cache, saver, filter } = histories;
  const isReplaced = HAS_OWN_GROUP[kind] && saver.isDamaged(key);
  const id = isReplaced ? key : newGroupId(histories, key);
  const seq = saver.newestSeq();
  const slot = addGroup(cache, id, tenant, seq, readEntityGroup(cache.arena, bytes));
  cache.columns.indexed[slot] = 0;
  markIndexed(histories, slot, kind, key);
  filter.add(key);
  saver.markDirty(slot, seq);
};
