import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ENTITY_KINDS } from '@portcullis/engine';
import { firstSeqAt } from '../../runtime/ids.ts';
import type { Backend } from '../backend.ts';
import { makeRestoreSubject } from '../journal.ts';
import { countJournal, journalBetween } from '../journal-pages.ts';
import { makeServiceIdentities } from '../service-identities.ts';
import { makeBacklogRegistry } from './backlog-registry.ts';
import { connectForCommand, type RedisClient } from './client.ts';
import { type Keys, makeKeys } from './keys.ts';
import { type LossDetector, makeLossDetector } from './loss-detector.ts';
import { encodeSeq, RECORD_BYTES } from './record.ts';
import { inChunks, makeStaging, type Staging } from './staging.ts';

/** Older screenings are stored or never will be: no commit takes so long. */
export const DURABLE_MS = 15_000;
const ROUNDS = 3;
/** Words of memory for the bases being folded. */
export const MAX_WORDS = 2 ** 23;

/** Results of the `restore` script. */
const BUSY = 0;
const RESTORED = 1;

export interface RebuildOptions {
  readonly backend: Backend;
  /** The key of the hash that finds histories. */
  readonly identityKey: Uint8Array;
  readonly url: string;
  readonly prefix: string;
  readonly clock?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Called before the rebuild waits for the latest screenings to be stored, with the length of the wait. */
  readonly onWaiting?: (ms: number) => void;
  readonly onFolded?: (done: number, total: number) => void;
  readonly onRestored?: (done: number) => void;
  /** For tests: the memory it may use. */
  readonly maxWords?: number;
}

export interface RebuildResult {
  /** Screenings and labels that were folded. */
  readonly rows: number;
  /** Histories and profiles that were rebuilt. */
  readonly restored: number;
  /** Histories so busy that their screenings of the last seconds were left out. */
  readonly forced: number;
  /** Whether the histories are complete now. If not, another loss happened during the rebuild. */
  readonly isComplete: boolean;
}

interface RebuildState {
  readonly options: RebuildOptions;
  readonly clock: () => number;
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly run: string;
  readonly staging: Staging;
  /** Every stored row up to this sequence number is folded. */
  upTo: number;
  rows: number;
  restored: number;
  forced: number;
  /** Live keys whose base already holds later records. */
  busy: Set<string>;
}

/** The size of a record, by the kind of entity in its key; 0 for a profile, whose records start with their length. */
export const recordSizeOf = (liveKey: string): number => {
  if (/:p:\{[^}]*\}$/.test(liveKey)) return 0;
  const kind = Number(/\{\d+:(\d+):/.exec(liveKey)?.[1]);
  return ENTITY_KINDS[kind] === undefined ? 0 : (RECORD_BYTES[kind] as number);
};

const durableSeq = ({ clock }: RebuildState): number => firstSeqAt(clock() - DURABLE_MS);

const restore = (state: RebuildState, liveKey: string, evenIfBusy: boolean): Promise<unknown> => {
  const { redis, keys, run, upTo } = state;
  const args = [encodeSeq(upTo), String(recordSizeOf(liveKey)), evenIfBusy ? '1' : '0'];
  return redis.runScript('restore', [liveKey, keys.staging(run, liveKey)], args);
};

const restoreAll = (state: RebuildState, liveKeys: Iterable<string>, isLastRound: boolean): Promise<void> =>
  inChunks(liveKeys, async (key) => {
    const result = await restore(state, key, false);
    const isForced = result === BUSY && isLastRound;
    if (result === BUSY && !isLastRound) state.busy.add(key);
    if (isForced) {
      state.forced++;
      await restore(state, key, true);
    }
    if (result !== RESTORED && !isForced) return;
    state.restored++;
    state.options.onRestored?.(state.restored);
  });

const foldUpTo = async (state: RebuildState, next: number, total: number): Promise<void> => {
  const { options, staging } = state;
  for await (const page of journalBetween(options.backend, state.upTo, next)) {
    await staging.fold(page);
    state.rows += page.length;
    options.onFolded?.(Math.min(state.rows, total), total);
  }
  state.upTo = Math.max(state.upTo, next);
};

/**
 * Folds every row that was screened before the rebuild began. The latest of these may not be stored yet, so it waits
 * for them.
 */
const foldStored = async (state: RebuildState, startedAt: number): Promise<void> => {
  const { options, clock, staging } = state;
  const { backend, pause = setTimeout } = options;
  const began = firstSeqAt(startedAt + 1);
  const total = await countJournal(backend, began);
  await foldUpTo(state, durableSeq(state), total);
  const waitMs = startedAt + DURABLE_MS - clock();
  if (waitMs > 0) {
    options.onWaiting?.(waitMs);
    await pause(waitMs);
  }
  await foldUpTo(state, began, total);
  await staging.stage();
};

const restoreStaged = async (state: RebuildState): Promise<void> => {
  const { redis, keys, run } = state;
  for await (const staged of redis.scan(keys.stagingPattern(run)))
    await restoreAll(
      state,
      staged.map((key) => keys.live(run, key)),
      false,
    );
};

/**
 * Folds the busy keys up to a later sequence number, which is quick, and restores them again. The last round forces
 * them.
 */
const restoreBusy = async (state: RebuildState): Promise<void> => {
  const { options, staging } = state;
  for (let round = 2; round <= ROUNDS && state.busy.size > 0; round++) {
    const again = state.busy;
    state.busy = new Set();
    const from = state.upTo;
    state.upTo = Math.max(state.upTo, durableSeq(state));
    for await (const page of journalBetween(options.backend, from, state.upTo)) await staging.fold(page, again);
    await staging.stage();
    await restoreAll(state, again, round === ROUNDS);
  }
};

/**
 * Marks the backlog of ended processes as lost, and removes these from the registry. The rebuild folds their updates;
 * if it fails, the histories stay marked as lost.
 */
const adoptBacklogs = async (backend: Backend, lossDetector: LossDetector, now: number): Promise<void> => {
  const registry = makeBacklogRegistry(backend);
  const ended = await registry.findEnded(now);
  if (ended.length > 0) await lossDetector.markLost();
  for (const process of ended) await registry.remove(process);
};

/**
 * Rebuilds the histories in Redis from the stored screenings and labels, while the service runs. It folds all rows up
 * to a sequence number into new bases beside the live ones. Then each new base replaces the live records up to that
 * number; later records stay behind it.
 */
export const rebuildFromJournal = async (options: RebuildOptions): Promise<RebuildResult> => {
  const { backend, clock = Date.now } = options;
  const startedAt = clock();
  const keys = makeKeys(options.prefix);
  const redis = await connectForCommand(options.url, keys.marker(0));
  try {
    const restoreSubject = makeRestoreSubject(makeServiceIdentities(options.identityKey));
    const run = `r${randomBytes(4).toString('hex')}`;
    const staging = makeStaging(redis, keys, restoreSubject, run, options.maxWords ?? MAX_WORDS);
    const counts = { upTo: 0, rows: 0, restored: 0, forced: 0 };
    const state: RebuildState = { options, clock, redis, keys, run, staging, busy: new Set(), ...counts };
    const lossDetector = makeLossDetector(redis, keys, async () => true, clock);
    await adoptBacklogs(backend, lossDetector, startedAt);
    const states = await lossDetector.readStates();
    await foldStored(state, startedAt);
    await restoreStaged(state);
    await restoreBusy(state);
    const isComplete = await lossDetector.markCompleteIfUnchanged(states);
    return { rows: state.rows, restored: state.restored, forced: state.forced, isComplete };
  } finally {
    redis.close();
  }
};
