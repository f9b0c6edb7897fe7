import { describe, expect, test } from 'vitest';
import { client, login, payment, REVIEW_IP, startService } from '../fixtures/harness.ts';
import { changeRecords, isStored, readRecords } from '../fixtures/records.ts';

const service = await startService({ logLevel: 'trace' });
const key = await service.key();
const { pay, act, post, put, get } = client(service, key);
// A webhook endpoint subscribes to everything, so the stored deliveries are searched too.
await post('/v1/webhooks', {
  url: 'https://receiver.invalid/hook',
  events: ['transaction.screened', 'event.screened', 'case.created', 'case.resolved', 'decision.reviewed'],
});

const VISA = '4111111111111111';
const warning = (field: string): string =>
  `\`${field}\` looked like a card number and was masked; never send card numbers`;

const stored = async (id: string): Promise<Record<string, Record<string, string>>> => {
  const rows = await service.app.backend.read<{ request: string }>(
    'SELECT request FROM screenings WHERE id = ?',
    id.replace(/^[a-z]+_/, ''),
  );
  return JSON.parse(rows[0]?.request ?? 'null');
};

/** The digits as they were sent, with and without separators. */
const expectNowhere = async (number: string): Promise<void> => {
  const digits = number.replaceAll(/\D/g, '');
  for (const text of [number, digits]) {
    expect(await isStored(service.dataDir, text)).toBe(false);
    expect(service.logs.join('\n')).not.toContain(text);
  }
};

describe('a card number in metadata', () => {
  test.each([
    [VISA, '411111******1111'],
    ['4111 1111 1111 1111', '4111 11** **** 1111'],
    ['4111-1111-1111-1111', '4111-11**-****-1111'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '4 1 1 1 1 1 * * * * * * 1 1 1 1'],
    ['4222222222222', '422222***2222'],
    ['378282246310005', '378282*****0005'],
    ['5555555555554444', '555555******4444'],
    ['2223003122003222', '222300******3222'],
    ['6011111111111117', '601111******1117'],
    ['3530111333300000', '353011******0000'],
    ['30569309025904', '305693****5904'],
    ['6205500000000000004', '620550*********0004'],
    ['paid with 5105105105105100, thanks', 'paid with 510510******5100, thanks'],
    ['4012888888881881 and 4000056655665556', '401288******1881 and 400005******5556'],
    ['4111.1111/1111\u20111111', '4111.11**/****\u20111111'],
    ['４１１１１１１１１１１１１１１１', '４１１１１１******１１１１'],
  ])('%s is stored as %s, with a warning', async (number, masked) => {
    const { status, json } = await pay(payment({ metadata: { order: number, channel: 'web' } }));
    expect(status).toBe(200);
    expect(json.warnings).toEqual([warning('metadata.order')]);
    expect((await stored(json.transaction_id)).metadata).toEqual({ order: masked, channel: 'web' });
  });

  test.each([
    '4111111111111112',
    '1234567890123456',
    '411111111111',
    '45320151128336640000',
    'A-1001',
    '9999999999999995',
  ])('%s is not a card number and stays as sent', async (value) => {
    const { json } = await pay(payment({ metadata: { order: value } }));
    expect(json).not.toHaveProperty('warnings');
    expect((await stored(json.transaction_id)).metadata).toEqual({ order: value });
  });

  test('is masked in events too', async () => {
    const number = '4917610000000000';
    const { json } = await act(login({ metadata: { a: number, b: 'x' } }));
    expect(json.warnings).toEqual([warning('metadata.a')]);
    expect((await stored(json.event_id)).metadata).toEqual({ a: '491761******0000', b: 'x' });
    await expectNowhere(number);
  });
});

describe('a card number as payment_fingerprint', () => {
  test('is masked before it is stored or counted', async () => {
    const number = '4000002500003155';
    const { json } = await pay(payment({ payment_fingerprint: number }));
    expect(json.warnings).toEqual([warning('payment_fingerprint')]);
    expect((await stored(json.transaction_id)).payment_fingerprint).toBe('400000******3155');
    await expectNowhere(number);
  });
});

describe('a card number in notes', () => {
  test('is masked in the case, the review and the webhook', async () => {
    const number = '4242 4242 4242 4242';
    const { json } = await pay(payment({ ip_address: REVIEW_IP }));
    const resolved = await put(`/v1/cases/${json.case_id}`, { status: 'approved', notes: `Read ${number} to me` });
    expect(resolved.json).toMatchObject({ notes: 'Read 4242 42** **** 4242 to me', warnings: [warning('notes')] });
    expect((await get(`/v1/cases/${json.case_id}`)).json.notes).toBe('Read 4242 42** **** 4242 to me');
    await expectNowhere(number);

    const other = '6304000000000000';
    const reviewed = await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block', notes: other });
    expect(reviewed.json.warnings).toEqual([warning('notes')]);
    expect(reviewed.json.reviews[1].notes).toBe('630400******0000');
    await expectNowhere(other);
  });
});

describe('a card number elsewhere', () => {
  test('in an unknown field is not stored', async () => {
    const number = '5200828282828210';
    await pay(payment({ card_number: number, card: { number } }));
    await expectNowhere(number);
  });

  test('in X-Request-Id is not logged', async () => {
    const number = '4000000760000002';
    const { headers } = await get('/v1/cases', { 'X-Request-Id': number });
    expect(headers.get('x-request-id')).toBe(number);
    expect(service.logs.join('\n')).toContain('400000******0002');
    await expectNowhere(number);
  });

  test('in a refused request is not repeated', async () => {
    const number = '5425233430109903';
    const reply = await pay({ [number]: 1, metadata: { [number]: 5 }, currency: number, email: number });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(number);
    await expectNowhere(number);
  });

  test('leaves no trace in an idempotency key or in the fingerprint of the body', async () => {
    const number = '4005550000000001';
    const body = payment({ metadata: { order: number } });
    const first = await pay(body, { 'Idempotency-Key': 'with a card' });
    const again = await pay(body, { 'Idempotency-Key': 'with a card' });
    expect(again.text).toBe(first.text);
    expect(again.json.warnings).toEqual([warning('metadata.order')]);
    await expectNowhere(number);
    // Only the masked digits differ. A fingerprint that noticed would be a digest of the card number.
    const twin = await pay({ ...body, metadata: { order: '4005550000180001' } }, { 'Idempotency-Key': 'with a card' });
    expect(twin.text).toBe(first.text);
    const other = await pay({ ...body, metadata: { order: VISA } }, { 'Idempotency-Key': 'with a card' });
    expect(other.status).toBe(422);
  });
});

describe('a card number as the name of a user', () => {
  const [one, twin] = ['4400000000000008', '4400000000180008'];
  const MASKED = /^440000\*{6}0008~[a-z]{13}$/;

  test('becomes a masked name that the number still finds', async () => {
    const { json } = await pay(payment({ user_id: one }));
    expect(json.user_id).toMatch(MASKED);
    expect(json.warnings).toEqual([warning('user_id')]);
    await pay(payment({ user_id: one }));
    const profile = await get(`/v1/users/${one}/risk-profile`);
    expect(profile.json).toMatchObject({ user_id: json.user_id, transactions: { count: 2 } });
    expect((await get(`/v1/users/${encodeURIComponent(json.user_id)}/risk-profile`)).json).toEqual(profile.json);
  });

  test('is not confused with a number that differs in the hidden digits', async () => {
    expect((await get(`/v1/users/${twin}/risk-profile`)).status).toBe(404);
    const { json } = await pay(payment({ user_id: twin }));
    expect(json.user_id).toMatch(MASKED);
    expect((await get(`/v1/users/${twin}/risk-profile`)).json.transactions.count).toBe(1);
    expect((await get(`/v1/users/${one}/risk-profile`)).json.transactions.count).toBe(2);
  });

  test('gets another name in another environment', async () => {
    const live = client(service, await service.key({ environment: 'production' }));
    const names = await Promise.all([pay, live.pay].map(async (send) => (await send(payment({ user_id: one }))).json));
    expect(names[0].user_id).not.toBe(names[1].user_id);
  });

  test('matches the entry of a list with the same number', async () => {
    const entries = '/v1/lists/block/entries';
    const added = await post(entries, { entries: [{ kind: 'user', value: one, author: one, reason: `card ${one}` }] });
    expect(added.json.warnings).toEqual([
      warning('entries.0.reason'),
      warning('entries.0.author'),
      '`value` of 1 entries looked like a card number and was masked; never send card numbers',
    ]);
    expect((await pay(payment({ user_id: one }))).json.signals).toContain('list.block');
    expect((await pay(payment({ user_id: twin }))).json.signals).not.toContain('list.block');
    expect((await post('/v1/lists/check', { user_id: one })).json.matches).toHaveLength(1);
    expect((await get(`${entries}?kind=user&value=${one}`)).json.entries[0].value).toMatch(MASKED);
    const removed = await service.call('DELETE', `${entries}?kind=user&value=${one}`, { key });
    expect(removed.status).toBe(204);
    expect((await pay(payment({ user_id: one }))).json.signals).not.toContain('list.block');
    await expectNowhere(one);
  });

  test.each([
    ['device', '4410000000000006', { device_token: '4410000000000006' }],
    ['email', 'Ada.4410000000000006@Example.com', { email: 'ada.4410000000000006@example.com' }],
    ['counterparty', '4410000000000006', { counterparty_id: '4410000000000006' }],
  ])('matches a listed %s with the same number too', async (kind, value, fields) => {
    await post('/v1/lists/review/entries', { entries: [{ kind, value }] });
    const { json } = await pay(payment(fields));
    expect(json.signals).toContain('list.review');
    expect((await post('/v1/lists/check', fields)).json.matches).toHaveLength(1);
  });

  test('of 13 digits, as shops use, stays as it is', async () => {
    const { json } = await pay(payment({ user_id: '5018000000007' }));
    expect(json.user_id).toBe('5018000000007');
    expect(json).not.toHaveProperty('warnings');
  });
});

describe('a card number in an Idempotency-Key', () => {
  test('keeps requests apart that differ in the hidden digits', async () => {
    const body = payment();
    const send = (digits: string) => pay(body, { 'Idempotency-Key': `order ${digits}` });
    const first = await send('4900000000000003');
    expect((await send('4900000000000003')).headers.get('idempotent-replayed')).toBe('true');
    const twin = await send('4900000000180003');
    expect(twin.headers.get('idempotent-replayed')).toBe(null);
    expect(twin.json.transaction_id).not.toBe(first.json.transaction_id);
    await expectNowhere('4900000000000003');
  });
});

describe('a card number in a text that must stay exact is refused', () => {
  test.each<[string, string, object]>([
    ['the name of a list', '/v1/lists', { name: 'card_4111111111111111' }],
    [
      'the name of a rule',
      '/v1/rules',
      { name: 'card_4111111111111111', expression: 'amount > 1', action: { points: 1 } },
    ],
    ['a URL', '/v1/webhooks', { url: 'https://receiver.invalid/4111111111111111', events: ['case.created'] }],
  ])('%s', async (_, path, body) => {
    const { status, json } = await post(path, body);
    expect(status).toBe(400);
    expect(json.error.details[0].message).toBe('must not contain a card number, and this looks like one');
  });
});

test('masked digits are in no file after the store is closed', async () => {
  expect(await isStored(service.dataDir, '411111******1111')).toBe(true);
  await service.stop();
  expect(await isStored(service.dataDir, '411111******1111')).toBe(true);
  for (const number of [VISA, '4242424242424242', '4000002500003155', '4005550000000001', '5555555555554444'])
    await expectNowhere(number);
});

test('an entry that release 0.1.0 stored with a card number is masked at the start, and still matches', async () => {
  const before = await startService();
  const { pay: payBefore, post: postBefore } = client(before, await before.key());
  await postBefore('/v1/lists/block/entries', { entries: [{ kind: 'user', value: 'someone' }] });
  await payBefore(payment());
  await before.stop();
  await changeRecords(before.dataDir, `UPDATE list_entries SET value = '${VISA}' WHERE value = 'someone'`);
  for (let start = 0; start < 2; start++) {
    const after = await startService({ dataDir: before.dataDir });
    const rows = await readRecords<{ value: string }>(after.dataDir, 'SELECT value FROM list_entries');
    expect(rows).toEqual([{ value: expect.stringMatching(/^411111\*{6}1111~[a-z]{13}$/) }]);
    const api = client(after, await after.key());
    expect((await api.pay(payment({ user_id: VISA }))).json.signals).toContain('list.block');
    await after.stop();
  }
});
