import { expect } from 'vitest';
import { makeSeal } from '../src/access/seal.ts';
import type { Statement } from '../src/backend/backend.ts';
import { openSqlite } from '../src/backend/sqlite.ts';
import { makeIds } from '../src/ids.ts';
import { makeDeliveries } from '../src/webhooks/deliveries.ts';
import { type DeliveryRow, insertOwed, listDeliveryRows } from '../src/webhooks/delivery-store.ts';
import { makeSender } from '../src/webhooks/send.ts';
import { insertWebhook, secretContext } from '../src/webhooks/store.ts';
import { makeClock, makeFolder } from './harness.ts';
import type { startReceiver } from './receiver.ts';

export const TENANT = 1;
export const SECRET_KEY = Buffer.alloc(32, 7);
export const seal = makeSeal(SECRET_KEY);
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export const insertEndpoint = (id: string, url: string, at: number): Statement =>
  insertWebhook({
    id,
    tenant: TENANT,
    url,
    events: '[]',
    label: null,
    status: 'enabled',
    sealed_secret: seal.seal(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, secretContext(id)),
    created_at: at,
    failing_since: null,
    sealed_previous_secret: null,
    previous_until: null,
  });

export const oweMessage = (webhookId: string, id: string, at: number): Statement =>
  insertOwed(TENANT, webhookId, { id, type: 'case.created', body: '{}', createdAt: at });

/** The worker by itself on a real store, with a clock that a test moves. */
export const startWorker = async (receiver: Receiver, random: () => number = () => 0.5) => {
  const clock = makeClock();
  const { backend } = openSqlite({ directory: makeFolder() });
  const sender = makeSender({ rules: { allowLoopback: true, allowedNetworks: [] }, ca: receiver.ca });
  const told: string[] = [];
  const report = {
    outcome: () => {},
    failing: () => void told.push('failing'),
    recovered: () => void told.push('recovered'),
    disabled: () => void told.push('disabled'),
    fault: (error: unknown) => void told.push(String(error)),
  };
  const deliveries = makeDeliveries({ backend, seal, sender, clock: clock.now, report, random });
  const newId = makeIds(clock.now);
  const register = async (more = '', origin = receiver.url): Promise<string> => {
    const id = newId();
    await backend.write([insertEndpoint(id, `${origin}/${id}${more}`, clock.now())]);
    await deliveries.refresh();
    return id;
  };
  const owe = async (webhookId: string): Promise<void> => {
    await backend.write([oweMessage(webhookId, newId(), clock.now())]);
    deliveries.wake(webhookId);
  };
  const newest = async (webhookId: string): Promise<DeliveryRow> =>
    (await listDeliveryRows(backend, TENANT, webhookId, { status: undefined, before: undefined }, 1))[0] as DeliveryRow;
  const attempts = async (webhookId: string): Promise<{ at: number; status: number }[]> =>
    JSON.parse((await newest(webhookId)).attempts);
  const sent = (webhookId: string): number =>
    receiver.received.filter(({ path }) => path.startsWith(`/${webhookId}`)).length;
  const witness = await register('/witness');
  /** Has the worker go through everything that is due by now. */
  const settle = async (): Promise<void> => {
    const before = sent(witness);
    await owe(witness);
    deliveries.wakeAll();
    await expect.poll(() => sent(witness)).toBe(before + 1);
  };
  const stop = async (): Promise<void> => {
    await deliveries.stop(0);
    await sender.close();
    await backend.close();
  };
  await deliveries.start();
  return { clock, backend, deliveries, sender, register, owe, newest, attempts, sent, settle, told, stop };
};
