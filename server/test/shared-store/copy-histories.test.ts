import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFacts } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { openHistories } from '../../src/backend/copy/histories.ts';
import { openSource } from '../../src/backend/copy/source.ts';
import type { Counters } from '../../src/backend/counters.ts';
import { DAY_MS, makeFolder } from '../fixtures/harness.ts';
import { beginCluster } from '../fixtures/redis-cluster.ts';
import {
  hasRedisServer,
  isRedisAvailable,
  makeOracle,
  makeRandom,
  type Oracle,
  openCounters,
  randomPrefix,
  removeKeys,
  SHARED_URL,
  TEST_KEY,
  untilIdle,
} from '../fixtures/redis-world.ts';
import { type Step, traffic } from '../fixtures/traffic.ts';

const answers = await isRedisAvailable();
const prefix = randomPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

const cluster = answers && hasRedisServer() ? beginCluster() : undefined;

const NO_COUNTERS: Counters = {
  count: (screenings, decide) => decide(screenings, screenings.map(makeFacts)),
  label: (_tenant, _screening, _effect, _seq, write) => write(),
  countPast: async () => {},
  labelPast: async () => {},
  recount: async () => {},
  settlePast: async () => {},
  forget: async (_tenant, entities) => entities.map(() => false),
  user: () => undefined,
};
const TENANTS = 2;
const openKeys = async () => ({ identityKey: TEST_KEY, fingerprint: (text: string) => text });

/** Plays traffic with labels. Returns the facts that both counters measured. */
const play = async (oracle: Oracle, steps: Iterable<Step>, seed: number, other: Counters, settled = async () => {}) => {
  const random = makeRandom(seed);
  const seen: [unknown[], unknown[]] = [[], []];
  for (const step of steps) {
    oracle.advance(Math.max(0, step.afterMs));
    const [here, there] = await oracle.screen(1 + Math.floor(random() * TENANTS), step, other);
    seen[0].push(here);
    seen[1].push(there);
    await settled();
    const item = oracle.screened[Math.floor(random() * oracle.screened.length)];
    if (random() < 0.3 && item !== undefined) await oracle.label(item, random() < 0.6, other);
    await settled();
  }
  return seen;
};

const valuesIn = async (space: string): Promise<number> => {
  const redis = new Redis(SHARED_URL);
  let count = 0;
  for await (const keys of redis.scanStream({ match: `${space}:*`, count: 1000 })) count += (keys as string[]).length;
  redis.disconnect();
  return count;
};

describe.skipIf(!answers)('histories copied from entity groups', () => {
  test.each([
    ['with all screenings stored', 0, false],
    ['with half of the screenings deleted', 0.5, false],
    ['with all screenings deleted', 1, false],
    ['copied into a cluster', 0.9, true],
  ])(
    '%s give the same facts as before, to the bit, and continue as before',
    async (_, gone, isCluster) => {
      if (isCluster && cluster === undefined) return;
      const url = (await (isCluster ? cluster?.() : undefined))?.[0]?.url ?? SHARED_URL;
      const directory = makeFolder();
      const space = `${prefix}:${gone * 10}`;
      const first = makeOracle(directory);
      await play(first, traffic(5, 200), 5, NO_COUNTERS);
      const until = first.now();
      await first.backend.close();
      const database = new DatabaseSync(join(directory, 'portcullis.db'));
      const last = first.screened[Math.floor(first.screened.length * gone) - 1];
      if (last !== undefined) database.prepare('DELETE FROM screenings WHERE id <= ?').run(last.row.id);
      database.close();

      const source = await openSource(directory, openKeys);
      const histories = await openHistories({ url, prefix: space, source });
      const { copied, damaged } = await histories.copy(() => {});
      await histories.finish();
      await histories.unmark();
      histories.close();
      const groups = source.counters.prepare('SELECT COUNT(*) AS count FROM shelves').get()?.count;
      source.close();
      expect(damaged).toBe(0);
      expect(copied).toBeGreaterThan(Number(groups));
      // One more key marks the histories as complete.
      if (!isCluster) expect(await valuesIn(space)).toBe(copied + 1);

      const { counters } = await openCounters(url, space, { hasStored: async () => true });
      expect(counters.stats().isComplete).toBe(true);
      const second = makeOracle(directory);
      second.advance(until - second.now() + DAY_MS);
      for (let tenant = 1; tenant <= TENANTS; tenant++)
        for (let user = 0; user < 60; user++) {
          const [here, there] = await second.user(tenant, `user_${user}`, counters);
          expect(there).toEqual(here);
        }
      const [here, there] = await play(second, traffic(6, 80), 6, counters, () => untilIdle(counters));
      expect(there).toEqual(here);
    },
    120_000,
  );

  test('are not copied to a prefix that has keys', async () => {
    const directory = makeFolder();
    await makeOracle(directory).backend.close();
    const redis = new Redis(SHARED_URL);
    await redis.set(`${prefix}:taken:x`, '1');
    redis.disconnect();
    const source = await openSource(directory, openKeys);
    await expect(openHistories({ url: SHARED_URL, prefix: `${prefix}:taken`, source })).rejects.toThrow(
      /already has keys that begin with/,
    );
    source.close();
  });

  test('are copied again over an interrupted copy of the same store, and of no other', async () => {
    const directory = makeFolder();
    const oracle = makeOracle(directory);
    await play(oracle, traffic(7, 20), 7, NO_COUNTERS);
    await oracle.backend.close();
    const source = await openSource(directory, openKeys);
    const open = (id = source.id) =>
      openHistories({ url: SHARED_URL, prefix: `${prefix}:again`, source: { ...source, id } });
    const first = await open();
    const copied = await first.copy(() => {});
    first.close();
    await expect(open('another')).rejects.toThrow(/already/);
    const second = await open();
    expect(await second.copy(() => {})).toEqual(copied);
    await second.finish();
    await second.unmark();
    second.close();
    await expect(open()).rejects.toThrow(/already/);
    source.close();
  });
});
