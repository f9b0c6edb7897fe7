import type { Worker } from 'node:worker_threads';
import { entityCount, keyOf, shelfWords } from '@portcullis/engine';
import { SHELF_HEAD, type ShelvesToSave } from './shelf-rows.ts';
import type { Shelves } from './shelves.ts';
import type { Saved } from './sqlite-housekeeper.ts';

/**
 * How many screenings a shelf may be behind on disk. The screenings themselves are the log it is made good from after a
 * crash, so more means fewer writes of busy shelves, more memory that may not be given up, and a longer start: 8,192 take
 * about half a second.
 */
const MAX_SCREENINGS_BEHIND = 8192;
/** Saved together: what stands on one page is then written once. More at a time would keep the disk from the next commit for longer. */
const SCREENINGS_PER_SAVE = 1024;
const IDLE_SHELVES = 1024;
const NO_WORDS = new Float64Array(0);

/** Into `spare` where it is large enough: megabytes that come and go with every save would tear holes into memory. */
const packShelves = (
  { columns, slab }: Shelves,
  shelves: readonly number[],
  spare: Float64Array<ArrayBuffer>,
): Float64Array<ArrayBuffer> => {
  const from = slab;
  let size = 0;
  for (const shelf of shelves) {
    const block = columns.block[shelf] as number;
    size += SHELF_HEAD + shelfWords(from, block) + entityCount(from, block) - (columns.indexed[shelf] as number);
  }
  const words = size <= spare.length ? spare : new Float64Array(2 ** Math.ceil(Math.log2(size)));
  let at = 0;
  for (const shelf of shelves) {
    const block = columns.block[shelf] as number;
    const length = shelfWords(from, block);
    const count = entityCount(from, block);
    words[at++] = columns.id[shelf] as number;
    words[at++] = columns.tenant[shelf] as number;
    words[at++] = length;
    words[at++] = count - (columns.indexed[shelf] as number);
    for (let i = columns.indexed[shelf] as number; i < count; i++) words[at++] = keyOf(from, block, i);
    words.set(from.f64.subarray(block, block + length), at);
    at += length;
  }
  return words;
};

/**
 * Decides which shelves are saved when. What is saved must not hold a screening that is not durable yet, or a crash would leave it
 * counted though it never was: shelves are packed when a commit that holds all they hold sets out, and sent when it arrived.
 */
export const makeShelfSaver = (memory: Shelves, thread: Worker, onFault: (message: string) => void) => {
  const { columns } = memory;
  /** Dirty shelves in the order they became so, three numbers each: which, since which screening, and how many had been counted. */
  let queue: number[] = [];
  let head = 0;
  let counted = 0;
  let newestSeq = 0;
  let sentSeq = 0;
  let durableSeq = 0;
  let spare = NO_WORDS;
  let packed: ShelvesToSave | undefined;
  let flying = false;
  let dead = false;
  let packedShelves: number[] = [];
  let packedIndexed: number[] = [];
  let onLanded: (() => void)[] = [];

  /** A shelf that was saved since, or put back after a failed save, stands in the queue with a moment that is no longer its own. */
  const skipStale = (): void => {
    while (head < queue.length && columns.dirtySince[queue[head] as number] !== queue[head + 1]) head += 3;
    if (head > 100_000 || head === queue.length) {
      queue = queue.slice(head);
      head = 0;
    }
  };
  const markDirty = (shelf: number, seq: number): void => {
    if ((columns.dirtySince[shelf] as number) > 0) return;
    columns.dirtySince[shelf] = seq;
    queue.push(shelf, seq, counted);
  };

  /** Packs dirty shelves, the oldest first, up to one that became dirty after `before` screenings. */
  const pack = (before: number, most: number): void => {
    packedShelves = [];
    packedIndexed = [];
    for (skipStale(); head < queue.length && (queue[head + 2] as number) < before; skipStale()) {
      if (packedShelves.length === most) break;
      const shelf = queue[head] as number;
      packedShelves.push(shelf);
      packedIndexed.push(columns.indexed[shelf] as number);
      columns.flyingSince[shelf] = columns.dirtySince[shelf] as number;
      columns.dirtySince[shelf] = 0;
    }
    if (packedShelves.length === 0) return;
    const words = packShelves(memory, packedShelves, spare);
    spare = NO_WORDS;
    for (const shelf of packedShelves) {
      columns.indexed[shelf] = entityCount(memory.slab, columns.block[shelf] as number);
      columns.through[shelf] = newestSeq;
    }
    const completeThrough = head < queue.length ? (queue[head + 1] as number) - 1 : newestSeq;
    packed = { count: packedShelves.length, through: newestSeq, completeThrough, words };
  };
  const send = (): void => {
    if (packed === undefined) return;
    flying = true;
    thread.postMessage(packed, [packed.words.buffer]);
    packed = undefined;
  };

  const putBack = (): void => {
    const again: number[] = [];
    packedShelves.forEach((shelf, i) => {
      const since = columns.flyingSince[shelf] as number;
      columns.dirtySince[shelf] = since;
      columns.indexed[shelf] = packedIndexed[i] as number;
      again.push(shelf, since, 0);
    });
    queue = [...again, ...queue.slice(head)];
    head = 0;
  };
  const tellLanded = (): void => {
    const landed = onLanded;
    onLanded = [];
    for (const done of landed) done();
  };
  thread.on('message', ({ failed, words }: Saved) => {
    flying = false;
    spare = words;
    if (failed !== '') {
      onFault(`histories could not be saved and will be later: ${failed}`);
      putBack();
    }
    for (const shelf of packedShelves) columns.flyingSince[shelf] = 0;
    packedShelves = [];
    tellLanded();
  });
  // Whoever waits for it would wait for ever. Nothing is saved any more, so nothing more may be counted either.
  thread.on('error', (error) => {
    dead = true;
    flying = false;
    onFault(`the thread that saves histories ended, restart the service: ${String(error)}`);
    tellLanded();
  });

  const isFree = (): boolean => packed === undefined && !flying && !dead;
  const hasUnsaved = (): boolean => {
    skipStale();
    return head < queue.length;
  };

  return {
    markDirty,
    /** A screening or label is counted in everywhere. */
    counted: (seq: number): void => {
      counted++;
      newestSeq = seq;
    },
    /** A commit that holds every screening counted so far sets out. */
    committing: (): void => {
      sentSeq = newestSeq;
      if (!isFree() || head === queue.length || (queue[head + 2] as number) > counted - MAX_SCREENINGS_BEHIND) return;
      pack(counted - MAX_SCREENINGS_BEHIND + SCREENINGS_PER_SAVE, Number.POSITIVE_INFINITY);
    },
    /** It arrived. */
    committed: (): void => {
      durableSeq = sentSeq;
      send();
    },
    /** Saves some of the others too, while there is nothing else to do. */
    saveIdle: (): void => {
      if (!isFree() || durableSeq !== newestSeq) return;
      pack(Number.POSITIVE_INFINITY, IDLE_SHELVES);
      send();
    },
    /** What memory holds is thrown away and read anew, up to the screening `through`. */
    reset: (through: number): void => {
      queue = [];
      head = 0;
      packed = undefined;
      packedShelves = [];
      newestSeq = through;
    },
    /** All that was counted in again is durable. */
    recovered: (): void => {
      durableSeq = newestSeq;
    },
    newestSeq: () => newestSeq,
    /** Resolves once no save is under way. */
    landed: (): Promise<void> => (flying ? new Promise((done) => onLanded.push(done)) : Promise.resolve()),
    hasUnsaved,
    isAlive: () => !dead,
    /** Those on their way to the disk are not there yet. */
    unsaved: (): number => (queue.length - head) / 3 + packedShelves.length,
    close: async (): Promise<void> => {
      if (dead) return;
      const exited = new Promise((done) => thread.once('exit', done));
      thread.postMessage('close');
      await exited;
    },
  };
};
export type ShelfSaver = ReturnType<typeof makeShelfSaver>;
