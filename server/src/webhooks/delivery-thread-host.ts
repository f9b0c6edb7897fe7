import { Worker } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import { timeOf } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { DataKey } from '../secrets/seal.ts';
import type { FromWorker, OutcomeCounts, PendingCount, ToWorker, WorkerData } from './delivery-thread.ts';

/** Sends pending deliveries. */
export interface DeliveryWorker {
  /** To be called once deliveries for these endpoints are stored. */
  readonly wake: (webhookIds: readonly string[]) => void;
  /** Reloads the endpoints. Once it resolves, no delivery starts for a deleted or disabled one. */
  readonly refresh: () => Promise<void>;
  /** To be called when the data keys changed. */
  readonly loadKeys: () => void;
  readonly stop: () => Promise<void>;
}

export interface DeliveryOptions extends Omit<WorkerData, 'connection' | 'dataKeys'> {
  readonly dataKeys: () => readonly DataKey[];
  readonly connect: () => Connection;
  readonly log: Log;
  readonly metrics: Metrics;
}

const RESTART_AFTER_MS = 1000;
/** The thread holds bodies only briefly; without this limit its heap would grow by tens of megabytes. */
const YOUNG_MB = 8;
const NONE: PendingCount = { count: 0, oldestId: null };

/** For a process that does not send. Other processes find its deliveries by polling. */
export const NO_DELIVERY_WORKER: DeliveryWorker = {
  wake: () => {},
  refresh: async () => {},
  loadKeys: () => {},
  stop: async () => {},
};

interface WorkerState extends DeliveryOptions {
  thread: Worker | undefined;
  exited: Promise<void>;
  isStopping: boolean;
  lastRequest: number;
  /** Requests to the thread without an answer yet, by number. */
  readonly pending: Map<number, (count: PendingCount) => void>;
}

const countOutcomes = (metrics: Metrics, outcomes: OutcomeCounts): void => {
  metrics.deliveries.inc({ outcome: 'delivered' }, outcomes.delivered);
  metrics.deliveries.inc({ outcome: 'failed' }, outcomes.failed);
  metrics.deliveries.inc({ outcome: 'to_be_retried' }, outcomes.owed);
};

const receive = ({ pending, metrics, log }: WorkerState, message: FromWorker): void => {
  if ('answers' in message) {
    pending.get(message.answers)?.(message.pending);
    pending.delete(message.answers);
  } else if ('outcomes' in message) countOutcomes(metrics, message.outcomes);
  else {
    const { level, text, ...fields } = message;
    log[level](fields, text);
  }
};

/** Answers the open requests of a thread that ended, and restarts it after a pause. */
const handleExit = (state: WorkerState): void => {
  state.thread = undefined;
  for (const resolve of state.pending.values()) resolve(NONE);
  state.pending.clear();
  if (!state.isStopping) setTimeout(start, RESTART_AFTER_MS, state).unref();
};

const start = (state: WorkerState): void => {
  if (state.thread !== undefined || state.isStopping) return;
  const { log, rules, ca, limitMs } = state;
  const dataKeys = state.dataKeys();
  const connection = state.connect();
  const thread = new Worker(new URL('./delivery-thread.ts', import.meta.url), {
    name: 'delivery-thread',
    workerData: { connection, dataKeys, rules, ca, limitMs } satisfies WorkerData,
    transferList: [...connection.ports],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  thread.on('message', (message: FromWorker) => receive(state, message));
  thread.on('error', (error) => log.error({ err: error }, 'webhook thread ended; restarting it'));
  state.exited = new Promise((resolve) => thread.once('exit', () => resolve()));
  void state.exited.then(() => handleExit(state));
  state.thread = thread;
};

const post = ({ thread }: WorkerState, message: ToWorker): void => thread?.postMessage(message);

const request = (state: WorkerState, what: 'refresh' | 'count'): Promise<PendingCount> => {
  if (state.thread === undefined) return Promise.resolve(NONE);
  return new Promise((resolve) => {
    state.pending.set(++state.lastRequest, resolve);
    post(state, { request: what, number: state.lastRequest });
  });
};

/**
 * Sends in a separate thread, so that encryption and slow receivers take no time from screenings. The thread starts
 * with the first endpoint and restarts if it ends.
 */
export const makeDeliveryWorker = (options: DeliveryOptions): DeliveryWorker => {
  const state: WorkerState = {
    ...options,
    thread: undefined,
    exited: Promise.resolve(),
    isStopping: false,
    lastRequest: 0,
    pending: new Map(),
  };

  options.metrics.pendingDeliveries(async () => {
    const { count, oldestId } = await request(state, 'count');
    if (Number.isNaN(count)) return { count, oldestSeconds: count };
    const oldestSeconds = oldestId === null ? 0 : (Date.now() - timeOf(oldestId)) / 1000;
    return { count, oldestSeconds: Math.max(0, oldestSeconds) };
  });

  return {
    wake: (webhookIds) => post(state, { wake: webhookIds }),
    refresh: async () => {
      // A starting thread reads the endpoints anyway, so registering one need not wait for it.
      if (state.thread === undefined) start(state);
      else await request(state, 'refresh');
    },
    loadKeys: () => post(state, { dataKeys: options.dataKeys() }),
    stop: async () => {
      state.isStopping = true;
      post(state, { stop: true });
      await state.exited;
    },
  };
};
