import { expect, test } from 'vitest';
import { load, makeRandomLabels, makeTraffic } from '../fixtures/crash-load.ts';
import { newFolder, SANDBOX_KEY, type Server, serve } from '../fixtures/crash-process.ts';
import { makeRandom } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { dumpProjection, dumpRebuilt } from '../fixtures/projection-dump.ts';

const KILLS = rounds(2, 20);
const RESPONSES = 150;

/** Waits until search has everything that was stored before now. */
const untilSearched = async ({ url }: Server): Promise<void> => {
  const now = Date.now();
  const complete = async (): Promise<number> => {
    const answer = await fetch(`${url}/v1/screenings?limit=1`, { headers: { authorization: `Bearer ${SANDBOX_KEY}` } });
    return Date.parse(((await answer.json()) as { as_of: string }).as_of);
  };
  await expect.poll(complete).toBeGreaterThanOrEqual(now);
};

test(
  `after ${KILLS} kills, search and sums equal what a rebuild writes from the journal, and each case has one event (seed ${SEED})`,
  async () => {
    const folder = newFolder();
    const random = makeRandom(SEED);
    const next = makeTraffic(random);
    const label = makeRandomLabels(random);
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await serve(folder);
      const result = await load(server, {
        connections: 8,
        next,
        label,
        pauseMs: () => 0,
        onAnswer: (count) => count === RESPONSES && server.kill('SIGKILL'),
      });
      acknowledged += result.acknowledged.length;
      await server.exited;
    }
    const server = await serve(folder);
    await untilSearched(server);
    server.kill('SIGTERM');
    await server.exited;
    const written = await dumpProjection(folder);
    expect(written.items.length).toBeGreaterThanOrEqual(acknowledged);
    expect(written.items.some(({ label: given }) => given !== null)).toBe(true);
    const created = written.events.filter(({ type }) => type === 'case.created').map(({ id }) => id);
    expect(created.length).toBeGreaterThan(0);
    expect(created.sort()).toEqual(written.cases);
    expect(await dumpRebuilt(folder)).toEqual(written);
  },
  timeoutMs(240_000),
);
