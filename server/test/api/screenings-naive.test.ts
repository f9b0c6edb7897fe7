import { expect, test } from 'vitest';
import { makeRandom } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { makeClock, startService } from '../fixtures/harness.ts';
import { dumpProjection, dumpRebuilt } from '../fixtures/projection-dump.ts';
import { searchAll } from '../fixtures/searched.ts';
import { makeItems, naive, randomFilter, subjectId } from '../fixtures/searched-world.ts';

const ITEMS = rounds(120, 2000);
const FILTERS = rounds(120, 2000);

test(
  `${FILTERS} random filters find what a naive scan finds, before and after a rebuild (seed ${SEED})`,
  async () => {
    const random = makeRandom(SEED);
    const clock = makeClock();
    const service = await startService({ clock: clock.now });
    const { api, rule, items } = await makeItems(service, clock, random, ITEMS);

    const all = await searchAll(api, {}, 7);
    expect(all.map(({ subject_id }) => subject_id)).toEqual(items.map(subjectId));
    expect(new Set(items.map(({ country }) => country)).size).toBeGreaterThan(2);
    expect(all.map(({ decision, label }) => [decision, label])).toEqual(
      items.map(({ decision, label }) => [decision, label]),
    );

    let found = 0;
    for (let count = 0; count < FILTERS; count++) {
      const filter = randomFilter(random, items, rule, count % 4 === 0 ? ['text'] : []);
      const expected = naive(items, filter).map(subjectId);
      const { from, until } = filter;
      if (from !== undefined && until !== undefined && until < from) continue;
      if (filter.score_min > filter.score_max) continue;
      const ids = (await searchAll(api, filter, random.pick([2, 200]))).map(({ subject_id }) => subject_id);
      expect([filter, ids]).toEqual([filter, expected]);
      if (ids.length > 0) found++;
    }
    expect(found).toBeGreaterThan(FILTERS / 4);

    await service.stop();
    const written = await dumpProjection(service.dataDir);
    expect(written.items).toHaveLength(ITEMS);
    expect(await dumpRebuilt(service.dataDir)).toEqual(written);
  },
  timeoutMs(240_000),
);
