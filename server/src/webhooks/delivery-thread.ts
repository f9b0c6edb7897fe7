import { parentPort, workerData } from 'node:worker_threads';
import type { DeliveryStatus } from '@portcullis/contract';
import type { Connection } from '../backend/backend.ts';
import { openConnection } from '../backend/connection.ts';
import { makeSteadyClock } from '../runtime/steady-clock.ts';
import { lowerThreadPriority } from '../runtime/thread-priority.ts';
import { type DataKey, makeVersionedSeal } from '../secrets/seal.ts';
import type { AddressRules } from './address-policy.ts';
import { makeDeliveries } from './deliver.ts';
import { makeSender } from './send.ts';

export interface WorkerData {
  readonly connection: Connection;
  readonly dataKeys: readonly DataKey[];
  readonly rules: AddressRules;
  readonly ca: string | undefined;
  readonly limitMs: number | undefined;
}
export type OutcomeCounts = Readonly<Record<DeliveryStatus, number>>;
export interface PendingCount {
  readonly count: number;
  readonly oldestId: string | null;
}
export type ToWorker =
  | { readonly wake: readonly string[] }
  | { readonly dataKeys: readonly DataKey[] }
  | { readonly request: 'refresh' | 'count'; readonly number: number }
  | { readonly stop: true };
export type FromWorker =
  | { readonly answers: number; readonly pending: PendingCount }
  | { readonly outcomes: OutcomeCounts }
  | {
      readonly level: 'info' | 'warn' | 'error';
      readonly text: string;
      readonly webhook_id?: string;
      readonly reason?: string;
    };

/**
 * How long exchanges in flight may take when the service stops. A slower receiver gets the message again after the
 * next start.
 */
const GRACE_MS = 3000;
const REPORT_EVERY_MS = 100;

const port = parentPort;
if (port === null) throw new Error('delivery-thread runs as a worker thread');
const { connection, dataKeys, rules, ca, limitMs } = workerData as WorkerData;
const post = (message: FromWorker): void => port.postMessage(message);
try {
  lowerThreadPriority();
} catch (error) {
  // Some containers forbid it. Deliveries must not depend on it.
  post({
    level: 'warn',
    text: 'webhook thread priority could not be lowered; deliveries may slow down screenings',
    reason: String(error),
  });
}

const backend = await openConnection(connection, (reason) =>
  post({ level: 'error', text: 'webhook thread: store error', reason }),
);
const sender = makeSender({ rules, ca, ...(limitMs === undefined ? {} : { limitMs }) });

/** Reported in batches: a message for every delivery would cost the main thread as much as the delivery costs here. */
let outcomes: Record<DeliveryStatus, number> = { owed: 0, delivered: 0, failed: 0 };
const reportOutcomes = (): void => {
  if (outcomes.owed + outcomes.delivered + outcomes.failed === 0) return;
  post({ outcomes });
  outcomes = { owed: 0, delivered: 0, failed: 0 };
};
const reporting = setInterval(reportOutcomes, REPORT_EVERY_MS);

const seal = makeVersionedSeal(dataKeys, Date.now);
const clock = makeSteadyClock((reason) => post({ level: 'warn', text: 'webhook thread: clock', reason }));
const deliveries = makeDeliveries({
  backend,
  seal,
  sender,
  clock: clock.now,
  isClockCertain: () => clock.doubt() === undefined,
  report: {
    outcome: (status) => {
      outcomes[status]++;
    },
    failing: (id, reason) => post({ level: 'warn', text: 'webhook endpoint failing', webhook_id: `wh_${id}`, reason }),
    recovered: (id) => post({ level: 'info', text: 'webhook endpoint recovered', webhook_id: `wh_${id}` }),
    disabled: (id) =>
      post({ level: 'warn', text: 'webhook endpoint disabled after failing for 5 days', webhook_id: `wh_${id}` }),
    error: (error) =>
      post({
        level: 'error',
        text: 'webhook deliveries failed; retrying',
        reason: error instanceof Error ? error.message : String(error),
      }),
  },
});

const NONE: PendingCount = { count: 0, oldestId: null };
/** The count failed. Reporting 0 would show monitoring that every delivery was sent. */
const UNKNOWN: PendingCount = { count: Number.NaN, oldestId: null };
const answer = async (request: 'refresh' | 'count', number: number): Promise<void> => {
  try {
    if (request === 'refresh') await deliveries.refresh();
    post({ answers: number, pending: request === 'count' ? await deliveries.countPending() : NONE });
  } catch (error) {
    // The main thread waits for an answer. The next periodic refresh makes up for a failed one.
    post({ level: 'error', text: 'webhook thread: store error', reason: String(error) });
    post({ answers: number, pending: UNKNOWN });
  }
};
const stop = async (): Promise<void> => {
  await deliveries.stop(GRACE_MS);
  await sender.close();
  clearInterval(reporting);
  reportOutcomes();
  await backend.close();
  port.close();
};

port.on('message', (message: ToWorker) => {
  if ('wake' in message) for (const id of message.wake) deliveries.wake(id);
  else if ('dataKeys' in message) seal.load(message.dataKeys);
  else if ('request' in message) void answer(message.request, message.number);
  else void stop();
});
void deliveries.start();
