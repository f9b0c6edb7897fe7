import { describe, expect, test } from 'vitest';
import { client, makeClock, startService } from './harness.ts';
import { play, profilesOf, traffic, usersIn } from './traffic.ts';

const run = async (seed: number, cacheBytes: number | undefined) => {
  const clock = makeClock();
  const service = await startService({
    clock: clock.now,
    logLevel: 'silent',
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
  });
  const api = client(service, await service.key());
  const steps = [...traffic(seed, 350)];
  const said: unknown[] = [];
  // Between stretches what is unsaved is saved, as it is when the service has little to do: only then can it be evicted.
  for (let i = 0; i < steps.length; i += 70) {
    said.push(...(await play(api, clock, steps.slice(i, i + 70))));
    await expect.poll(() => service.app.counters.stats().unsaved, { timeout: 5000, interval: 20 }).toBe(0);
  }
  const facts = await service.app.backend.read<{ facts: Uint8Array }>('SELECT facts FROM screenings ORDER BY seq');
  const profiles = await profilesOf(api, usersIn(steps));
  return {
    said,
    facts: facts.map((row) => Buffer.from(row.facts).toString('base64')),
    profiles,
    stats: service.app.counters.stats(),
  };
};

describe('the size of the cache', () => {
  test('makes no difference to any decision, fact or profile', async () => {
    const [large, small, tiny, none] = await Promise.all([run(3, undefined), run(3, 50_000), run(3, 5000), run(3, 0)]);
    for (const of of [small, tiny, none]) {
      expect(of.said).toEqual(large.said);
      expect(of.facts).toEqual(large.facts);
      expect(of.profiles).toEqual(large.profiles);
    }
    // The small ones did have to read from disk again, and kept to their size.
    expect(large.stats.bytes).toBeGreaterThan(100_000);
    expect(small.stats.bytes).toBeLessThan(80_000);
    expect(small.stats.misses).toBeGreaterThan(large.stats.misses);
    expect(none.stats.misses).toBeGreaterThan(small.stats.misses);
  });
});
