import { describe, expect, test } from 'vitest';
import {
  client,
  DAY_MS,
  fieldErrors,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  type Reply,
  startService,
} from '../fixtures/harness.ts';
import { holdWrites } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const key = await service.key();
const { pay, act, get, post, put } = client(service, key);
let keys = 0;
const newKey = () => ({ 'Idempotency-Key': `key ${keys++}` });
const isReplay = (reply: Pick<Reply, 'headers'>): boolean => reply.headers.get('idempotent-replayed') === 'true';
const countOf = async (userId: unknown) => (await get(`/v1/users/${userId}/risk-profile`)).json.transactions.count;

describe('the same key with the same body', () => {
  test('gets the first response byte for byte, marked as a replay, and nothing happens twice', async () => {
    const body = payment({ ip_address: REVIEW_IP, typo: 1 });
    const headers = newKey();
    const before = (await get('/v1/cases')).json.total;
    const first = await pay(body, headers);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    clock.advance(60_000);
    for (let i = 0; i < 3; i++) {
      const again = await pay(body, headers);
      expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    expect(await countOf(body.user_id)).toBe(1);
    expect((await get('/v1/cases')).json.total).toBe(before + 1);
  });

  test('works for every POST: an event, a review, a label, an endpoint, a key', async () => {
    const { json: screened } = await pay(payment());
    const requests = [
      ['/v1/events', login()],
      [`/v1/decisions/${screened.decision_id}/review`, { decision: 'block' }],
      ['/v1/labels', { transaction_id: screened.transaction_id, label: 'fraud', source: 'report' }],
      ['/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] }],
      ['/v1/api-keys', { role: 'reader' }],
    ] as const;
    for (const [path, body] of requests) {
      const headers = newKey();
      const first = await post(path, body, headers);
      clock.advance(1000);
      const again = await post(path, body, headers);
      expect([again.status, again.text, isReplay(again)]).toEqual([first.status, first.text, true]);
    }
    expect((await get(`/v1/decisions/${screened.decision_id}`)).json.reviews).toHaveLength(1);
    expect((await get('/v1/webhooks')).json.webhooks).toHaveLength(1);
    expect((await get('/v1/api-keys')).json.api_keys).toHaveLength(2);
  });

  test('gets the same secret of an endpoint or key, which no other response has', async () => {
    const [hookKey, apiKey] = [newKey(), newKey()];
    const hook = { url: 'https://receiver.invalid', events: ['case.created'] };
    const { signing_secret } = (await post('/v1/webhooks', hook, hookKey)).json;
    expect((await post('/v1/webhooks', hook, hookKey)).json.signing_secret).toBe(signing_secret);
    const { secret } = (await post('/v1/api-keys', { role: 'reader' }, apiKey)).json;
    const again = await post('/v1/api-keys', { role: 'reader' }, apiKey);
    expect(again.json.secret).toBe(secret);
    expect((await client(service, again.json.secret).get('/v1/cases')).status).toBe(200);
  });

  test('gets the first response after a restart', async () => {
    const before = await startService({ clock: clock.now });
    const secret = await before.key();
    const [body, headers] = [payment(), newKey()];
    const hook = { url: 'https://receiver.invalid', events: ['case.created'] };
    const first = await client(before, secret).pay(body, headers);
    const made = await client(before, secret).post('/v1/webhooks', hook, headers);
    await before.stop();
    const after = client(await startService({ clock: clock.now, dataDir: before.dataDir }), secret);
    const again = await after.pay(body, headers);
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect((await after.post('/v1/webhooks', hook, headers)).text).toBe(made.text);
    expect((await after.get(`/v1/users/${body.user_id}/risk-profile`)).json.transactions.count).toBe(1);
  });

  test('is a replay for exactly 24 hours, then a new request', async () => {
    const [body, headers] = [payment(), newKey()];
    const first = await pay(body, headers);
    clock.advance(DAY_MS - 1);
    expect(isReplay(await pay(body, headers))).toBe(true);
    clock.advance(1);
    const later = await pay(body, headers);
    expect(isReplay(later)).toBe(false);
    expect(later.json.transaction_id).not.toBe(first.json.transaction_id);
    clock.advance(DAY_MS - 1);
    expect((await pay(body, headers)).text).toBe(later.text);
    clock.advance(1);
    const other = await pay({ ...body, amount: 7 }, headers);
    expect([other.status, other.json.amount]).toEqual([200, 7]);
  });
});

describe('its scope', () => {
  test('is the path: the same key on another path is independent', async () => {
    const headers = newKey();
    const { json: one } = await pay(payment());
    const { json: two } = await pay(payment());
    const replies = [
      await pay(payment(), headers),
      await act(login(), headers),
      await post(`/v1/decisions/${one.decision_id}/review`, { decision: 'allow' }, headers),
      await post(`/v1/decisions/${two.decision_id}/review`, { decision: 'allow' }, headers),
    ];
    expect(replies.map((reply) => [reply.status, isReplay(reply)])).toEqual(Array(4).fill([200, false]));
    expect(replies[3]?.json.decision_id).toBe(two.decision_id);
  });

  test('is the account and environment, not the API key', async () => {
    const [body, headers] = [payment(), newKey()];
    const ids: string[] = [];
    for (const account of ['one', 'two']) {
      for (const environment of ['sandbox', 'production'] as const) {
        const own = client(service, await service.key({ account, environment }));
        const reply = await own.pay(body, headers);
        expect(isReplay(reply)).toBe(false);
        ids.push(reply.json.transaction_id);
        const colleague = client(service, await service.key({ account, environment, role: 'service' }));
        expect((await colleague.pay(body, headers)).text).toBe(reply.text);
      }
    }
    expect(new Set(ids).size).toBe(4);
  });

  test('is every POST and no other method', async () => {
    const headers = newKey();
    const { json } = await pay(payment({ ip_address: REVIEW_IP }));
    expect((await put(`/v1/cases/${json.case_id}`, { status: 'approved' }, headers)).status).toBe(200);
    expect((await put(`/v1/cases/${json.case_id}`, { status: 'approved' }, headers)).status).toBe(409);
    expect(isReplay(await get('/v1/cases', headers))).toBe(false);
  });
});

describe('a request that fails', () => {
  test('does not use up the key', async () => {
    const headers = newKey();
    const body = payment();
    expect((await pay({ ...body, amount: 0 }, headers)).status).toBe(400);
    expect((await pay({ ...body, amount: 'x' }, headers)).status).toBe(400);
    const { status } = await service.call('POST', '/v1/transactions/screen', { key, raw: '{', headers });
    expect(status).toBe(400);
    const first = await pay(body, headers);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    expect((await pay(body, headers)).text).toBe(first.text);
    expect(await countOf(body.user_id)).toBe(1);
  });

  test('with 404 does not use up the key', async () => {
    const headers = newKey();
    const path = '/v1/decisions/dec_01m7ejnjyqetkazatznps5mye3/review';
    for (let i = 0; i < 2; i++) expect((await post(path, { decision: 'allow' }, headers)).status).toBe(404);
  });
});

describe('422', () => {
  test.each([
    ['another amount', (body: object) => ({ ...body, amount: 50 })],
    ['one more field', (body: object) => ({ ...body, email: 'a@b.c' })],
    ['one more unknown field', (body: object) => ({ ...body, x: 1 })],
    ['nothing that is valid', () => ({})],
  ])('the same key with %s is refused and nothing is stored', async (_name, change) => {
    const [body, headers] = [payment(), newKey()];
    const first = await pay(body, headers);
    const reused = await pay(change(body), headers);
    expect([reused.status, reused.json.error.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await countOf(body.user_id)).toBe(1);
    expect((await pay(body, headers)).text).toBe(first.text);
  });
});

describe('409', () => {
  test('a key is refused while its first request is in progress', async () => {
    const [body, headers] = [payment(), newKey()];
    const strangers = await service.key({ account: 'strangers' });
    // The write lock keeps the first request waiting.
    const letGo = await holdWrites(service.dataDir);
    const both = [pay(body, headers), pay(body, headers)];
    const refused = await Promise.race(both);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'idempotency_in_progress']);
    expect(refused.headers.get('retry-after')).toBe('1');
    const elsewhere = [act(login(), headers), client(service, strangers).pay(body, headers)];
    await letGo();
    for (const reply of await Promise.all(elsewhere)) expect([reply.status, isReplay(reply)]).toEqual([200, false]);
    const done = (await Promise.all(both)).find(({ status }) => status === 200);
    const again = await pay(body, headers);
    expect([again.status, again.text, isReplay(again)]).toEqual([200, done?.text, true]);
    expect(await countOf(body.user_id)).toBe(1);
  });

  test('20 requests at once make one transaction', async () => {
    for (let round = 0; round < 3; round++) {
      const [body, headers] = [payment(), newKey()];
      const replies = await Promise.all(Array.from({ length: 20 }, () => pay(body, headers)));
      const done = replies.filter(({ status }) => status === 200);
      expect(done.filter((reply) => !isReplay(reply))).toHaveLength(1);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      for (const { status, json } of replies) {
        if (status !== 200) expect([status, json.error.code]).toEqual([409, 'idempotency_in_progress']);
      }
      expect(await countOf(body.user_id)).toBe(1);
    }
  });
});

describe('400', () => {
  test.each(['', 'x'.repeat(256)])('a key of the wrong length is refused (%#)', async (value) => {
    const reply = await pay(payment(), { 'Idempotency-Key': value });
    expect(reply.status).toBe(400);
    expect(fieldErrors(reply)).toEqual({ 'Idempotency-Key': 'must have 1 to 255 characters' });
  });

  test.each(['x', 'x'.repeat(255), '~!@#$%^&*(){}'])('a key of 1 to 255 characters is accepted (%#)', async (value) => {
    const body = payment();
    const first = await pay(body, { 'Idempotency-Key': value });
    expect((await pay(body, { 'Idempotency-Key': value })).text).toBe(first.text);
  });
});
