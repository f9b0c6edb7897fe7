import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  iso,
  type Json,
  login,
  MINUTE_MS,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const TYPES = [
  'transaction.screened',
  'transaction.decision.block',
  'event.screened',
  'case.created',
  'case.resolved',
  'decision.reviewed',
];

interface QueuedMessage {
  readonly webhook_id: string;
  readonly message_id: string;
  readonly type: string;
  readonly body: string;
}
const queued = (): Promise<QueuedMessage[]> =>
  service.app.backend.read<QueuedMessage>(
    'SELECT webhook_id, message_id, type, body FROM deliveries ORDER BY message_id, webhook_id',
  );

let accounts = 0;
/** A new account with one endpoint for each list of types. */
const subscribe = async (...lists: string[][]) => {
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account }));
  const ids: string[] = [];
  for (const events of lists) {
    const { json } = await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events });
    ids.push(json.webhook_id);
  }
  /** The queued messages of an endpoint: types and parsed bodies. */
  const to = async (index: number) =>
    (await queued())
      .filter((row) => `wh_${row.webhook_id}` === ids[index])
      .map((row) => ({ type: row.type, messageId: row.message_id, body: JSON.parse(row.body) as Json }));
  return { ...api, ids, to };
};

describe('queued messages', () => {
  test('a transaction queues one message, with the transaction as GET returns it', async () => {
    const { pay, get, to } = await subscribe(TYPES);
    const { json } = await pay(payment({ typo: 1 }));
    const [message, ...others] = await to(0);
    expect(others).toEqual([]);
    expect(message?.body).toEqual({
      id: `msg_${message?.messageId}`,
      type: 'transaction.screened',
      timestamp: iso(clock.now()),
      environment: 'sandbox',
      api_version: '2026-11-01',
      data: (await get(`/v1/transactions/${json.transaction_id}`)).json,
    });
    expect(message?.body.data).not.toHaveProperty('warnings');
    expect(message?.type).toBe('transaction.screened');
    expect(message?.body.id).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test('an event queues one message, with the event as GET returns it', async () => {
    const { act, get, to } = await subscribe(TYPES);
    const { json } = await act(login());
    expect((await to(0)).map(({ body }) => [body.type, body.data])).toEqual([
      ['event.screened', (await get(`/v1/events/${json.event_id}`)).json],
    ]);
  });

  test('a blocked transaction also queues transaction.decision.block; a blocked event does not', async () => {
    const { pay, act, get, to } = await subscribe(TYPES);
    const { json } = await pay(payment({ ip_address: BLOCK_IP }));
    await act(login({ ip_address: BLOCK_IP }));
    const data = (await get(`/v1/transactions/${json.transaction_id}`)).json;
    const messages = await to(0);
    expect(messages.map(({ type }) => type)).toEqual([
      'transaction.screened',
      'transaction.decision.block',
      'event.screened',
    ]);
    expect(messages.slice(0, 2).map(({ body }) => body.data)).toEqual([data, data]);
    expect(new Set(messages.map(({ body }) => body.id)).size).toBe(3);
  });

  test('a new case queues case.created, with the case as GET returns it, for transactions and events', async () => {
    const { pay, act, get, to } = await subscribe(['case.created']);
    const cases = [
      (await pay(payment({ ip_address: REVIEW_IP }))).json,
      (await act(login({ ip_address: REVIEW_IP }))).json,
    ];
    const messages = await to(0);
    expect(messages.map(({ type }) => type)).toEqual(['case.created', 'case.created']);
    for (const [index, { case_id }] of cases.entries()) {
      expect(messages[index]?.body.data).toEqual((await get(`/v1/cases/${case_id}`)).json);
    }
  });

  test.each(['approved', 'rejected'])('a case resolved as %s queues case.resolved alone', async (status) => {
    clock.set(START);
    const { pay, put, get, to } = await subscribe(TYPES);
    const { json } = await pay(payment({ ip_address: REVIEW_IP }));
    clock.advance(MINUTE_MS);
    await put(`/v1/cases/${json.case_id}`, { status, analyst_id: 'a', notes: 'n' });
    const messages = (await to(0)).slice(2);
    expect(messages.map(({ body }) => [body.type, body.timestamp, body.data])).toEqual([
      ['case.resolved', iso(START + MINUTE_MS), (await get(`/v1/cases/${json.case_id}`)).json],
    ]);
  });

  test('a review queues decision.reviewed with the decision as GET returns it, and case.resolved', async () => {
    const { pay, post, get, to } = await subscribe(['decision.reviewed', 'case.resolved']);
    const { json } = await pay(payment({ ip_address: REVIEW_IP }));
    await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block', reason: 'takeover', typo: 1 });
    const messages = await to(0);
    expect(messages.map(({ type }) => type)).toEqual(['decision.reviewed', 'case.resolved']);
    expect(messages[0]?.body.data).toEqual((await get(`/v1/decisions/${json.decision_id}`)).json);
    expect(messages[0]?.body.data.reviews[0].reason).toBe('takeover');
    expect(messages[1]?.body.data).toEqual((await get(`/v1/cases/${json.case_id}`)).json);
    expect(messages[1]?.body.data.reason).toBe('takeover');
    await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'allow' });
    expect((await to(0)).map(({ type }) => type)).toEqual(['decision.reviewed', 'case.resolved', 'decision.reviewed']);
  });

  test('a production message names its environment', async () => {
    const api = client(service, await service.key({ account: 'live', environment: 'production' }));
    await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['event.screened'] });
    const { json } = await api.act(login());
    const row = (await queued()).find(({ body }) => body.includes(json.event_id)) as QueuedMessage;
    expect(JSON.parse(row.body).environment).toBe('production');
  });
});

describe('receiving endpoints', () => {
  test('each subscribed endpoint gets the same message, and the others none', async () => {
    const { pay, to } = await subscribe(['transaction.screened'], ['event.screened'], TYPES, [
      'transaction.screened',
      'case.created',
    ]);
    await pay(payment());
    const rows = [await to(0), await to(1), await to(2), await to(3)];
    expect(rows.map(({ length }) => length)).toEqual([1, 0, 1, 1]);
    expect(rows[2]).toEqual(rows[0]);
    expect(rows[3]).toEqual(rows[0]);
  });

  test('an endpoint gets messages from its registration on, and none from before', async () => {
    const { pay, post, to, ids } = await subscribe();
    await pay(payment());
    ids.push((await post('/v1/webhooks', { url: 'https://receiver.invalid', events: TYPES })).json.webhook_id);
    expect(await to(0)).toEqual([]);
    await pay(payment());
    expect(await to(0)).toHaveLength(1);
  });

  test('a deleted endpoint gets no more messages, and loses its pending ones', async () => {
    const { pay, delete: remove, to, ids } = await subscribe(TYPES, TYPES);
    await pay(payment());
    await remove(`/v1/webhooks/${ids[0]}`);
    await service.app.retention.sweepAll();
    expect([(await to(0)).length, (await to(1)).length]).toEqual([0, 1]);
    await pay(payment());
    expect([(await to(0)).length, (await to(1)).length]).toEqual([0, 2]);
  });

  test('a screening during the deletion of an endpoint leaves no message for it', async () => {
    const { pay, delete: remove, to, ids } = await subscribe(TYPES);
    await Promise.all([
      ...Array.from({ length: 10 }, () => pay(payment())),
      remove(`/v1/webhooks/${ids[0]}`),
      ...Array.from({ length: 10 }, () => pay(payment())),
    ]);
    await service.app.retention.sweepAll();
    expect(await to(0)).toEqual([]);
  });

  test('another account or environment queues no message for this one', async () => {
    const { to } = await subscribe(TYPES);
    const account = `account_${accounts - 1}`;
    for (const owner of [{ account: 'stranger' }, { account, environment: 'production' as const }]) {
      const api = client(service, await service.key(owner));
      await api.pay(payment({ ip_address: REVIEW_IP }));
      await api.act(login());
    }
    expect(await to(0)).toEqual([]);
  });

  test('a refused or replayed request queues no message', async () => {
    const { pay, to } = await subscribe(TYPES);
    const body = payment();
    await pay({ ...body, amount: 0 });
    for (let i = 0; i < 3; i++) await pay(body, { 'Idempotency-Key': 'once' });
    expect(await to(0)).toHaveLength(1);
  });

  test('queued messages and subscriptions survive a restart', async () => {
    const before = await startService({ clock: clock.now });
    const key = await before.key();
    const api = client(before, key);
    await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: TYPES });
    await api.pay(payment());
    const rows = await before.app.backend.read<QueuedMessage>(
      'SELECT webhook_id, message_id, type, body FROM deliveries',
    );
    await before.stop();
    const after = await startService({ clock: clock.now, dataDir: before.dataDir });
    expect(
      await after.app.backend.read<QueuedMessage>('SELECT webhook_id, message_id, type, body FROM deliveries'),
    ).toEqual(rows);
    await client(after, key).pay(payment());
    expect(
      await after.app.backend.read<QueuedMessage>('SELECT webhook_id, message_id, type, body FROM deliveries'),
    ).toHaveLength(2);
  });
});
