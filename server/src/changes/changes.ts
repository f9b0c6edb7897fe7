import { randomUUID } from 'node:crypto';
import type { Backend, Statement } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import { repeat } from '../runtime/repeat.ts';
import {
  type ChangeRow,
  changesAfter,
  eraseChanges,
  insertChange,
  newestChange,
  type Part,
  sweepChanges,
} from './store.ts';

export type { Part } from './store.ts';

/** Four times a second: a change by another process must be in force here within one second. */
const POLL_MS = 250;
const PAGE_ROWS = 500;
/** Far longer than a process can serve without polling. */
const KEPT_MS = 7 * 86_400_000;

/** Brings a part in memory up to date with the store. Calling it twice must do no harm. */
export type Refresh = (tenant: number, detail: unknown) => Promise<void>;
/** Statements that record a change of a part of a tenant, for the transaction of that change. */
export type Note = (tenant: number, part: Part, detail?: unknown) => Statement[];
type Refreshes = Readonly<Partial<Record<Part, Refresh>>>;

/** Records changes under the name of a process. That process skips them when it polls. */
export const makeNote =
  (madeBy: string, clock: () => number): Note =>
  (tenant, part, detail = null) =>
    insertChange({ tenant, part, detail: JSON.stringify(detail), made_by: madeBy, at: clock() });

/**
 * Records the changes of this process for the others on the store, and loads theirs. A command beside the service makes
 * changes too. Must be created before anything is read into memory, so that no change in between is missed.
 */
export const makeChanges = async (deps: { backend: Backend; clock: () => number; log: Log }) => {
  const { backend, clock, log } = deps;
  const self = randomUUID();
  let lastNumber = await newestChange(backend);
  let refreshes: Refreshes = {};
  let polling: Promise<unknown> = Promise.resolve();

  /** A failed refresh is retried with the next poll. Later changes wait for it, because they may depend on it. */
  const poll = async (): Promise<void> => {
    for (let rows: ChangeRow[] = []; ; ) {
      rows = await changesAfter(backend, lastNumber, PAGE_ROWS);
      for (const { number, tenant, part, detail, made_by } of rows) {
        // A later release may know parts that this one does not.
        if (made_by !== self) await refreshes[part]?.(tenant, JSON.parse(detail));
        lastNumber = number;
      }
      if (rows.length < PAGE_ROWS) return;
    }
  };
  /** Polls one at a time: each continues where the one before ended. */
  const catchUp = (): Promise<void> => {
    const polled = polling.then(poll);
    polling = polled.catch(() => {});
    return polled;
  };
  const polls = repeat({
    task: catchUp,
    firstMs: POLL_MS,
    restMs: POLL_MS,
    onError: (error) => log.warn({ err: error }, 'loading changes of other processes failed; retrying'),
  });

  return {
    note: makeNote(self, clock),
    start: (refreshesByPart: Refreshes): void => {
      refreshes = refreshesByPart;
      polls.start();
    },
    /** Resolves when every change committed before the call is loaded. A job left by another process waits for it. */
    catchUp,
    stop: polls.stop,
    /**
     * Takes a person out of the changes that every process has read. Returns false while there are newer ones that name
     * the person.
     */
    erase: (tenant: number, names: (text: string) => boolean, readMs: number): Promise<boolean> =>
      eraseChanges(backend, tenant, clock() - readMs, names),
    sweep: (now: number, limit: number): Promise<number> => sweepChanges(backend, now - KEPT_MS, limit),
  };
};
export type Changes = Awaited<ReturnType<typeof makeChanges>>;
