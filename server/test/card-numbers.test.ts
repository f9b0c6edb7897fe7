import { describe, expect, test } from 'vitest';
import { client, login, payment, REVIEW_IP, startService } from './harness.ts';
import { isStored } from './records.ts';

const service = await startService({ logLevel: 'trace' });
const { pay, act, post, put, get } = client(service, await service.key());
// Everything that happens is also owed to a receiver, so that what would be sent is looked through too.
await post('/v1/webhooks', {
  url: 'https://receiver.invalid/hook',
  events: ['transaction.screened', 'event.screened', 'case.created', 'case.resolved', 'decision.reviewed'],
});

const VISA = '4111111111111111';
const warning = (member: string): string =>
  `\`${member}\` looked like a card number and was masked; never send card numbers`;

const stored = async (id: string): Promise<Record<string, Record<string, string>>> => {
  const rows = await service.app.backend.read<{ request: string }>(
    'SELECT request FROM screenings WHERE id = ?',
    id.replace(/^[a-z]+_/, ''),
  );
  return JSON.parse(rows[0]?.request ?? 'null');
};

/** Digits in the order they were sent, with and without what stood between them. */
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
  ])('%s is stored as %s, and the answer says so', async (number, masked) => {
    const { status, json } = await pay(payment({ metadata: { order: number, channel: 'web' } }));
    expect(status).toBe(200);
    expect(json.warnings).toEqual([warning('metadata.order')]);
    expect((await stored(json.transaction_id)).metadata).toEqual({ order: masked, channel: 'web' });
    for (const digits of number.match(/\d(?:[ -]*\d){12,}/g) ?? []) await expectNowhere(digits);
  });

  test.each([
    '4111111111111112',
    '1234567890123456',
    '411111111111',
    '45320151128336640000',
    'A-1001',
    '9999999999999995',
  ])('%s is none and stays as it is', async (value) => {
    const { json } = await pay(payment({ metadata: { order: value } }));
    expect(json).not.toHaveProperty('warnings');
    expect((await stored(json.transaction_id)).metadata).toEqual({ order: value });
  });

  test('of an event is masked as well', async () => {
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
  test('is masked in the case, the review and what is sent on', async () => {
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
  test('in a member that is not known goes nowhere', async () => {
    const number = '5200828282828210';
    await pay(payment({ card_number: number, card: { number } }));
    await expectNowhere(number);
  });

  test('as the id of a request is not logged', async () => {
    const number = '4000000760000002';
    const { headers } = await get('/v1/cases', { 'X-Request-Id': number });
    expect(headers.get('x-request-id')).toBe(number);
    expect(service.logs.join('\n')).toContain('400000******0002');
    await expectNowhere(number);
  });

  test('in a request that is refused is not repeated', async () => {
    const number = '5425233430109903';
    const reply = await pay({ [number]: 1, metadata: { [number]: 5 }, currency: number, email: number });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(number);
    await expectNowhere(number);
  });

  test('leaves no trace by an idempotency key, not even in what tells one body from another', async () => {
    const number = '4005550000000001';
    const body = payment({ metadata: { order: number } });
    const first = await pay(body, { 'Idempotency-Key': 'with a card' });
    const again = await pay(body, { 'Idempotency-Key': 'with a card' });
    expect(again.text).toBe(first.text);
    expect(again.json.warnings).toEqual([warning('metadata.order')]);
    await expectNowhere(number);
    // It differs in the digits that are masked alone: a digest that could tell would be one of the number.
    const twin = await pay({ ...body, metadata: { order: '4005550000180001' } }, { 'Idempotency-Key': 'with a card' });
    expect(twin.text).toBe(first.text);
    const other = await pay({ ...body, metadata: { order: VISA } }, { 'Idempotency-Key': 'with a card' });
    expect(other.status).toBe(422);
  });
});

test('what was masked is still nowhere once the store is closed', async () => {
  expect(await isStored(service.dataDir, '411111******1111')).toBe(true);
  await service.stop();
  expect(await isStored(service.dataDir, '411111******1111')).toBe(true);
  for (const number of [VISA, '4242424242424242', '4000002500003155', '4005550000000001']) await expectNowhere(number);
});
