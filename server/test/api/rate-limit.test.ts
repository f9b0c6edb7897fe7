import { describe, expect, test } from 'vitest';
import { client, type Json, makeClock, payment, type Reply, startService } from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const limited = async (perMinute: number) => client(service, await service.key({ perMinute }));
const limitHeaders = ({ headers }: Reply) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => headers.get(name));
const statuses = async (api: Awaited<ReturnType<typeof limited>>, count: number): Promise<number[]> => {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push((await api.get('/v1/cases')).status);
  return all;
};

describe('429', () => {
  test('comes after the requests of a minute, with the remaining count and Retry-After', async () => {
    const api = await limited(3);
    const replies: Reply[] = [];
    for (let i = 0; i < 5; i++) replies.push(await api.get('/v1/cases'));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(replies.map(limitHeaders)).toEqual([
      ['3', '2', '20', null],
      ['3', '1', '40', null],
      ['3', '0', '60', null],
      ['3', '0', '60', '20'],
      ['3', '0', '60', '20'],
    ]);
    expect(replies[3]?.json.error.code).toBe('rate_limited');
    expect(replies[3]?.json.error.message).toMatch(/3 requests per minute. Retry after 20 seconds\.$/);
  });

  test('a refused request is not screened', async () => {
    const api = await limited(1);
    const body = payment();
    expect([(await api.pay(body)).status, (await api.pay(body)).status]).toEqual([200, 429]);
    const other = client(service, await service.key());
    expect((await other.get(`/v1/users/${body.user_id}/risk-profile`)).json.transactions.count).toBe(1);
  });

  test('counts each key separately', async () => {
    const [one, two] = [await limited(2), await limited(2)];
    expect(await statuses(one, 3)).toEqual([200, 200, 429]);
    expect(await statuses(two, 3)).toEqual([200, 200, 429]);
  });

  test('refills steadily, up to the requests of a minute', async () => {
    const api = await limited(6);
    expect(await statuses(api, 7)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    clock.advance(9999);
    expect(await statuses(api, 1)).toEqual([429]);
    clock.advance(1);
    expect(await statuses(api, 2)).toEqual([200, 429]);
    clock.advance(30_000);
    expect(await statuses(api, 4)).toEqual([200, 200, 200, 429]);
    clock.advance(3_600_000);
    expect(await statuses(api, 7)).toEqual([200, 200, 200, 200, 200, 200, 429]);
  });

  test.each([1, 7, 13, 59, 60, 61, 97])(
    'a caller that waits for Retry-After is admitted, at %d requests per minute',
    async (perMinute) => {
      const api = await limited(perMinute);
      for (let i = 0; i < perMinute; i++) await api.get('/v1/cases');
      for (const passed of [0, 137, 1000, 7777]) {
        clock.advance(passed);
        let refused: Reply;
        do refused = await api.get('/v1/cases');
        while (refused.status === 200);
        clock.advance(Number(refused.headers.get('retry-after')) * 1000);
        expect((await api.get('/v1/cases')).status).toBe(200);
      }
    },
  );

  test('a clock that is set back grants no requests', async () => {
    const api = await limited(2);
    expect(await statuses(api, 3)).toEqual([200, 200, 429]);
    clock.advance(-3_600_000);
    expect(await statuses(api, 1)).toEqual([429]);
    clock.advance(30_000);
    expect(await statuses(api, 2)).toEqual([200, 429]);
    clock.advance(3_600_000);
  });
});

describe('off', () => {
  test('unless set for the key or the server: no limit and no headers', async () => {
    const api = client(service, await service.key());
    const replies = await Promise.all(Array.from({ length: 200 }, () => api.get('/v1/lists')));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(limitHeaders(replies[0] as Reply)).toEqual([null, null, null, null]);
  });
});

describe('RATE_LIMIT_PER_MINUTE', async () => {
  const strict = await startService({ clock: clock.now, env: { RATE_LIMIT_PER_MINUTE: '2' } });

  test('limits every key, each by itself', async () => {
    for (let i = 0; i < 2; i++) expect(await statuses(client(strict, await strict.key()), 3)).toEqual([200, 200, 429]);
  });

  test('yields to the limit of the key', async () => {
    expect(await statuses(client(strict, await strict.key({ perMinute: 4 })), 5)).toEqual([200, 200, 200, 200, 429]);
  });

  test('does not limit endpoints without a key', async () => {
    for (let i = 0; i < 5; i++) expect((await strict.call('GET', '/healthz')).status).toBe(200);
  });
});

test('a limit set with POST /api-keys limits the new key', async () => {
  const admin = client(service, await service.key());
  const { json } = await admin.post('/v1/api-keys', { role: 'reader', rate_limit_per_minute: 1 });
  expect(await statuses(client(service, (json as Json).secret), 2)).toEqual([200, 429]);
});
