import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFacts } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { openHistories } from '../src/backend/copy-histories.ts';
import { openSource } from '../src/backend/copy-source.ts';
import type { Counters } from '../src/backend/counters.ts';
import { DAY_MS, makeFolder } from './harness.ts';
import { startCluster } from './redis-cluster.ts';
import {
  anyPrefix,
  hasRedisServer,
  isIdle,
  makeOracle,
  makeRandom,
  type Oracle,
  type OwnRedis,
  openCounters,
  redisAnswers,
  removeKeys,
  SHARED_URL,
} from './redis-world.ts';
import { type Step, traffic } from './traffic.ts';

const answers = await redisAnswers();
const prefix = anyPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

const NOBODY: Counters = {
  count: (_tenant, _subject, _seq, decide) => decide(makeFacts()),
  label: (_tenant, _of, _said, _seq, write) => write(),
  user: () => undefined,
};
const TENANTS = 2;

/** Traffic with labels, from a moment on. Answers with what both saw of it. */
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

describe.skipIf(!answers)('histories taken from the shelves', () => {
  test.each([
    ['of whom all screenings are stored', 0, false],
    ['of whom half the screenings are gone', 0.5, false],
    ['of whom all screenings are gone', 1, false],
    ['put into a cluster', 0.9, true],
  ])(
    '%s tell the same as before, to the bit, and go on as before',
    async (_, gone, isCluster) => {
      if (isCluster && !hasRedisServer()) return;
      const url = isCluster ? ((await startCluster())[0] as OwnRedis).url : SHARED_URL;
      const directory = makeFolder();
      const space = `${prefix}:${gone * 10}`;
      const first = makeOracle(directory);
      await play(first, traffic(5, 300), 5, NOBODY);
      const until = first.now();
      await first.backend.close();
      const database = new DatabaseSync(join(directory, 'portcullis.db'));
      const last = first.screened[Math.floor(first.screened.length * gone) - 1];
      if (last !== undefined) database.prepare('DELETE FROM screenings WHERE id <= ?').run(last.row.id);
      database.close();

      const source = await openSource(directory, (text) => text);
      const histories = await openHistories({ url, prefix: space, source });
      const copied = await histories.copy(() => {});
      await histories.finish();
      await histories.unmark();
      histories.close();
      const shelves = source.counters.prepare('SELECT COUNT(*) AS count FROM shelves').get()?.count;
      source.close();
      expect(copied).toBeGreaterThan(Number(shelves));
      // And the mark that it is whole.
      if (!isCluster) expect(await valuesIn(space)).toBe(copied + 1);

      const { counters } = await openCounters(url, space, { hasStored: async () => true });
      expect(counters.stats().isWhole).toBe(true);
      const second = makeOracle(directory);
      second.advance(until - second.now() + DAY_MS);
      for (let tenant = 1; tenant <= TENANTS; tenant++)
        for (let user = 0; user < 60; user++) {
          const [here, there] = await second.user(tenant, `user_${user}`, counters);
          expect(there).toEqual(here);
        }
      const [here, there] = await play(second, traffic(6, 150), 6, counters, () => isIdle(counters));
      expect(there).toEqual(here);
    },
    120_000,
  );

  test('are not put where there are others', async () => {
    const directory = makeFolder();
    await makeOracle(directory).backend.close();
    const redis = new Redis(SHARED_URL);
    await redis.set(`${prefix}:taken:x`, '1');
    redis.disconnect();
    const source = await openSource(directory, (text) => text);
    await expect(openHistories({ url: SHARED_URL, prefix: `${prefix}:taken`, source })).rejects.toThrow(
      /holds keys that begin with .* already/,
    );
    source.close();
  });

  test('are put anew where a copy of the same store was broken off, and of no other', async () => {
    const directory = makeFolder();
    const oracle = makeOracle(directory);
    await play(oracle, traffic(7, 20), 7, NOBODY);
    await oracle.backend.close();
    const source = await openSource(directory, (text) => text);
    const open = (id = source.id) =>
      openHistories({ url: SHARED_URL, prefix: `${prefix}:again`, source: { ...source, id } });
    const first = await open();
    const copied = await first.copy(() => {});
    first.close();
    await expect(open('another')).rejects.toThrow(/already/);
    const second = await open();
    expect(await second.copy(() => {})).toBe(copied);
    await second.finish();
    await second.unmark();
    second.close();
    await expect(open()).rejects.toThrow(/already/);
    source.close();
  });
});
