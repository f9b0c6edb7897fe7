import { describe, expect, test } from 'vitest';
import { client, type Json, makeClock, payment, type Reply, startService } from './harness.ts';

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
  test('comes after the requests of a minute, with what is left and when to come back', async () => {
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
    expect(replies[3]?.json.error.message).toMatch(/3 requests a minute.*20 s/);
  });

  test('nothing is screened meanwhile', async () => {
    const api = await limited(1);
    const body = payment();
    expect([(await api.pay(body)).status, (await api.pay(body)).status]).toEqual([200, 429]);
    const other = client(service, await service.key());
    expect((await other.get(`/v1/users/${body.user_id}/risk-profile`)).json.transactions.count).toBe(1);
  });

  test('is for each key alone', async () => {
    const [one, two] = [await limited(2), await limited(2)];
    expect(await statuses(one, 3)).toEqual([200, 200, 429]);
    expect(await statuses(two, 3)).toEqual([200, 200, 429]);
  });

  test('refills steadily as time passes, and never beyond a minute’s worth', async () => {
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
    'who waits as long as Retry-After says is admitted, at %d a minute',
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

  test('a clock set back gives nothing away', async () => {
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

  test('gives way to the limit of the key itself', async () => {
    expect(await statuses(client(strict, await strict.key({ perMinute: 4 })), 5)).toEqual([200, 200, 200, 200, 429]);
  });

  test('does not hold for what needs no key', async () => {
    for (let i = 0; i < 5; i++) expect((await strict.call('GET', '/healthz')).status).toBe(200);
  });
});

test('a limit given with POST /api-keys holds for the new key', async () => {
  const admin = client(service, await service.key());
  const { json } = await admin.post('/v1/api-keys', { role: 'reader', rate_limit_per_minute: 1 });
  expect(await statuses(client(service, (json as Json).secret), 2)).toEqual([200, 429]);
});
