import { unpackFacts } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { type TrainingItem, trainingItems } from '../../src/models/training-items.ts';
import { client, DAY_MS, HOUR_MS, type Json, login, makeClock, payment, startService } from '../fixtures/harness.ts';
import { openRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const live = client(service, await service.key({ environment: 'production' }));
const label = ({ transaction_id, event_id }: Json, value: string, by = live) =>
  by.post('/v1/labels', { ...(event_id ? { event_id } : { transaction_id }), label: value, source: 'chargeback' });
/** The snapshot of a training for which every screening is gone. */
const snapshotOf = async (account: string, labelsThrough = Number.MAX_SAFE_INTEGER) => ({
  tenant: await service.app.keys.tenantOf(account, 'production'),
  firstSeq: Number.MAX_SAFE_INTEGER,
  lastSeq: 0,
  labelsThrough,
});
/** Reads through a second connection, as a training thread does. */
const rowsOf = async (account: string): Promise<TrainingItem[]> => {
  const backend = await openRecords(service.dataDir);
  try {
    const rows: TrainingItem[] = [];
    for await (const row of trainingItems(backend, await snapshotOf(account), () => {})) rows.push(row);
    return rows;
  } finally {
    await backend.close();
  }
};

test('labels in force of production are read in the order of their items, with the facts the decision saw', async () => {
  const { json: first } = await live.pay(payment({ user_id: 'u', amount: 1, currency: 'USD' }));
  const { json: second } = await live.act(login({ user_id: 'u', outcome: 'failed' }));
  const body = { user_id: 'u', amount: 3, currency: 'USD', payment_method: 'card', billing_address: { country: 'FR' } };
  const { json: third } = await live.pay(payment(body));
  await live.pay(payment());
  const sandbox = client(service, await service.key({ environment: 'sandbox' }));
  await label((await sandbox.pay(payment())).json, 'fraud', sandbox);
  const other = client(service, await service.key({ environment: 'production', account: 'other' }));
  await label((await other.pay(payment())).json, 'fraud', other);
  const stored = await service.app.backend.read<{ id: string; facts: Uint8Array }>('SELECT id, facts FROM screenings');

  clock.advance(HOUR_MS);
  await label(third, 'legitimate');
  await label(second, 'fraud');
  await label(first, 'fraud');
  await label(first, 'legitimate');
  await live.post(`/v1/decisions/${third.decision_id}/review`, { decision: 'block' });
  clock.advance(100 * DAY_MS);
  await service.app.retention.sweepAll();

  const rows = await rowsOf('acme');
  expect(rows.map(({ label: value, subject }) => [value, subject.type, subject.request])).toEqual([
    ['legitimate', 'transaction', { user_id: '', amount: 1, currency: 'USD' }],
    ['fraud', 'event', { user_id: '', type: 'login', outcome: 'failed' }],
    ['fraud', 'transaction', { ...body, user_id: '' }],
  ]);
  for (const [i, item] of [first, second, third].entries()) {
    const seen = stored.find(({ id }) => item.decision_id === `dec_${id}`)?.facts as Uint8Array;
    expect(rows[i]?.facts).toEqual(unpackFacts(seen));
    expect([rows[i]?.score, rows[i]?.decision]).toEqual([item.risk_score, item.decision]);
    expect(rows[i]?.subject.at).toBe(Date.parse(item.screened_at));
  }
  expect(await rowsOf('unknown')).toEqual([]);
});

test('labels are read in pages, each item once, and labels after the snapshot are left to the next training', async () => {
  const account = 'busy';
  const api = client(service, await service.key({ environment: 'production', account }));
  // In batches: a busy machine refuses connections beyond its backlog.
  const items: Json[] = [];
  while (items.length < 1100)
    items.push(
      ...(await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { json } = await api.pay(payment());
          await label(json, 'fraud', api);
          return json;
        }),
      )),
    );
  const seen: number[] = [];
  const [newest] = await service.app.backend.read<{ seq: number }>('SELECT MAX(seq) AS seq FROM labels');
  const snapshot = await snapshotOf(account, newest?.seq ?? 0);
  for await (const { subject, label: value } of trainingItems(service.app.backend, snapshot, () => {})) {
    // Labels the last items after the first was read: the snapshot is older than these labels.
    if (seen.length === 0) for (const item of items.slice(-3)) await label(item, 'legitimate', api);
    seen.push(subject.at);
    expect(value).toBe('fraud');
  }
  expect(seen).toHaveLength(1100);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  const again = await rowsOf(account);
  expect(again.filter((row) => row.label === 'legitimate')).toHaveLength(3);
});
