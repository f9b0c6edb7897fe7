import { beforeAll, describe, expect, test } from 'vitest';
import { makeRandom, type Random } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import {
  type Client,
  client,
  DAY_MS,
  type Json,
  makeClock,
  payment,
  type Service,
  startService,
} from '../fixtures/harness.ts';
import { dumpProjection, dumpRebuilt } from '../fixtures/projection-dump.ts';
import { queryOf, untilSearched } from '../fixtures/searched.ts';

const USERS = rounds(60, 600);
const STARTS = rounds(60, 600);
const AT_ONCE = 20;

/** Parts that share beginnings, mean something in SQL, or are ordered differently by bytes and by UTF-16. */
const PARTS = [
  'user',
  'User',
  '_',
  '%',
  'u',
  '1',
  '19',
  ' ',
  'é',
  'e\u0301',
  'ﬀ',
  '\u{1f600}',
  '\u{10ffff}',
  "'",
  '\\',
];
const randomId = (random: Random): string =>
  Array.from({ length: random.between(1, 5) }, () => random.pick(PARTS)).join('');

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The ids of all pages. */
const find = async (api: Client, q: string, limit: number): Promise<string[]> => {
  const found: string[] = [];
  for (let before: string | null = null; ; ) {
    const query = queryOf({ q, limit, ...(before === null ? {} : { before }) });
    const { status, json }: { status: number; json: Json } = await api.get(`/v1/users?${query}`);
    expect(status).toBe(200);
    expect(json.users.length).toBeLessThanOrEqual(limit);
    found.push(...json.users.map(({ user_id }: Json) => user_id));
    if (!json.has_more) return found;
    before = json.next_before;
  }
};

describe(`users by the start of their id (seed ${SEED})`, () => {
  const clock = makeClock();
  const random = makeRandom(SEED);
  let service: Service;
  let api: Client;
  let other: Client;
  let ids: string[];

  beforeAll(async () => {
    service = await startService({ clock: clock.now });
    api = client(service, await service.key());
    other = client(service, await service.key({ environment: 'production' }));
    ids = [...new Set(Array.from({ length: USERS }, () => randomId(random)))];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      const replies = await Promise.all(some.map((user_id) => api.pay(payment({ user_id }))));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    }
    await other.pay(payment({ user_id: 'user_of_production' }));
    await untilSearched(api, clock);
    await untilSearched(other, clock);
  }, timeoutMs(240_000));

  test('are those of a naive filter, in the order of bytes, whatever the size of a page', async () => {
    let several = 0;
    for (let count = 0; count < STARTS; count++) {
      const id = [...random.pick(ids)];
      const q = random.chance(0.1) ? randomId(random) : id.slice(0, random.between(1, id.length)).join('');
      const expected = ids.filter((one) => one.startsWith(q)).sort(byBytes);
      expect([q, await find(api, q, random.pick([1, 2, 7, 100]))]).toEqual([q, expected]);
      if (expected.length > 1) several++;
    }
    expect(several).toBeGreaterThan(STARTS / 4);
  });

  test('have the figures of the list by activity', async () => {
    const listed = (await api.get('/v1/users?limit=100')).json.users as Json[];
    const [first] = listed;
    const { users } = (await api.get(`/v1/users?${queryOf({ q: first.user_id })}`)).json;
    expect(users.find(({ user_id }: Json) => user_id === first.user_id)).toEqual(first);
  });

  test('are those of the own environment alone', async () => {
    expect(await find(other, 'u', 100)).toEqual(['user_of_production']);
    expect(await find(api, 'user_of_', 100)).toEqual([]);
  });

  test('are found without the permission for personal data, as user ids are everywhere', async () => {
    const reader = client(service, await service.key({ role: 'reader', environment: 'production' }));
    expect(await find(reader, 'user_of', 100)).toEqual(['user_of_production']);
  });

  test('are refused with filters, and with a cursor of another list', async () => {
    const filtered = await api.get('/v1/users?q=u&label=fraud&decision=block');
    expect([filtered.status, filtered.json.error.details.map(({ field }: Json) => field).sort()]).toEqual([
      400,
      ['decision', 'label'],
    ]);
    const byActivity = (await api.get('/v1/users?limit=1')).json.next_before;
    const ofAnother = (await api.get('/v1/users?q=u&limit=1')).json.next_before;
    const NUL = `id~${Buffer.from('u\0').toString('base64url')}`;
    for (const [q, before] of [
      ['u', byActivity],
      ['U', ofAnother],
      ['u', NUL],
      ['u', 'id~uu'],
    ]) {
      const { status, json } = await api.get(`/v1/users?${queryOf({ q, before })}`);
      expect([before, status, json.error.details[0].field]).toEqual([before, 400, 'before']);
    }
    expect((await api.get(`/v1/users?before=${ofAnother}`)).status).toBe(400);
    expect((await api.get('/v1/users?q=')).status).toBe(400);
    expect((await api.get('/v1/users?q=%00')).status).toBe(400);
  });

  test('follow from the journal: a rebuild gives the same rows', async () => {
    await service.stop();
    const written = await dumpProjection(service.dataDir);
    expect(written.users.map(({ user_id }) => user_id as string).sort(byBytes)).toEqual(
      [...ids, 'user_of_production'].sort(byBytes),
    );
    expect(await dumpRebuilt(service.dataDir)).toEqual(written);
  });
});

test('a user without a card number in the id is found, one with is found as it is shown', async () => {
  const clock = makeClock();
  const service = await startService({ clock: clock.now });
  const api = client(service, await service.key());
  const card = '4111111111111111';
  await api.pay(payment({ user_id: card }));
  await untilSearched(api, clock);
  const [shown] = (await api.get('/v1/users')).json.users;
  expect(shown.user_id).not.toContain(card);
  expect(await find(api, card, 100)).toEqual([shown.user_id]);
  expect(await find(api, '411111', 100)).toEqual([shown.user_id]);
});

test('a user goes with the last item, after its retention, and a user with a newer item stays', async () => {
  const clock = makeClock();
  const service = await startService({ clock: clock.now });
  const api = client(service, await service.key());
  await api.pay(payment({ user_id: 'user_once' }));
  await api.pay(payment({ user_id: 'user_again' }));
  await untilSearched(api, clock);
  clock.advance(80 * DAY_MS);
  await api.pay(payment({ user_id: 'user_again' }));
  await untilSearched(api, clock);
  expect(await find(api, 'user_', 100)).toEqual(['user_again', 'user_once']);
  clock.advance(11 * DAY_MS);
  // It is not found any more, even before it is deleted.
  await untilSearched(api, clock);
  expect(await find(api, 'user_', 100)).toEqual(['user_again']);
  await service.app.retention.sweepAll();
  expect(await find(api, 'user_', 100)).toEqual(['user_again']);
  await service.stop();
  const swept = await dumpProjection(service.dataDir);
  expect(swept.users.map(({ user_id }) => user_id)).toEqual(['user_again']);
});
