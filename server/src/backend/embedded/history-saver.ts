import type { Worker } from 'node:worker_threads';
import { entityCount } from '@portcullis/engine';
import { makeForgotten } from './forgotten.ts';
import type { HistoryCache } from './history-cache.ts';
import type { HousekeeperAnswer, HousekeeperMessage, SaveResult } from './housekeeper-thread.ts';
import { packGroups } from './pack-groups.ts';
import { markDirty, QUEUE_STEP, requeue, requeuePacked, type SaverState, skipStale } from './save-queue.ts';

/**
 * How many screenings a group on disk may lag behind. After a crash the journal brings it up to date. A larger number
 * means fewer writes of busy groups, more memory that cannot be evicted, and a longer start: 8,192 take half a second.
 */
const MAX_SCREENINGS_BEHIND = 8192;
/**
 * Groups saved together share the write of a page. A larger save would delay the next commit of screenings for longer.
 */
const SCREENINGS_PER_SAVE = 1024;
const IDLE_GROUPS = 1024;
const NO_WORDS = new Float64Array(0);
/** Packs up to `max` dirty groups, oldest first, that became dirty before `before` screenings were counted. */
const pack = (state: SaverState, before: number, max: number): void => {
  const { cache } = state;
  const { columns } = cache;
  state.packedSlots = [];
  state.packedIndexed = [];
  const take = (slot: number): void => {
    state.packedSlots.push(slot);
    state.packedIndexed.push(columns.indexed[slot] as number);
    columns.savingSince[slot] = columns.dirtySince[slot] as number;
    columns.dirtySince[slot] = 0;
  };
  const forget = state.forgotten.begin();
  for (const slot of forget?.replacements ?? []) take(slot);
  for (
    skipStale(state);
    state.head < state.queue.length && (state.queue[state.head + 2] as number) < before;
    skipStale(state)
  ) {
    if (state.packedSlots.length >= max) break;
    take(state.queue[state.head] as number);
  }
  if (state.packedSlots.length === 0 && forget === undefined) return;
  const words = packGroups(cache, state.packedSlots, state.damaged, state.spare);
  state.spare = NO_WORDS;
  for (const slot of state.packedSlots) {
    columns.indexed[slot] = entityCount(cache.arena, columns.block[slot] as number);
    columns.through[slot] = state.newestSeq;
  }
  const saved = state.head < state.queue.length ? (state.queue[state.head + 1] as number) - 1 : state.newestSeq;
  const completeThrough = Math.min(saved, ...state.heldBack);
  state.packed = { count: state.packedSlots.length, through: state.newestSeq, completeThrough, words, forget };
};

const send = (state: SaverState): void => {
  const { packed } = state;
  if (packed === undefined) return;
  state.isSaving = true;
  state.thread.postMessage(packed satisfies HousekeeperMessage, [packed.words.buffer]);
  state.packed = undefined;
};

const resolveWaiters = (state: SaverState): void => {
  const { waiters } = state;
  state.waiters = [];
  for (const resolve of waiters) resolve();
};

/**
 * Gives another id to groups whose id belongs to another entity on disk, and saves them again. Ids are chosen so that
 * this does not happen; without it, one such group would fail every later save or replace the other entity's.
 */
const renumber = ({ cache, packedSlots }: SaverState, refused: readonly number[], hooks: SaverHooks): number[] => {
  const { columns } = cache;
  return packedSlots.filter((slot) => {
    const id = columns.id[slot] as number;
    if (!refused.includes(id)) return false;
    hooks.onError(`the group ${id} of tenant ${columns.tenant[slot]} has the id of another one and gets a new id`);
    columns.id[slot] = hooks.spareId();
    columns.indexed[slot] = 0;
    return true;
  });
};

const endSave = (state: SaverState, { failed, refused, words }: SaveResult, hooks: SaverHooks): void => {
  const { columns } = state.cache;
  state.isSaving = false;
  state.spare = words;
  if (failed !== '') {
    hooks.onError(`saving histories failed and will be retried: ${failed}`);
    requeuePacked(state);
    state.forgotten.failed();
  } else {
    for (const slot of state.packedSlots) state.damaged.delete(columns.id[slot] as number);
    state.forgotten.saved();
  }
  // Copies the queue, which has tens of thousands of numbers.
  if (refused.length > 0) requeue(state, renumber(state, refused, hooks));
  for (const slot of state.packedSlots) columns.savingSince[slot] = 0;
  state.packedSlots = [];
  resolveWaiters(state);
};

const isFree = ({ packed, isSaving, isDead }: SaverState): boolean => packed === undefined && !isSaving && !isDead;

/** Starts packing when the oldest dirty group lags too far behind, or a group is to be deleted. */
const packIfDue = (state: SaverState): void => {
  const { queue, head, counted } = state;
  const isDue = head < queue.length && (queue[head + 2] as number) <= counted - MAX_SCREENINGS_BEHIND;
  if (!isFree(state) || !(isDue || state.forgotten.isWaiting())) return;
  pack(state, counted - MAX_SCREENINGS_BEHIND + SCREENINGS_PER_SAVE, Number.POSITIVE_INFINITY);
};

export interface SaverHooks {
  readonly onError: (message: string) => void;
  /** Returns an id that no group has. */
  readonly spareId: () => number;
  readonly onMalformed: () => void;
}

/**
 * Decides which groups are saved when. A saved group must not contain a screening that is not durable: after a crash it
 * would stay counted though it was never stored. So groups are packed when a commit with all their screenings is sent
 * to the writer, and are saved when that commit is durable.
 */
export const makeHistorySaver = (cache: HistoryCache, thread: Worker, hooks: SaverHooks) => {
  const state: SaverState = {
    cache,
    thread,
    queue: [],
    head: 0,
    counted: 0,
    newestSeq: 0,
    sentSeq: 0,
    durableSeq: 0,
    spare: NO_WORDS,
    packed: undefined,
    packedSlots: [],
    packedIndexed: [],
    forgotten: makeForgotten(),
    heldBack: new Set(),
    damaged: new Set(),
    isSaving: false,
    isDead: false,
    waiters: [],
    onReleased: () => {},
  };
  const post = (message: HousekeeperMessage): void => thread.postMessage(message);
  thread.on('message', (answer: HousekeeperAnswer) => {
    if (answer === 'released') state.onReleased();
    else if (answer === 'malformed') hooks.onMalformed();
    else if ('words' in answer) endSave(state, answer, hooks);
  });
  // Without the thread nothing is saved any more, so nothing more may be counted. Pending waits would never end.
  thread.on('error', (error) => hooks.onError(`the thread that saves histories failed: ${String(error)}`));
  thread.on('exit', () => {
    state.isDead = true;
    state.isSaving = false;
    state.onReleased();
    resolveWaiters(state);
  });

  return {
    forgotten: state.forgotten,
    /** Until it is released, a start counts every entry after this one again where a group on disk lacks it. */
    holdBack: (seq: number): void => void state.heldBack.add(seq),
    release: (seq: number): void => void state.heldBack.delete(seq),
    markDirty: (slot: number, seq: number): void => markDirty(state, slot, seq),
    /** A screening or label is counted in every history. */
    counted: (seq: number): void => {
      state.counted++;
      state.newestSeq = seq;
    },
    /** A commit with every screening counted so far is being sent to the writer. */
    committing: (): void => {
      state.sentSeq = state.newestSeq;
      packIfDue(state);
    },
    /** That commit is durable. */
    committed: (): void => {
      state.durableSeq = state.sentSeq;
      send(state);
    },
    /** Saves groups that are not due yet, while the service is idle. */
    saveIdle: (): void => {
      if (!isFree(state) || state.durableSeq !== state.newestSeq) return;
      pack(state, Number.POSITIVE_INFINITY, IDLE_GROUPS);
      send(state);
    },
    /** The row on disk with this id is damaged: the next group with the id replaces it. */
    replaceRow: (id: number): void => void state.damaged.add(id),
    isDamaged: (id: number): boolean => state.damaged.has(id),
    /** Checks the structure of the file, in the thread. Saves wait until it ends: seconds for a file of gigabytes. */
    checkFile: (): void => post('check'),
    /** Closes the file of the histories in the thread, runs `task`, and opens the file again. */
    whileReleased: async (task: () => void): Promise<void> => {
      const released = new Promise<void>((resolve) => {
        state.onReleased = resolve;
      });
      post('release');
      if (!state.isDead) await released;
      try {
        task();
      } finally {
        post('reopen');
      }
    },
    /** The cache was cleared and is read again from disk, complete up to the screening `through`. */
    reset: (through: number): void => {
      state.queue = [];
      state.head = 0;
      state.packed = undefined;
      state.packedSlots = [];
      state.damaged.clear();
      state.forgotten.reset();
      state.heldBack.clear();
      state.newestSeq = through;
      resolveWaiters(state);
    },
    /** Every entry that was counted again is durable. */
    recovered: (): void => {
      state.durableSeq = state.newestSeq;
    },
    newestSeq: () => state.newestSeq,
    /** Resolves once no save is in progress. */
    whenIdle: (): Promise<void> =>
      state.isSaving ? new Promise((resolve) => state.waiters.push(resolve)) : Promise.resolve(),
    /** Resolves once no group is packed or being saved. Nothing may be awaited before groups are changed. */
    whenFree: async (): Promise<void> => {
      while (!isFree(state) && !state.isDead) await new Promise<void>((resolve) => state.waiters.push(resolve));
    },
    hasUnsaved: (): boolean => {
      skipStale(state);
      return state.head < state.queue.length;
    },
    isAlive: () => !state.isDead,
    /** Includes groups that are being saved. */
    unsaved: (): number => (state.queue.length - state.head) / QUEUE_STEP + state.packedSlots.length,
    close: async (): Promise<void> => {
      if (state.isDead) return;
      const exited = new Promise((resolve) => thread.once('exit', resolve));
      post('close');
      await exited;
    },
  };
};
export type HistorySaver = ReturnType<typeof makeHistorySaver>;
