import { Worker } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { RETENTION_MS } from '../screening/screen.ts';
import type { FromProjector, ProjectorData, ToProjector } from './projector-thread.ts';

interface ProjectorOptions {
  readonly connect: () => Connection;
  readonly identityKey: Uint8Array;
  readonly clock: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}
interface ProjectorState extends ProjectorOptions {
  thread: Worker | undefined;
  exited: Promise<void>;
  isStopping: boolean;
  /** The time of the newest entry in the projection, and whether it was the last one. */
  reached: { readonly at: number; readonly isDone: boolean } | undefined;
  lastSweep: number;
  readonly sweeps: Map<number, (items: number) => void>;
  readonly erasures: Map<number, (isDone: boolean) => void>;
}

const RESTART_AFTER_MS = 1000;
/** Its objects are short-lived. By default its young generation would grow to 48 MB. */
const YOUNG_MB = 8;

const receive = (state: ProjectorState, message: FromProjector): void => {
  if ('swept' in message) {
    state.sweeps.get(message.swept)?.(message.items);
    state.sweeps.delete(message.swept);
  } else if ('erased' in message) {
    state.erasures.get(message.erased)?.(message.isDone);
    state.erasures.delete(message.erased);
  } else if ('level' in message) state.log[message.level]({ reason: message.reason }, message.text);
  else state.reached = message;
};

/** Answers the open requests of a thread that ended, and restarts it after a pause. */
const handleExit = (state: ProjectorState): void => {
  state.thread = undefined;
  state.reached = undefined;
  for (const resolve of state.sweeps.values()) resolve(0);
  state.sweeps.clear();
  for (const resolve of state.erasures.values()) resolve(false);
  state.erasures.clear();
  if (!state.isStopping) setTimeout(start, RESTART_AFTER_MS, state).unref();
};

const start = (state: ProjectorState): void => {
  if (state.thread !== undefined || state.isStopping) return;
  const connection = state.connect();
  const thread = new Worker(new URL('./projector-thread.ts', import.meta.url), {
    name: 'projector-thread',
    workerData: { connection, identityKey: state.identityKey } satisfies ProjectorData,
    transferList: [...connection.ports],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  thread.on('message', (message: FromProjector) => receive(state, message));
  thread.on('error', (error) => state.log.error({ err: error }, 'search thread ended; restarting it'));
  state.exited = new Promise((resolve) => thread.once('exit', () => resolve()));
  void state.exited.then(() => handleExit(state));
  state.thread = thread;
};

/** NaN before the first report, and where another process writes the projection. */
const lagSeconds = ({ reached, clock }: ProjectorState): number => {
  if (reached === undefined) return Number.NaN;
  return reached.isDone ? 0 : Math.max(0, (clock() - reached.at) / 1000);
};

/** Writes the projection in a separate thread, so that no screening waits for it. The thread restarts if it ends. */
export const makeProjector = (options: ProjectorOptions) => {
  const state: ProjectorState = {
    ...options,
    thread: undefined,
    exited: Promise.resolve(),
    isStopping: false,
    reached: undefined,
    lastSweep: 0,
    sweeps: new Map(),
    erasures: new Map(),
  };
  options.metrics.gauge(
    'portcullis_search_lag_seconds',
    'How far search is behind the stored screenings and labels; NaN where another process writes it.',
    () => lagSeconds(state),
  );
  return {
    start: (): void => start(state),
    /** Deletes items past the retention of their screenings. */
    sweep: (now: number, limit: number): Promise<number> => {
      const { thread } = state;
      if (thread === undefined) return Promise.resolve(0);
      return new Promise((resolve) => {
        const number = ++state.lastSweep;
        state.sweeps.set(number, resolve);
        const itemsBefore = now - RETENTION_MS;
        thread.postMessage({ sweep: number, now, itemsBefore, limit } satisfies ToProjector);
      });
    },
    /**
     * Removes the entities of items. With `users`, it then removes those who have no other item, and former content from
     * the file. Returns false where it has to be tried again.
     */
    erase: (tenant: number, numbers: readonly number[], users?: readonly string[]): Promise<boolean> => {
      const { thread } = state;
      if (thread === undefined) return Promise.resolve(false);
      return new Promise((resolve) => {
        const number = ++state.lastSweep;
        state.erasures.set(number, resolve);
        thread.postMessage({ erase: number, tenant, numbers, users } satisfies ToProjector);
      });
    },
    stop: async (): Promise<void> => {
      state.isStopping = true;
      state.thread?.postMessage('stop' satisfies ToProjector);
      await state.exited;
    },
  };
};
export type Projector = ReturnType<typeof makeProjector>;
