import { describe, expect, test } from 'vitest';
import { POLICY } from '../fixtures/crash-store.ts';
import {
  type Client,
  client,
  DAY_MS,
  fieldErrors,
  HOUR_MS,
  iso,
  type Json,
  login,
  makeClock,
  payment,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const api = client(service, await service.key());
const { pay, flagPayment, act, get, post, put } = api;
const label = (body: Record<string, unknown>, headers = {}, { post: send }: Client = api) =>
  send('/v1/labels', { label: 'fraud', source: 'chargeback', ...body }, headers);
const labelsOf = async (subject: string): Promise<Json[]> => (await get(`/v1/labels?subject=${subject}`)).json.labels;
const keyId = async (): Promise<string> => (await get('/v1/api-keys')).json.api_keys[0].key_id;

/** Every entity of a payment, but for its address. */
const allEntities = (name: string) => ({
  user_id: `user ${name}`,
  device_token: `device ${name}`,
  payment_fingerprint: `card ${name}`,
  email: `${name}@${name}.example`,
  counterparty_id: `shop ${name}`,
  amount: 50,
  currency: 'USD',
});

describe('POST /v1/labels', () => {
  test('returns 201 with the label, which GET and the list then contain', async () => {
    clock.set(START);
    const { json: paid } = await pay(payment());
    clock.advance(HOUR_MS);
    const { status, json } = await label({
      transaction_id: paid.transaction_id,
      reason: 'stolen_card',
      occurred_at: iso(START + 1000),
      notes: 'The cardholder called.',
    });
    expect([status, json]).toEqual([
      201,
      {
        label_id: expect.stringMatching(/^lbl_/),
        subject_type: 'transaction',
        subject_id: paid.transaction_id,
        label: 'fraud',
        reason: 'stolen_card',
        origin: 'api',
        source: 'chargeback',
        author: await keyId(),
        occurred_at: iso(START + 1000),
        notes: 'The cardholder called.',
        labelled_at: iso(START + HOUR_MS),
      },
    ]);
    expect((await get(`/v1/labels/${json.label_id}`)).json).toEqual(json);
    expect(await labelsOf(paid.transaction_id)).toEqual([json]);
  });

  test('labels an event', async () => {
    const { json: acted } = await act(login());
    const { json } = await label({ event_id: acted.event_id, label: 'legitimate' });
    expect(json).toMatchObject({
      subject_type: 'event',
      subject_id: acted.event_id,
      label: 'legitimate',
      reason: null,
      notes: null,
    });
  });

  test('returns 404 for an unknown item, another type, or an item older than 90 days', async () => {
    clock.set(START);
    const { json: paid } = await pay(payment());
    const asEvent = paid.transaction_id.replace('txn_', 'evt_');
    for (const body of [{ transaction_id: unknownId('txn') }, { event_id: asEvent }]) {
      expect((await label(body)).status).toBe(404);
    }
    clock.set(START + 90 * DAY_MS);
    expect((await label({ transaction_id: paid.transaction_id })).status).toBe(404);
    clock.set(START + 90 * DAY_MS - 1);
    expect((await label({ transaction_id: paid.transaction_id })).status).toBe(201);
  });

  test.each([
    [{}, { transaction_id: 'is required, or `event_id`' }],
    [
      { transaction_id: unknownId('txn'), event_id: unknownId('evt') },
      { transaction_id: 'must not be given together with `event_id`' },
    ],
    [{ transaction_id: unknownId('txn'), label: 'maybe' }, { label: 'must be one of fraud, legitimate' }],
    [
      { transaction_id: unknownId('txn'), label: 'legitimate', reason: 'mule' },
      { reason: 'must not be given with the label legitimate: only fraud has a reason' },
    ],
    [
      { label: 'legitimate', reason: 'mule' },
      { transaction_id: 'is required, or `event_id`', reason: expect.any(String) },
    ],
    [
      { transaction_id: unknownId('txn'), reason: 'theft' },
      { reason: 'must be one of takeover, stolen_card, first_party, mule, card_testing, other' },
    ],
    [
      { transaction_id: unknownId('txn'), label: 'maybe', reason: 'mule' },
      { label: 'must be one of fraud, legitimate' },
    ],
    [{ transaction_id: unknownId('txn'), source: '' }, { source: 'must have at least 1 character' }],
    [{ transaction_id: unknownId('txn'), source: 'x'.repeat(65) }, { source: 'must have at most 64 characters' }],
    [
      { transaction_id: unknownId('txn'), occurred_at: 'yesterday' },
      { occurred_at: expect.stringMatching(/RFC 3339/) },
    ],
    [
      { transaction_id: unknownId('txn'), occurred_at: iso(START + 400 * DAY_MS) },
      { occurred_at: 'must not be in the future' },
    ],
  ])('refuses %j', async (body, errors) => {
    const reply = await label(body);
    expect([reply.status, fieldErrors(reply)]).toEqual([400, errors]);
  });

  test('masks card numbers in notes and source, with warnings', async () => {
    const { json: paid } = await pay(payment());
    const { json } = await label({
      transaction_id: paid.transaction_id,
      notes: 'card 4111111111111111',
      source: '4111111111111111',
    });
    expect([json.notes, json.source]).toEqual(['card 411111******1111', '411111******1111']);
    expect(json.warnings).toHaveLength(2);
  });

  test('repeats the first response for the same idempotency key and stores one label', async () => {
    const { json: paid } = await pay(payment());
    const headers = { 'Idempotency-Key': 'a chargeback' };
    const body = { transaction_id: paid.transaction_id };
    const [first, repeated] = [await label(body, headers), await label(body, headers)];
    expect([repeated.status, repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ]);
    expect(await labelsOf(paid.transaction_id)).toHaveLength(1);
  });
});

describe('GET /v1/labels', () => {
  test('lists labels newest first, in pages, since a time, of one item or of all', async () => {
    clock.set(START + 100 * DAY_MS);
    const account = client(service, await service.key({ account: 'lists labels' }));
    const { json: one } = await account.pay(payment());
    const { json: two } = await account.pay(payment());
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      clock.advance(HOUR_MS);
      const { transaction_id } = i % 2 ? one : two;
      ids.unshift((await label({ transaction_id, label: i % 3 ? 'fraud' : 'legitimate' }, {}, account)).json.label_id);
    }
    const list = async (query: string) => {
      const { json } = await account.get(`/v1/labels${query}`);
      return [json.labels.map(({ label_id }: Json) => label_id), json.has_more];
    };
    expect(await list('')).toEqual([ids, false]);
    expect(await list('?limit=3')).toEqual([ids.slice(0, 3), true]);
    expect(await list(`?limit=3&before=${ids[2]}`)).toEqual([ids.slice(3, 6), true]);
    expect(await list(`?limit=4&before=${ids[2]}`)).toEqual([ids.slice(3), false]);
    expect(await list(`?subject=${one.transaction_id}`)).toEqual([ids.filter((_, i) => i % 2 === 1), false]);
    expect(await list(`?subject=${one.transaction_id.replace('txn', 'evt')}`)).toEqual([[], false]);
    const since = iso(START + 100 * DAY_MS + 6 * HOUR_MS);
    expect(await list(`?since=${since}`)).toEqual([ids.slice(0, 2), false]);
    expect((await account.get('/v1/labels?subject=case_x')).status).toBe(400);
    expect((await account.get(`/v1/labels/${unknownId('lbl')}`)).status).toBe(404);
  });
});

describe('labels from cases and reviews', () => {
  test.each([
    ['approved', 'legitimate'],
    ['rejected', 'fraud'],
  ])('a case that is %s labels its item %s', async (status, value) => {
    const { case_id, transaction_id } = await flagPayment();
    await put(`/v1/cases/${case_id}`, { status, analyst_id: 'ada', notes: 'for the case' });
    expect(await labelsOf(transaction_id)).toMatchObject([
      { label: value, origin: 'case', source: 'case', author: 'ada', notes: null },
    ]);
  });

  test.each([
    ['allow', 'legitimate'],
    ['block', 'fraud'],
  ])('a review of %s labels its item %s once, also if it resolves a case', async (decision, value) => {
    for (const { decision_id, transaction_id } of [await flagPayment(), (await pay(payment())).json]) {
      await post(`/v1/decisions/${decision_id}/review`, { decision });
      expect(await labelsOf(transaction_id)).toMatchObject([
        { label: value, origin: 'review', source: 'review', author: await keyId() },
      ]);
    }
  });

  test('an expired case, whose resolution is refused, labels nothing', async () => {
    const { case_id, transaction_id } = await flagPayment();
    clock.advance(8 * DAY_MS);
    expect((await put(`/v1/cases/${case_id}`, { status: 'rejected', reason: 'mule' })).status).toBe(409);
    expect((await get(`/v1/cases/${case_id}`)).json).toMatchObject({ status: 'expired', reason: null });
    expect(await labelsOf(transaction_id)).toEqual([]);
  });
});

describe('a label takes effect immediately', () => {
  test('in the next screening of every entity of the labelled payment', async () => {
    const { json: paid } = await pay({ ...allEntities('a'), ip_address: '198.51.100.77' });
    const unrelated = { ...allEntities('b'), ip_address: '192.0.2.1' };
    const signalsOf = async (body: Json): Promise<string[]> =>
      (await pay(body)).json.signals.filter((name: string) => name.startsWith('fraud_on_')).sort();
    await label({ transaction_id: paid.transaction_id });
    expect(await signalsOf({ ...unrelated, user_id: allEntities('a').user_id })).toEqual(['fraud_on_user']);
    expect(await signalsOf({ ...unrelated, device_token: 'device a' })).toEqual(['fraud_on_device']);
    expect(await signalsOf({ ...unrelated, payment_fingerprint: 'card a' })).toEqual(['fraud_on_instrument']);
    expect(await signalsOf({ ...unrelated, email: 'a@a.example' })).toEqual(['fraud_on_email']);
    expect(await signalsOf({ ...unrelated, ip_address: '198.51.100.77' })).toEqual(['fraud_on_address']);
    expect(await signalsOf(unrelated)).toEqual([]);

    await label({ transaction_id: paid.transaction_id, label: 'legitimate', source: 'dispute won' });
    expect(await signalsOf({ ...allEntities('a'), ip_address: '198.51.100.77' })).toEqual([]);
  });

  test('in the profile: a repeated label changes nothing, and a correction replaces the earlier label', async () => {
    const { json: paid } = await pay(payment({ user_id: 'labelled' }));
    const { json: other } = await pay(payment({ user_id: 'labelled' }));
    const fraudAfter = async (value: string, { transaction_id }: Json = paid): Promise<number> => {
      await label({ transaction_id, label: value });
      return (await get('/v1/users/labelled/risk-profile')).json.confirmed_fraud;
    };
    expect(await fraudAfter('fraud')).toBe(1);
    expect(await fraudAfter('fraud')).toBe(1);
    expect(await fraudAfter('fraud', other)).toBe(2);
    expect(await fraudAfter('legitimate')).toBe(1);
    expect(await fraudAfter('legitimate')).toBe(1);
    expect(await fraudAfter('fraud')).toBe(2);
    expect(await labelsOf(paid.transaction_id)).toHaveLength(5);
    expect((await get('/v1/users/labelled/risk-profile')).json.risk_level).toBe('high');
  });

  test('with twenty simultaneous labels: all are stored, and the last one counts once', async () => {
    const { json: paid } = await pay(payment({ user_id: 'at once' }));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 3 === 0
          ? post(`/v1/decisions/${paid.decision_id}/review`, { decision: i % 2 ? 'allow' : 'block' })
          : label({ transaction_id: paid.transaction_id, label: i % 2 ? 'legitimate' : 'fraud' }),
      ),
    );
    expect(replies.filter(({ status }) => status >= 300)).toEqual([]);
    const labels = await labelsOf(paid.transaction_id);
    expect(labels).toHaveLength(20);
    const { confirmed_fraud } = (await get('/v1/users/at%20once/risk-profile')).json;
    expect(confirmed_fraud).toBe(labels[0].label === 'fraud' ? 1 : 0);
  });

  test('only in its account and environment', async () => {
    const body = { ...allEntities('c'), ip_address: '198.51.100.99' };
    const tenants = await Promise.all(
      (['sandbox', 'production'] as const).flatMap((environment) =>
        ['one', 'two'].map(async (account) => client(service, await service.key({ account, environment }))),
      ),
    );
    const [first, ...others] = tenants as [Client, ...Client[]];
    for (const tenant of others) await tenant.pay(body);
    const { json: paid } = await first.pay(body);
    const { json } = await label({ transaction_id: paid.transaction_id }, {}, first);
    expect((await first.pay(body)).json.signals).toContain('fraud_on_device');
    for (const tenant of others) {
      const { signals } = (await tenant.pay(body)).json;
      expect(signals.filter((name: string) => name.startsWith('fraud_on_'))).toEqual([]);
      expect((await tenant.get('/v1/labels')).json.labels).toEqual([]);
      expect((await tenant.get(`/v1/labels/${json.label_id}`)).status).toBe(404);
      expect((await label({ transaction_id: paid.transaction_id }, {}, tenant)).status).toBe(404);
    }
  });
});

describe('the training snapshot of a label', () => {
  test('survives the screening and contains no identifiers', async () => {
    clock.set(START + 300 * DAY_MS);
    const { json: paid } = await pay({
      ...allEntities('kept'),
      ip_address: '198.51.100.200',
      payment_method: 'card',
      billing_address: { country: 'DE', city: 'Berlin', line1: 'kept street' },
      metadata: { name: 'kept name' },
    });
    const { json } = await label({ transaction_id: paid.transaction_id });
    clock.advance(92 * DAY_MS);
    await service.app.retention.sweepAll();
    expect((await get(`/v1/transactions/${paid.transaction_id}`)).status).toBe(404);
    expect(await labelsOf(paid.transaction_id)).toEqual([json]);
    const [row] = await service.app.backend.read<Json>('SELECT * FROM labels WHERE id = ?', json.label_id.slice(4));
    const { facts: _, ...rest } = row;
    expect(JSON.parse(rest.request)).toEqual({
      amount: 50,
      currency: 'USD',
      payment_method: 'card',
      billing_address: { country: 'DE' },
    });
    expect(rest).toMatchObject({
      score: paid.risk_score,
      decision: paid.decision,
      model_version: POLICY.model?.version,
    });
    expect(JSON.stringify(rest)).not.toMatch(/kept|198\.51/);
  });
});
