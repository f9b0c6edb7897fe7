import type { ImportItem } from '@portcullis/contract';
import { FACT_NAMES, type Facts, replay, unpackFacts, unpackVerdict } from '@portcullis/engine';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TrainingItem, takeSnapshot, trainingItems } from '../../src/models/training-items.ts';
import { POLICY, type StoredLabel, type StoredScreening } from '../fixtures/crash-store.ts';
import {
  BLOCK_IP,
  type Client,
  client,
  countRows,
  DAY_MS,
  fieldErrors,
  HOUR_MS,
  iso,
  type Json,
  makeClock,
  payment,
  profilePath,
  REVIEW_IP,
  type Service,
  START,
  startService,
} from '../fixtures/harness.ts';
import { historyOf } from '../fixtures/label-traffic.ts';
import { importAll, itemOf, pastItems, steadyTraffic } from '../fixtures/past-items.ts';
import type { Step } from '../fixtures/traffic.ts';

const rowsOf = (service: Service): Promise<StoredScreening[]> =>
  service.app.backend.read<StoredScreening>(
    'SELECT seq, id, type, screened_at, request, verdict, facts, imported FROM screenings ORDER BY seq',
  );
const labelsOf = (service: Service): Promise<StoredLabel[]> =>
  service.app.backend.read<StoredLabel>(
    'SELECT seq, id, screening_seq, label, reason, labelled_at FROM labels ORDER BY seq',
  );
const differingFacts = (one: Facts, other: Facts): string[] =>
  FACT_NAMES.filter((_, i) => !Object.is(one[i], other[i]));

const start = async () => {
  const clock = makeClock();
  const service = await startService({ clock: clock.now, logLevel: 'silent' });
  return { clock, service, api: client(service, await service.key()) };
};

/** Does at their times what an import does later. */
const playLive = async (
  { clock, api }: Awaited<ReturnType<typeof start>>,
  items: readonly ImportItem[],
): Promise<void> => {
  const ids = new Map<string, Json>();
  for (const { id, occurred_at, transaction, event, label, label_reason } of items) {
    clock.set(Date.parse(occurred_at));
    if (label === undefined) {
      const { json } = transaction === undefined ? await api.act(event) : await api.pay(transaction);
      ids.set(id, json);
      continue;
    }
    const { transaction_id, event_id } = ids.get(id);
    const of = transaction_id === undefined ? { event_id } : { transaction_id };
    await api.post('/v1/labels', { ...of, label, source: 'test', ...(label_reason && { reason: label_reason }) });
  }
};

const expectSameFacts = (imported: readonly StoredScreening[], live: readonly StoredScreening[]): void => {
  expect(imported.length).toBe(live.length);
  for (const [i, row] of imported.entries()) {
    const other = live[i] as StoredScreening;
    expect([i, differingFacts(unpackFacts(row.facts), unpackFacts(other.facts))]).toEqual([i, []]);
    expect([i, unpackVerdict(row.verdict)]).toEqual([i, unpackVerdict(other.verdict)]);
  }
};

describe('an imported history', () => {
  const steps = steadyTraffic(7, 260);
  const { items, end } = pastItems(steps.slice(0, 200), START - 200 * DAY_MS);
  const later = steps.slice(200);

  test('gives the same facts and decisions, to the bit, as if every item had been screened at its time', async () => {
    const [live, past] = [await start(), await start()];
    await playLive(live, items);
    past.clock.set(end + HOUR_MS);
    expect(await importAll(past.api, items)).toEqual({ imported: 200, labelled: 40, repeated: 0 });
    for (const world of [live, past]) {
      world.clock.set(end + HOUR_MS);
      for (const { path, body, afterMs } of later) {
        world.clock.advance(afterMs);
        expect((await world.api.post(path, body)).status).toBe(200);
      }
    }
    expectSameFacts(await rowsOf(past.service), await rowsOf(live.service));
    const users = new Set(items.map(({ transaction, event }) => (transaction ?? event)?.user_id));
    for (const user of users) {
      if (user === undefined) continue;
      const [a, b] = await Promise.all([live, past].map(async ({ api }) => (await api.get(profilePath(user))).json));
      expect({ ...b, cases: null }).toEqual({ ...a, cases: null });
    }
  });

  test('and every decision after it equal a replay of the stored items, to the bit, also after a restart', async () => {
    const clock = makeClock(end + HOUR_MS);
    const first = await startService({ clock: clock.now, logLevel: 'silent' });
    const key = await first.key();
    await importAll(client(first, key), items);
    await first.stop();
    const service = await startService({ clock: clock.now, logLevel: 'silent', dataDir: first.dataDir });
    for (const { path, body, afterMs } of later) {
      clock.advance(afterMs);
      expect((await client(service, key).post(path, body)).status).toBe(200);
    }
    const rows = await rowsOf(service);
    let index = 0;
    for (const { facts, verdict } of replay(POLICY, historyOf(rows, await labelsOf(service)))) {
      const row = rows[index++] as StoredScreening;
      expect([index, differingFacts(unpackFacts(row.facts), facts)]).toEqual([index, []]);
      expect(unpackVerdict(row.verdict)).toEqual(verdict);
    }
    expect(index).toBe(260);
  });

  test('that comes after live traffic is counted at its own time, and replays to the bit', async () => {
    const world = await start();
    world.clock.set(end + HOUR_MS);
    for (const { path, body, afterMs } of later.slice(0, 30)) {
      world.clock.advance(afterMs);
      await world.api.post(path, body);
    }
    await importAll(world.api, items);
    for (const { path, body, afterMs } of later.slice(30)) {
      world.clock.advance(afterMs);
      await world.api.post(path, body);
    }
    const rows = await rowsOf(world.service);
    let index = 0;
    for (const { facts } of replay(POLICY, historyOf(rows, await labelsOf(world.service)))) {
      const row = rows[index++] as StoredScreening;
      expect([index, differingFacts(unpackFacts(row.facts), facts)]).toEqual([index, []]);
    }
    expect(index).toBe(260);
  });

  test('can be trained on: every item with its facts at the time, and the labels of the file', async () => {
    const { clock, service, api } = await start();
    clock.set(end + HOUR_MS);
    await importAll(api, items);
    const { backend } = service.app;
    const [tenant] = await backend.read<{ tenant: number }>('SELECT DISTINCT tenant FROM screenings');
    const snapshot = await takeSnapshot(backend, tenant?.tenant as number, clock.now());
    const trained: TrainingItem[] = [];
    for await (const item of trainingItems(backend, snapshot, () => {})) trained.push(item);
    const tested = new Set([REVIEW_IP, BLOCK_IP]);
    const usable = items.filter(
      ({ transaction, event }) =>
        (transaction ?? event) !== undefined && !tested.has((transaction ?? event)?.ip_address ?? ''),
    );
    expect(trained.map(({ at }) => at)).toEqual(usable.map(({ occurred_at }) => Date.parse(occurred_at)));
    const labelOf = new Map(items.map(({ id, label }) => [id, label]));
    expect(trained.map(({ label }) => label)).toEqual(usable.map(({ id }) => labelOf.get(id)));
  });

  test('changes nothing when it is imported again, whole or in part', async () => {
    const { clock, service, api } = await start();
    clock.set(end + HOUR_MS);
    await importAll(api, items);
    const [rows, labels] = [await rowsOf(service), await labelsOf(service)];
    const user = (items[0]?.transaction ?? items[0]?.event)?.user_id as string;
    const before = (await api.get(profilePath(user))).json;
    expect(await importAll(api, items)).toEqual({ imported: 0, labelled: 0, repeated: 240 });
    expect(await importAll(api, items.slice(33, 77))).toEqual({ imported: 0, labelled: 0, repeated: 44 });
    expect([await rowsOf(service), await labelsOf(service)]).toEqual([rows, labels]);
    expect((await api.get(profilePath(user))).json).toEqual(before);
  });
});

describe('an imported item', () => {
  const at = START - 100 * DAY_MS;
  const pay = (more: Record<string, unknown> = {}): Step => ({
    path: '/v1/transactions/screen',
    body: payment({ user_id: 'ada', ...more }),
    afterMs: 0,
  });
  let world: Awaited<ReturnType<typeof start>>;
  let api: Client;
  beforeAll(async () => {
    world = await start();
    api = world.api;
  });

  test('is shown as imported, with its own time, and opens no case and sends no webhook', async () => {
    await api.post('/v1/webhooks', {
      url: 'https://127.0.0.1:9/hook',
      events: ['transaction.screened', 'case.created'],
    });
    await importAll(api, [itemOf('held', at, pay({ ip_address: REVIEW_IP }))]);
    const [{ id }] = (await rowsOf(world.service)) as [StoredScreening];
    expect((await api.get(`/v1/transactions/txn_${id}`)).json).toMatchObject({
      imported: true,
      decision: 'review',
      case_id: null,
      screened_at: iso(at),
    });
    expect((await api.get(`/v1/decisions/dec_${id}`)).json).toMatchObject({ imported: true, case_id: null });
    expect([await countRows(world.service, 'cases'), await countRows(world.service, 'deliveries')]).toEqual([0, 0]);
    await expect
      .poll(async () => (await api.get('/v1/screenings')).json.screenings)
      .toMatchObject([{ subject_id: `txn_${id}`, imported: true, case_id: null, screened_at: iso(at) }]);
    const until = `until=${iso(at + HOUR_MS)}`;
    expect((await api.get(`/v1/screenings?${until}`)).json.screenings).toHaveLength(1);
    expect((await api.get('/v1/users/ada/timeline')).json.entries).toMatchObject([
      { kind: 'transaction', at: iso(at), screening: { imported: true } },
    ]);
    const live = (await api.pay(payment())).json;
    expect(live).not.toHaveProperty('imported');
  });

  test('is kept for 90 days after its import', async () => {
    await importAll(api, [itemOf('kept', at, pay())]);
    const id = (await rowsOf(world.service)).at(-1)?.id;
    world.clock.set(START + 89 * DAY_MS);
    expect((await api.get(`/v1/transactions/txn_${id}`)).status).toBe(200);
    world.clock.set(START + 90 * DAY_MS + HOUR_MS);
    expect((await api.get(`/v1/transactions/txn_${id}`)).status).toBe(404);
    world.clock.set(START);
  });

  test('cannot be changed: the same id with other content refuses the whole request', async () => {
    const rows = await countRows(world.service, 'screenings');
    const reply = await api.post('/v1/imports', {
      items: [itemOf('new', at, pay()), itemOf('held', at, pay({ amount: 1 }))],
    });
    expect([reply.status, fieldErrors(reply)['items.1.id']]).toEqual([
      400,
      'was imported with other content; an item cannot be changed',
    ]);
    expect(await countRows(world.service, 'screenings')).toBe(rows);
  });

  test.each<[string, unknown[], string, string]>([
    ['a time in the future', [itemOf('f', START + HOUR_MS, pay())], 'items.0.occurred_at', 'must not be in the future'],
    ['a time of 0', [itemOf('f', 0, pay())], 'items.0.occurred_at', 'must not be before 2000-01-01'],
    [
      'the wrong order',
      [itemOf('f', at, pay()), itemOf('g', at - 1, pay())],
      'items.1.occurred_at',
      'must not be before the item before it; send items in the order of time',
    ],
    [
      'neither a transaction nor an event nor a label',
      [{ id: 'f', occurred_at: iso(at) }],
      'items.0',
      'must have exactly one of `transaction`, `event` and `label`',
    ],
    [
      'a wrong type',
      [itemOf('f', at, pay({ amount: '1' }))],
      'items.0.transaction.amount',
      'must be a number; send it without quotes',
    ],
    [
      'a label of an unknown item',
      [{ id: 'unknown', occurred_at: iso(at), label: 'fraud' }],
      'items.0.id',
      'is not the id of an item that was imported before it',
    ],
    [
      'a reason of a legitimate item',
      [{ id: 'held', occurred_at: iso(at), label: 'legitimate', label_reason: 'other' }],
      'items.0.label_reason',
      'must be sent only with the label `fraud`',
    ],
  ])('with %s refuses the whole request and names the item', async (_, items, field, message) => {
    const rows = await countRows(world.service, 'screenings');
    const reply = await api.post('/v1/imports', { items });
    expect([reply.status, fieldErrors(reply)[field]]).toEqual([400, message]);
    expect(await countRows(world.service, 'screenings')).toBe(rows);
  });

  test('belongs to its account: another account can use the same ids, and cannot label it', async () => {
    const other = client(world.service, await world.service.key({ account: 'other' }));
    const label = { id: 'held', occurred_at: iso(START), label: 'fraud' };
    expect((await other.post('/v1/imports', { items: [label] })).status).toBe(400);
    expect(await importAll(other, [itemOf('held', at, pay({ amount: 77 }))])).toMatchObject({ imported: 1 });
  });

  test('keeps the label that a person gave it', async () => {
    await importAll(api, [itemOf('judged', at, pay())]);
    const id = (await rowsOf(world.service)).at(-1)?.id;
    await api.post('/v1/labels', { transaction_id: `txn_${id}`, label: 'legitimate', source: 'phone' });
    const label: ImportItem = { id: 'judged', occurred_at: iso(START), label: 'fraud' };
    expect(await importAll(api, [label])).toEqual({ imported: 0, labelled: 0, repeated: 1 });
  });
});
