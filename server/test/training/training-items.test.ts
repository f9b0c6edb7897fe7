import { makeFacts, packFacts } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { itemSummaries, type TrainingItem, takeSnapshot, trainingItems } from '../../src/models/training-items.ts';
import {
  client,
  DAY_MS,
  HOUR_MS,
  type Json,
  makeClock,
  payment,
  REVIEW_IP,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
const { backend, retention } = service.app;
const open = async (account: string) => client(service, await service.key({ account, environment: 'production' }));
type Api = Awaited<ReturnType<typeof open>>;
const pay = async (api: Api, amount: number, more = {}): Promise<Json> =>
  (await api.pay(payment({ amount, ...more }))).json;
const label = async (api: Api, { transaction_id }: Json, value = 'fraud'): Promise<void> => {
  const { status } = await api.post('/v1/labels', { transaction_id, label: value, source: 'chargeback' });
  expect(status).toBe(201);
};
const snapshotOf = async (account: string) => {
  const tenant = await service.app.keys.tenantOf(account, 'production');
  return takeSnapshot(backend, tenant, clock.now());
};
/** Amounts identify the items: an expired item has no user. */
const itemsOf = async (account: string): Promise<[amount: number, label: string | undefined, isExpired: boolean][]> => {
  const snapshot = await snapshotOf(account);
  const items: TrainingItem[] = [];
  for await (const item of trainingItems(backend, snapshot, () => {})) items.push(item);
  const seen: number[] = [];
  for await (const { at } of itemSummaries(backend, snapshot, () => {})) seen.push(at);
  expect(seen).toEqual(items.map(({ at }) => at));
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  return items.map((item) => [
    item.subject.type === 'transaction' ? item.subject.request.amount : 0,
    item.label,
    item.isExpired,
  ]);
};

test('a label is used after its screening is deleted, also while an older screening is kept for a late label', async () => {
  const api = await open('late');
  // In PostgreSQL a row beyond the weeks created at the start is deleted alone, and not with its week.
  clock.advance(28 * DAY_MS);
  const late = await pay(api, 1);
  clock.advance(HOUR_MS);
  await label(api, await pay(api, 2));
  await pay(api, 3);
  clock.advance(90 * DAY_MS - HOUR_MS - 1);
  await label(api, late);
  await label(api, await pay(api, 4), 'legitimate');
  await pay(api, 5);
  clock.advance(2 * HOUR_MS);
  await retention.sweepAll();
  expect(await backend.read('SELECT 1 FROM screenings')).toHaveLength(3);
  expect(await itemsOf('late')).toEqual([
    [1, 'fraud', true],
    [2, 'fraud', true],
    [4, 'legitimate', false],
    [5, undefined, false],
  ]);
});

test('items swept during a training are there on every read', async () => {
  const api = await open('swept');
  await label(api, await pay(api, 1));
  clock.advance(90 * DAY_MS - 1);
  await pay(api, 2);
  const read = async (snapshot: Awaited<ReturnType<typeof snapshotOf>>): Promise<number> => {
    let count = 0;
    for await (const _ of itemSummaries(backend, snapshot, () => {})) count++;
    return count;
  };
  const snapshot = await snapshotOf('swept');
  expect(await read(snapshot)).toBe(2);
  clock.advance(DAY_MS / 2);
  await retention.sweepAll();
  expect(await read(snapshot)).toBe(2);
});

test('decisions forced by a test address are never used, whatever their label, before and after 90 days', async () => {
  const api = await open('trying');
  const tried = await pay(api, 1, { ip_address: REVIEW_IP });
  expect((await api.put(`/v1/cases/${tried.case_id}`, { status: 'rejected' })).status).toBe(200);
  await label(api, await pay(api, 2));
  expect(await itemsOf('trying')).toEqual([[2, 'fraud', false]]);
  clock.advance(91 * DAY_MS);
  await retention.sweepAll();
  expect(await itemsOf('trying')).toEqual([[2, 'fraud', true]]);
});

test('items decided without the history of their user are never used, before and after 90 days', async () => {
  const api = await open('without');
  const [first, second] = [await pay(api, 1), await pay(api, 2)];
  await label(api, first);
  await label(api, second);
  // As stored while Redis was unavailable.
  const away = packFacts(makeFacts().fill(Number.NaN));
  const id = String(first.transaction_id).split('_').at(-1) as string;
  await backend.write([
    { sql: 'UPDATE screenings SET facts = ? WHERE id = ?', params: [away, id], expect: 1 },
    { sql: 'UPDATE labels SET facts = ? WHERE screening_id = ?', params: [away, id], expect: 1 },
  ]);
  expect(await itemsOf('without')).toEqual([[2, 'fraud', false]]);
  clock.advance(91 * DAY_MS);
  await retention.sweepAll();
  expect(await itemsOf('without')).toEqual([[2, 'fraud', true]]);
});
