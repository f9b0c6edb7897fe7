import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { numbersChecksum } from '../../src/backend/checksum.ts';
import { cacheOf, client, countersOf, login, makeClock, startService } from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { play, profilesOf, traffic, usersIn } from '../fixtures/traffic.ts';

const run = async (seed: number, cacheBytes: number | undefined) => {
  const clock = makeClock();
  const service = await startService({
    clock: clock.now,
    logLevel: 'silent',
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
  });
  const api = client(service, await service.key());
  const steps = [...traffic(seed, 250)];
  const outcomes: unknown[] = [];
  // Waits until every group is saved, as in an idle service: only saved groups can be evicted.
  for (let i = 0; i < steps.length; i += 50) {
    outcomes.push(...(await play(api, clock, steps.slice(i, i + 50))));
    await expect.poll(() => cacheOf(service).unsaved, { interval: 20 }).toBe(0);
  }
  const facts = await service.app.backend.read<{ facts: Uint8Array }>('SELECT facts FROM screenings ORDER BY seq');
  const profiles = await profilesOf(api, usersIn(steps));
  return {
    outcomes,
    facts: facts.map((row) => Buffer.from(row.facts).toString('base64')),
    profiles,
    stats: cacheOf(service),
  };
};

describe.skipIf(isShared)('a cold start', () => {
  test('finds every known user from the first request on, however many entities there are', async () => {
    const before = await startService({ logLevel: 'silent' });
    const key = await before.key();
    const users = Array.from({ length: 100 }, (_, i) => `user_${i}`);
    const device_token = 'd';
    await Promise.all(users.map((user_id) => client(before, key).act(login({ user_id, device_token }))));
    await before.stop();
    // So many other entities that the Bloom filter is still being filled when the first request arrives.
    const database = new DatabaseSync(countersOf(before));
    database.function('checksum', (key) => numbersChecksum(0, Number(key), Number(key), 0));
    database.exec(`INSERT INTO entities (tenant, key, "check", shelf, checksum) WITH RECURSIVE n(i) AS
      (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT 0, i, i, 0, checksum(i) FROM n`);
    database.close();

    const after = await startService({ logLevel: 'silent', dataDir: before.dataDir, cacheBytes: 50_000 });
    const { act, get } = client(after, key);
    const counts = (some: string[]) =>
      Promise.all(some.map(async (user) => (await get(`/v1/users/${user}/risk-profile`)).json.events?.count));
    const some = users.slice(0, 30);
    await Promise.all(some.map((user_id) => act(login({ user_id, device_token }))));
    expect(await counts(some)).toEqual(some.map(() => 2));
    expect(await counts(users.slice(30))).toEqual(users.slice(30).map(() => 1));
    expect(await counts(['user_100', 'user_', 'device:d', 'd'])).toEqual(Array(4).fill(undefined));
  });
});

describe.skipIf(isShared)('the size of the cache', () => {
  test('does not affect any decision, fact or profile', async () => {
    const [large, small, none] = await Promise.all([run(3, undefined), run(3, 30_000), run(3, 0)]);
    for (const result of [small, none]) {
      expect(result.outcomes).toEqual(large.outcomes);
      expect(result.facts).toEqual(large.facts);
      expect(result.profiles).toEqual(large.profiles);
    }
    // The small caches did read from disk again, and stayed within their size.
    expect(large.stats.bytes).toBeGreaterThan(80_000);
    expect(small.stats.bytes).toBeLessThan(60_000);
    expect(small.stats.misses).toBeGreaterThan(large.stats.misses);
  });
});
