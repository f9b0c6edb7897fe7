import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import { openProjection } from '../backend/open-projection.ts';
import { makeServiceIdentities } from '../backend/service-identities.ts';
import { firstSeqAt } from '../runtime/ids.ts';
import { repeat } from '../runtime/repeat.ts';
import { lowerThreadPriority } from '../runtime/thread-priority.ts';
import { FEED_KEPT_MS } from './feed-events.ts';
import { deleteOldEvents } from './feed-store.ts';
import { adoptJournal, type ProjectDeps, runPass } from './project.ts';
import { deleteOldItems, eraseItems } from './store.ts';
import { deleteOldSums } from './sum-store.ts';
import { DAY_MS } from './sums.ts';
import { makeUserSweep, settleUsers } from './user-id-store.ts';

/** Writes the projection behind the journal, in a thread of its own. */
export interface ProjectorData {
  readonly connection: Connection;
  readonly identityKey: Uint8Array;
}
export type ToProjector = Sweep | Erase | 'stop';
interface Erase {
  readonly erase: number;
  readonly tenant: number;
  readonly numbers: readonly number[];
  /** Users whose items were erased, at the end of an erasure. */
  readonly users: readonly string[] | undefined;
}
interface Sweep {
  readonly sweep: number;
  readonly now: number;
  /** Items of screenings before this time are past their retention. */
  readonly itemsBefore: number;
  readonly limit: number;
}
/** `at` is the time of the newest entry in the projection; `isDone` says whether it was the last one. */
export type FromProjector =
  | { readonly at: number; readonly isDone: boolean }
  | { readonly swept: number; readonly items: number }
  | { readonly erased: number; readonly isDone: boolean }
  | { readonly level: 'warn' | 'error'; readonly text: string; readonly reason: string };

const port = parentPort;
if (port === null) throw new Error('projector-thread.ts must run as a worker thread');
const post = (message: FromProjector): void => port.postMessage(message);
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const POLL_MS = 200;
/**
 * After a pass of many entries the next one comes later: entries that are written together share pages of the tables, and
 * cost half as much.
 */
const MANY = 100;
const POLL_AFTER_MANY_MS = 1000;
const { connection, identityKey } = workerData as ProjectorData;
try {
  // Screenings come first on a busy machine.
  lowerThreadPriority('BELOW_NORMAL');
} catch {
  // Some containers forbid it. Writing works without it.
}

const projection = await openProjection(connection, (reason) =>
  post({ level: 'error', text: 'search thread: store error', reason }),
);
let isStopped = false;
let isAdopted = false;
let newest = 0;
let written = 0;
const identities = makeServiceIdentities(identityKey);
const deps: ProjectDeps = {
  projection,
  identities,
  onUnreadable: (seq) =>
    post({ level: 'error', text: 'a stored screening cannot be read and is not found by search', reason: String(seq) }),
  isStopped: () => isStopped,
  onPage: (entries, at) => {
    written += entries;
    newest = Math.max(newest, at);
    post({ at: newest, isDone: false });
  },
};
/** Returns whether it wrote many entries. */
const pass = async (): Promise<boolean> => {
  if (!isAdopted) await adoptJournal(deps);
  isAdopted = true;
  written = 0;
  if (await runPass(deps)) post({ at: newest, isDone: true });
  return written >= MANY;
};
const schedule = repeat({
  task: () => projection.journal.tryWithLock('search', pass),
  firstMs: 0,
  moreMs: POLL_AFTER_MANY_MS,
  restMs: POLL_MS,
  onError: (error) =>
    isStopped || post({ level: 'warn', text: 'search is not written for now; retrying', reason: textOf(error) }),
});

const sweepUsers = makeUserSweep(projection);
const sweep = async ({ sweep: number, now, itemsBefore, limit }: Sweep): Promise<void> => {
  let items = 0;
  try {
    const before = firstSeqAt(itemsBefore);
    items = await (projection.dropBefore?.(before) ?? deleteOldItems(projection, before, limit));
    await sweepUsers(before);
    // A day that began before that may have ended after it.
    await deleteOldSums(projection, itemsBefore - DAY_MS);
    await deleteOldEvents(projection, firstSeqAt(now - FEED_KEPT_MS));
  } catch (error) {
    post({
      level: 'warn',
      text: 'search items past their retention were not deleted; retrying',
      reason: textOf(error),
    });
  }
  post({ swept: number, items });
};

/** Not beside a pass, which may add an item of a user who is removed. */
const finishErasure = async (tenant: number, users: readonly string[]): Promise<boolean> => {
  const isDone = await projection.journal.tryWithLock('search', async () => {
    await settleUsers(projection, tenant, users);
    return projection.dropFormerContent();
  });
  return isDone ?? false;
};

const erase = async ({ erase: request, tenant, numbers, users }: Erase): Promise<void> => {
  let isDone = false;
  try {
    await eraseItems(projection, tenant, numbers);
    isDone = users === undefined || (await finishErasure(tenant, users));
  } catch (error) {
    post({ level: 'warn', text: 'a person was not erased from search; retrying', reason: textOf(error) });
  }
  post({ erased: request, isDone });
};

const stop = async (): Promise<void> => {
  isStopped = true;
  await schedule.stop();
  await projection.close();
  port.close();
};

port.on('message', (message: ToProjector) => {
  if (message === 'stop') void stop();
  else if ('erase' in message) void erase(message);
  else void sweep(message);
});
schedule.start();
