import type { Worker } from 'node:worker_threads';
import type { Forgotten } from './forgotten.ts';
import type { HistoryCache } from './history-cache.ts';
import type { GroupsToSave } from './history-rows.ts';

/** The queue of groups that are not saved yet, and the state of the saver (`history-saver.ts`). */

/** Numbers per group in the queue. */
export const QUEUE_STEP = 3;
const QUEUE_TRIM = 100_000;

export interface SaverState {
  readonly cache: HistoryCache;
  readonly thread: Worker;
  /**
   * Dirty groups in the order they became dirty. For each: slot, first unsaved screening, and `counted` at that time.
   */
  queue: number[];
  head: number;
  counted: number;
  newestSeq: number;
  sentSeq: number;
  durableSeq: number;
  /** The buffer of the last save. Allocating megabytes for each save would fragment memory. */
  spare: Float64Array<ArrayBuffer>;
  packed: GroupsToSave | undefined;
  packedSlots: number[];
  /** `indexed` of each packed group before the save, restored when the save fails. */
  packedIndexed: number[];
  readonly forgotten: Forgotten;
  /** Entries after these are missing in histories that were deleted, until they are counted again and saved. */
  readonly heldBack: Set<number>;
  /** Ids whose row on disk is damaged, until a group replaces it. */
  readonly damaged: Set<number>;
  isSaving: boolean;
  isDead: boolean;
  waiters: (() => void)[];
  onReleased: () => void;
}

/** Skips entries of groups that were saved since, or queued again after a failed save: their `dirtySince` differs. */
export const skipStale = (state: SaverState): void => {
  const { queue, cache } = state;
  const { dirtySince } = cache.columns;
  while (state.head < queue.length && dirtySince[queue[state.head] as number] !== queue[state.head + 1])
    state.head += QUEUE_STEP;
  if (state.head > QUEUE_TRIM || state.head === queue.length) {
    state.queue = queue.slice(state.head);
    state.head = 0;
  }
};

export const markDirty = (state: SaverState, slot: number, seq: number): void => {
  const { dirtySince } = state.cache.columns;
  if ((dirtySince[slot] as number) > 0) return;
  dirtySince[slot] = seq;
  state.queue.push(slot, seq, state.counted);
};

/** Puts packed groups that were not saved back to the front of the queue. */
export const requeue = (state: SaverState, slots: readonly number[]): void => {
  const { columns } = state.cache;
  const again: number[] = [];
  for (const slot of slots) {
    const since = columns.savingSince[slot] as number;
    columns.dirtySince[slot] = since;
    again.push(slot, since, 0);
  }
  state.queue = [...again, ...state.queue.slice(state.head)];
  state.head = 0;
};

export const requeuePacked = (state: SaverState): void => {
  state.packedSlots.forEach((slot, i) => {
    state.cache.columns.indexed[slot] = state.packedIndexed[i] as number;
  });
  requeue(state, state.packedSlots);
};
