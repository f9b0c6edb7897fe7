import { randomUUID } from 'node:crypto';
import type { Backend, Statement } from '../backend/backend.ts';
import type { Log } from '../log.ts';
import { makeRounds } from '../rounds.ts';
import { type ChangeRow, changesAfter, insertChange, newestChange, type Part, sweepChanges } from './store.ts';

/** Four looks a second: what another process changed must decide here within one. */
const LOOK_EVERY_MS = 250;
const AT_ONCE = 500;
/** Far longer than any process can go without a look and still serve. */
const KEPT_MS = 7 * 86_400_000;

/** Brings what a process keeps of a part in memory to what is stored now. To do so twice must do no harm. */
export type Refresh = (tenant: number, detail: unknown) => Promise<void>;
/** What the units of changes are given: says that a part of what decides for a tenant is another one from then on. */
export type Note = (tenant: number, part: Part, detail?: unknown) => Statement[];

/** Notes under a name: who has it reads everybody's but their own. */
export const makeNote =
  (madeBy: string, clock: () => number): Note =>
  (tenant, part, detail = null) =>
    insertChange({ tenant, part, detail: JSON.stringify(detail), made_by: madeBy, at: clock() });

/** What is brought up to date, of which parts. */
type Refreshes = Readonly<Partial<Record<Part, Refresh>>>;

/**
 * Tells the other processes on the same store what this one changed, and this one what they changed: a command beside the service changes what decides as
 * well as the API does. To be made before anything is read into memory, so that nothing is missed between.
 */
export const makeChanges = async (deps: { backend: Backend; clock: () => number; log: Log }) => {
  const { backend, clock, log } = deps;
  const self = randomUUID();
  let seen = await newestChange(backend);
  let refresh: Refreshes = {};
  let looking: Promise<unknown> = Promise.resolve();

  /** What failed is met again with the next look, and those after it wait: they may build on it. */
  const look = async (): Promise<void> => {
    for (let rows: ChangeRow[] = []; ; ) {
      rows = await changesAfter(backend, seen, AT_ONCE);
      for (const { number, tenant, part, detail, made_by } of rows) {
        // A later release may know parts that this one does not.
        if (made_by !== self) await refresh[part]?.(tenant, JSON.parse(detail));
        seen = number;
      }
      if (rows.length < AT_ONCE) return;
    }
  };
  /** One after the other: each goes on from where the one before ended. */
  const catchUp = (): Promise<void> => {
    const looked = looking.then(look);
    looking = looked.catch(() => {});
    return looked;
  };
  const rounds = makeRounds({
    act: catchUp,
    firstMs: LOOK_EVERY_MS,
    restMs: LOOK_EVERY_MS,
    onFault: (error) => log.warn({ err: error }, 'what other processes changed could not be read yet'),
  });

  return {
    note: makeNote(self, clock),
    start: (refreshes: Refreshes): void => {
      refresh = refreshes;
      rounds.start();
    },
    /** Resolves when what was changed before now is known here: for who begins what another process was asked for. */
    catchUp,
    stop: rounds.stop,
    sweep: (now: number, limit: number): Promise<number> => sweepChanges(backend, now - KEPT_MS, limit),
  };
};
export type Changes = Awaited<ReturnType<typeof makeChanges>>;
