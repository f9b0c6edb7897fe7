import type { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { type Facts, type IdentitiesOf, type LabelEffect, makeFacts, type Profile } from '@portcullis/engine';
import { type Backend, Unavailable } from '../backend.ts';
import type { CountedScreening, Counters, DecideGathered, PastItem, PastLabel, SliceWrites } from '../counters.ts';
import {
  makeJournalReader,
  makeRestoreSubject,
  newestSeq,
  type RestoreSubject,
  type StoredSubject,
} from '../journal.ts';
import { makeCount } from './count-screenings.ts';
import { completeThrough } from './counters-file.ts';
import type { Histories } from './find-entity.ts';
import { foldLabel, foldStoredLabel, foldStoredScreening } from './fold.ts';
import { forgetEntities } from './forget.ts';
import { cacheBytes, cacheStats, clearCache, makeHistoryCache } from './history-cache.ts';
import { makeHistorySaver } from './history-saver.ts';
import { isMalformed } from './open-database.ts';
import { type OpenedHistories, openHistories } from './open-histories.ts';
import { readUser } from './read-user.ts';

const IDLE_MS = 300;
/** Enough saves to write everything. A service that cannot save must still end. */
const CLOSING_SAVES = 1000;
/** Unsaved groups may take this much memory however small the cache is. */
const SPARE_BYTES = 64 * 1024 * 1024;

export interface CountersOptions {
  /** The database with the journal: entries that the histories on disk lack are folded in again from it. */
  readonly records: DatabaseSync;
  readonly path: string;
  readonly identities: IdentitiesOf;
  /** The thread that saves entity groups. */
  readonly housekeeper: Worker;
  readonly maxCacheBytes: number;
  readonly onError: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  /** Replaces a malformed file by one with the histories that can still be read. */
  readonly replaceFile: () => void;
}

interface CountersState {
  readonly options: CountersOptions;
  readonly restore: RestoreSubject;
  readonly readJournalAfter: ReturnType<typeof makeJournalReader>;
  readonly open: (parts: Pick<Histories, 'cache' | 'saver'>) => OpenedHistories;
  histories: Histories;
  opened: OpenedHistories;
  /** Memory holds entries of a lost commit: nothing may be measured or counted before it is read again. */
  mustRecover: boolean;
  /** The file is malformed and must be replaced first. */
  isMalformed: boolean;
  /** The recovery in progress. */
  recovery: Promise<void> | undefined;
  /** Nothing may replace the file any more. The next start does. */
  isClosing: boolean;
  seqBefore: number;
}

/** Reads histories again: the groups on disk, and the journal entries that came after them. */
const recover = ({ histories, opened, restore, readJournalAfter }: CountersState): void => {
  clearCache(histories.cache);
  histories.lost.clear();
  const through = completeThrough(opened.database);
  histories.saver.reset(through);
  histories.finder.inOneRead(() =>
    readJournalAfter(
      through,
      (row) => foldStoredScreening(histories, restore, row),
      (row) => foldStoredLabel(histories, restore, row),
    ),
  );
  histories.saver.recovered();
};

const replaceFile = async (state: CountersState): Promise<void> => {
  const { options, opened, histories } = state;
  opened.close();
  await histories.saver.whileReleased(options.replaceFile);
  state.opened = state.open(histories);
  state.histories = state.opened.histories;
  state.isMalformed = false;
};

/** Waits for the save in progress first: it adds groups that a read would miss and then create a second time. */
const recoverOnce = async (state: CountersState): Promise<void> => {
  await state.histories.saver.whenIdle();
  try {
    if (state.isMalformed) await replaceFile(state);
    recover(state);
    state.mustRecover = false;
  } catch (error) {
    if (isMalformed(error)) state.isMalformed = true;
    // The disk cannot be read either. Nothing may be counted until it can, so the idle timer tries again.
    state.options.onError(
      `reading histories failed and will be retried: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};
const recoverAfterSave = (state: CountersState): Promise<void> => {
  state.recovery ??= recoverOnce(state).finally(() => {
    state.recovery = undefined;
  });
  return state.recovery;
};

/** Stops counting until the malformed file is replaced. */
const replaceMalformed = (state: CountersState): void => {
  if (state.isMalformed || state.isClosing) return;
  state.isMalformed = true;
  state.mustRecover = true;
  state.options.onError(
    `${state.options.path} is malformed: it is replaced now, with the histories that can still be read and the journal`,
  );
  void recoverAfterSave(state);
};

/**
 * Saves when no screening came since the last call: during traffic it would delay commits and save the same groups
 * repeatedly.
 */
const runIdle = (state: CountersState): void => {
  const { saver, lost } = state.histories;
  if (state.mustRecover) void recoverAfterSave(state);
  else if (saver.newestSeq() === state.seqBefore) saver.saveIdle();
  lost.retry();
  state.seqBefore = saver.newestSeq();
};

/** Saves everything that is durable. */
const saveAll = async (state: CountersState): Promise<void> => {
  const { saver } = state.histories;
  for (let tries = 0; !state.mustRecover && saver.isAlive() && saver.hasUnsaved() && tries < CLOSING_SAVES; tries++) {
    saver.saveIdle();
    await saver.whenIdle();
  }
};

const readerOf = (records: DatabaseSync): Pick<Backend, 'read'> => ({
  read: async <Row>(sql: string, ...params: (string | number | null | Uint8Array)[]) =>
    records.prepare(sql).all(...params) as Row[],
});

const openState = (options: CountersOptions): CountersState => {
  const { records, identities, maxCacheBytes, housekeeper, onError } = options;
  const facts = makeFacts();
  const restore = makeRestoreSubject(identities, () => facts);
  const journal = { reader: readerOf(records), newestSeq: () => newestSeq(records), restore };
  const open = (parts: Pick<Histories, 'cache' | 'saver'>): OpenedHistories =>
    openHistories({ ...options, ...journal, ...parts, onMalformed: () => replaceMalformed(state) });
  const cache = makeHistoryCache(maxCacheBytes);
  const saver = makeHistorySaver(cache, housekeeper, {
    onError,
    spareId: () => state.histories.finder.spareId(),
    onMalformed: () => replaceMalformed(state),
  });
  const opened = open({ cache, saver });
  const state: CountersState = {
    options,
    restore,
    readJournalAfter: makeJournalReader(records),
    open,
    histories: opened.histories,
    opened,
    mustRecover: false,
    isMalformed: false,
    recovery: undefined,
    isClosing: false,
    seqBefore: 0,
  };
  return state;
};

/** An imported item on its way through the stages. */
type PastScreening = CountedScreening & Pick<PastItem, 'decide'>;
const decidePast: DecideGathered<PastScreening> = (items, facts) => {
  for (const [at, item] of items.entries()) item.verdict = item.decide(facts[at] as Facts);
};

/**
 * Histories and profiles of one process: a bounded cache over the groups on disk, which are saved some time after a
 * change.
 */
export const makeLocalCounters = (options: CountersOptions) => {
  const state = openState(options);
  const { cache, saver } = state.histories;
  const count = makeCount(state);
  try {
    recover(state);
  } catch (error) {
    // Reading has reported a malformed file: it is being replaced, and nothing is counted until then.
    if (!state.mustRecover) throw error;
  }
  const idle = setInterval(runIdle, IDLE_MS, state);
  idle.unref();

  return {
    count,
    /** Counts all items and starts the write with no await between. Stored items are also counted after a crash. */
    countPast: async (tenant: number, items: readonly PastItem[], { store }: SliceWrites): Promise<void> => {
      if (state.mustRecover) throw new Unavailable('histories are being read again after a failed write');
      const screenings = items.map((item) => ({ ...item, tenant, verdict: undefined, onEnd: undefined }));
      count<PastScreening>(screenings, decidePast, (_item, error) => {
        throw error;
      });
      await store(true);
    },
    labelPast: async (tenant: number, all: readonly PastLabel[], { store }: SliceWrites): Promise<void> => {
      if (state.mustRecover) throw new Unavailable('histories are being read again after a failed write');
      for (const { screening, effect, seq } of all)
        foldLabel(state.histories, state.restore, tenant, screening, effect, seq);
      await store(true);
    },
    /** Never needed: everything that is stored is counted. */
    recount: async (): Promise<void> => {},
    settlePast: async (): Promise<void> => {},
    /** Counts the label and starts the write with no await between: the order of counting is the order of storing. */
    label: <T>(
      tenant: number,
      screening: StoredSubject,
      effect: LabelEffect | undefined,
      seq: number,
      write: () => Promise<T>,
    ): Promise<T> => {
      foldLabel(state.histories, state.restore, tenant, screening, effect, seq);
      return write();
    },
    forget: (...of: Parameters<Counters['forget']>): Promise<boolean[]> => {
      if (state.mustRecover) throw new Unavailable('histories are being read again after a failed write');
      return forgetEntities(state.histories, ...of);
    },
    user: (tenant: number, userId: string, now: number, facts: Facts): Profile | undefined => {
      if (state.mustRecover) throw new Unavailable('histories are being read again after a failed write');
      return readUser(state.histories, options.identities, tenant, userId, now, facts);
    },
    /** A commit with every screening and label counted so far is being sent to the writer. */
    committing: saver.committing,
    committed: saver.committed,
    /**
     * That commit failed. Memory already contains its entries, so histories are read again before anything is measured.
     */
    lost: (): Promise<void> => {
      state.mustRecover = true;
      return recoverAfterSave(state);
    },
    isReady: (): boolean =>
      !state.mustRecover && saver.isAlive() && cacheBytes(cache) < 2 * options.maxCacheBytes + SPARE_BYTES,
    newestSeq: saver.newestSeq,
    close: async (): Promise<void> => {
      clearInterval(idle);
      state.isClosing = true;
      await state.recovery;
      await saveAll(state);
      state.opened.close();
      // Last: only a connection that may write moves the log into the file when it is closed.
      await saver.close();
    },
    stats: () => ({
      ...cacheStats(cache),
      hits: state.histories.hits,
      misses: state.histories.misses,
      unsaved: saver.unsaved(),
      damaged: state.opened.damaged(),
      rebuilding: state.histories.lost.count(),
    }),
  } satisfies Counters & Record<string, unknown>;
};
export type LocalCounters = ReturnType<typeof makeLocalCounters>;
