import { parentPort, workerData } from 'node:worker_threads';
import type { DeliveryStatus } from '@portcullis/contract';
import { makeSeal } from '../access/seal.ts';
import type { Connection } from '../backend/backend.ts';
import { openConnection } from '../backend/connection.ts';
import { lowerThreadPriority } from '../thread-priority.ts';
import type { AddressRules } from './address.ts';
import { makeDeliveries } from './deliveries.ts';
import { makeSender } from './send.ts';

export interface WorkerData {
  readonly connection: Connection;
  readonly secretKey: Uint8Array;
  readonly rules: AddressRules;
  readonly ca: string | undefined;
  readonly limitMs: number | undefined;
}
export type Outcomes = Readonly<Record<DeliveryStatus, number>>;
export interface Measured {
  readonly count: number;
  readonly oldestId: string | null;
}
export type ToWorker =
  | { readonly wake: readonly string[] }
  | { readonly ask: 'refresh' | 'measure'; readonly number: number }
  | { readonly stop: true };
export type FromWorker =
  | { readonly answered: number; readonly measured: Measured }
  | { readonly outcomes: Outcomes }
  | {
      readonly level: 'info' | 'warn' | 'error';
      readonly text: string;
      readonly webhook_id?: string;
      readonly reason?: string;
    };

/** What is under way when the service stops may take so long; a receiver slower than this gets it again after the start. */
const GRACE_MS = 3000;
const REPORT_EVERY_MS = 100;

const port = parentPort;
if (port === null) throw new Error('delivery-thread runs as a worker thread');
const { connection, secretKey, rules, ca, limitMs } = workerData as WorkerData;
const say = (message: FromWorker): void => port.postMessage(message);
try {
  lowerThreadPriority();
} catch (error) {
  // Some containers forbid it. Sending must not depend on it.
  say({ level: 'warn', text: 'sending webhooks does not give way to screening', reason: String(error) });
}

const backend = await openConnection(connection, (fault) =>
  say({ level: 'error', text: 'the store failed for webhooks', reason: fault }),
);
const sender = makeSender({ rules, ca, ...(limitMs === undefined ? {} : { limitMs }) });

/** Told now and then: a message for every delivery would cost the other side as much as the delivery costs here. */
let outcomes: Record<DeliveryStatus, number> = { owed: 0, delivered: 0, failed: 0 };
const tellOutcomes = (): void => {
  if (outcomes.owed + outcomes.delivered + outcomes.failed === 0) return;
  say({ outcomes });
  outcomes = { owed: 0, delivered: 0, failed: 0 };
};
const telling = setInterval(tellOutcomes, REPORT_EVERY_MS);

const deliveries = makeDeliveries({
  backend,
  seal: makeSeal(Buffer.from(secretKey)),
  sender,
  clock: Date.now,
  report: {
    outcome: (status) => {
      outcomes[status]++;
    },
    failing: (id, reason) => say({ level: 'warn', text: 'a webhook endpoint fails', webhook_id: `wh_${id}`, reason }),
    recovered: (id) => say({ level: 'info', text: 'a webhook endpoint works again', webhook_id: `wh_${id}` }),
    disabled: (id) =>
      say({ level: 'warn', text: 'a webhook endpoint failed for 5 days and was disabled', webhook_id: `wh_${id}` }),
    fault: (error) =>
      say({
        level: 'error',
        text: 'sending webhooks failed and is tried again',
        reason: error instanceof Error ? error.message : String(error),
      }),
  },
});

const NOTHING: Measured = { count: 0, oldestId: null };
/** What could not be counted is not none: whoever watches must not be told that all was sent. */
const UNKNOWN: Measured = { count: Number.NaN, oldestId: null };
const answer = async (what: 'refresh' | 'measure', number: number): Promise<void> => {
  try {
    if (what === 'refresh') await deliveries.refresh();
    say({ answered: number, measured: what === 'measure' ? await deliveries.owed() : NOTHING });
  } catch (error) {
    // Whoever asked waits for an answer; the next look at the endpoints finds what this one did not.
    say({ level: 'error', text: 'the store failed for webhooks', reason: String(error) });
    say({ answered: number, measured: UNKNOWN });
  }
};
const stop = async (): Promise<void> => {
  await deliveries.stop(GRACE_MS);
  await sender.close();
  clearInterval(telling);
  tellOutcomes();
  await backend.close();
  port.close();
};

port.on('message', (message: ToWorker) => {
  if ('wake' in message) for (const id of message.wake) deliveries.wake(id);
  else if ('ask' in message) void answer(message.ask, message.number);
  else void stop();
});
void deliveries.start();
