import { Worker } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import { timeOf } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { FromWorker, Measured, Outcomes, ToWorker, WorkerData } from './delivery-thread.ts';

/** Who sends what is owed. */
export interface DeliveryWorker {
  /** Something is owed to these endpoints, and stored. */
  readonly wake: (webhookIds: readonly string[]) => void;
  /** Endpoints changed. Resolves when nothing more begins that they, as they are now, do not want. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface DeliveryOptions extends Omit<WorkerData, 'connection'> {
  readonly connect: () => Connection;
  readonly log: Log;
  readonly metrics: Metrics;
}

const START_AGAIN_MS = 1000;
/** It holds bodies for moments only; left alone, its heap would take tens of megabytes for them. */
const YOUNG_MB = 8;
const NOTHING: Measured = { count: 0, oldestId: null };

/** Of a process that leaves sending to others, who find by themselves what is owed. */
export const OTHERS_SEND: DeliveryWorker = { wake: () => {}, refresh: async () => {}, stop: async () => {} };

/**
 * Sends in a thread of its own: encrypting, and waiting for others, is not to take time from screenings. The thread is there from the
 * first endpoint on, and again should it ever end.
 */
export const makeDeliveryWorker = ({ connect, log, metrics, ...data }: DeliveryOptions): DeliveryWorker => {
  let thread: Worker | undefined;
  let exited: Promise<void> = Promise.resolve();
  let stopping = false;
  let asked = 0;
  const waiting = new Map<number, (measured: Measured) => void>();

  const count = (outcomes: Outcomes): void => {
    metrics.deliveries.inc({ outcome: 'delivered' }, outcomes.delivered);
    metrics.deliveries.inc({ outcome: 'failed' }, outcomes.failed);
    metrics.deliveries.inc({ outcome: 'to_be_retried' }, outcomes.owed);
  };
  const listen = (message: FromWorker): void => {
    if ('answered' in message) {
      waiting.get(message.answered)?.(message.measured);
      waiting.delete(message.answered);
    } else if ('outcomes' in message) count(message.outcomes);
    else {
      const { level, text, ...fields } = message;
      log[level](fields, text);
    }
  };
  /** It sends nothing any more, and owes no answer. */
  const end = (): void => {
    thread = undefined;
    for (const resolve of waiting.values()) resolve(NOTHING);
    waiting.clear();
    if (!stopping) setTimeout(start, START_AGAIN_MS).unref();
  };
  const start = (): void => {
    if (thread !== undefined || stopping) return;
    const connection = connect();
    const started = new Worker(new URL('./delivery-thread.ts', import.meta.url), {
      workerData: { connection, ...data } satisfies WorkerData,
      transferList: [...connection.ports],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    started.on('message', listen);
    started.on('error', (error) => log.error({ err: error }, 'the thread that sends webhooks ended'));
    exited = new Promise((resolve) => started.once('exit', () => resolve()));
    void exited.then(end);
    thread = started;
  };
  const tell = (message: ToWorker): void => thread?.postMessage(message);
  const ask = (what: 'refresh' | 'measure'): Promise<Measured> => {
    if (thread === undefined) return Promise.resolve(NOTHING);
    return new Promise((resolve) => {
      waiting.set(++asked, resolve);
      tell({ ask: what, number: asked });
    });
  };

  metrics.owed(async () => {
    const { count, oldestId } = await ask('measure');
    if (Number.isNaN(count)) return { count, oldestSeconds: count };
    const oldestSeconds = oldestId === null ? 0 : (Date.now() - timeOf(oldestId)) / 1000;
    return { count, oldestSeconds: Math.max(0, oldestSeconds) };
  });

  return {
    wake: (webhookIds) => tell({ wake: webhookIds }),
    refresh: async () => {
      // One that only starts reads them anyway, and whoever registers an endpoint need not wait for it.
      if (thread === undefined) start();
      else await ask('refresh');
    },
    stop: async () => {
      stopping = true;
      tell({ stop: true });
      await exited;
    },
  };
};
