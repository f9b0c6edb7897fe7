import type { ImportItem } from '@portcullis/contract';
import { FACT_NAMES, replay, unpackFacts } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { newFolder, SANDBOX_KEY, type Server, serve } from '../fixtures/crash-process.ts';
import { makeRandom } from '../fixtures/crash-random.ts';
import { POLICY, readStore, replayMismatches, type StoredScreening } from '../fixtures/crash-store.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { DAY_MS, profilePath } from '../fixtures/harness.ts';
import { historyOf } from '../fixtures/label-traffic.ts';
import { pastItems, steadyTraffic } from '../fixtures/past-items.ts';
import { isShared } from '../fixtures/shared-store.ts';

const KILLS = rounds(3, 40);
const ITEMS = 500;
const CHUNK = 60;

const post = async ({ url }: Server, path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${SANDBOX_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
};

/** Imports everything from the start, as a client does after an error. Returns how many items it added. */
const importAll = async (server: Server, items: readonly ImportItem[], onChunk: (i: number) => void) => {
  let added = 0;
  for (let i = 0; i < items.length; i += CHUNK) {
    onChunk(i / CHUNK);
    const result = await post(server, '/v1/imports', { items: items.slice(i, i + CHUNK) });
    added += (result as { imported: number }).imported;
  }
  return added;
};

/** Expects each profile to count every item of its user once. */
const expectExactProfiles = async ({ url }: Server, items: readonly ImportItem[]): Promise<void> => {
  const headers = { authorization: `Bearer ${SANDBOX_KEY}` };
  const sent = items.flatMap(({ transaction, event }) => transaction ?? event ?? []);
  for (const [user, all] of Map.groupBy(sent, ({ user_id }) => user_id)) {
    const response = await fetch(url + profilePath(user), { headers });
    const { transactions, events } = (await response.json()) as Record<string, { count: number }>;
    expect([user, (transactions?.count ?? 0) + (events?.count ?? 0)]).toEqual([user, all.length]);
  }
};

/**
 * Facts that differ from a replay. On a busy machine Redis may miss its time limit, and a kill then marks histories as lost:
 * their facts are unavailable, which is no wrong count.
 */
const countMismatches = (screenings: readonly StoredScreening[], history: Parameters<typeof replay>[1]): string[] => {
  const wrong: string[] = [];
  let at = 0;
  for (const { facts } of replay(POLICY, history)) {
    const { id, facts: packed } = screenings[at++] as StoredScreening;
    const stored = unpackFacts(packed);
    const differing = FACT_NAMES.filter((_, i) => !Number.isNaN(stored[i]) && !Object.is(stored[i], facts[i]));
    if (differing.length > 0) wrong.push(`${id}: ${differing.join(' ')}`);
  }
  return wrong;
};

test(`an import that is cut off by kill -9 (${KILLS} in this run) and repeated counts every item and label once, to the bit (seed ${SEED})`, {
  timeout: timeoutMs(240_000),
}, async () => {
  const random = makeRandom(SEED);
  const steps = steadyTraffic(SEED, ITEMS + 20).map((step) => ({ ...step, afterMs: Math.min(step.afterMs, DAY_MS) }));
  const spanMs = steps.slice(0, ITEMS).reduce((sum, { afterMs }) => sum + afterMs, 0);
  const { items } = pastItems(steps.slice(0, ITEMS), Date.now() - spanMs - DAY_MS);
  const chunks = Math.ceil(items.length / CHUNK);
  const dataDir = newFolder();
  let server = await serve(dataDir);
  let cut = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const killed = server;
    // Each kill comes later in the file than the one before, so that it meets chunks that are not imported yet.
    const at = Math.floor(((kill + random.unit()) * chunks) / KILLS);
    const importing = importAll(killed, items, (chunk) => {
      if (chunk === at) setTimeout(() => killed.kill('SIGKILL'), random.unit() * 60);
    });
    await importing.catch(() => cut++);
    killed.kill('SIGKILL');
    expect((await killed.exited).signal).toBe('SIGKILL');
    server = await serve(dataDir);
  }
  expect(cut).toBeGreaterThan(0);
  await importAll(server, items, () => {});
  expect(await importAll(server, items, () => {})).toBe(0);
  await expectExactProfiles(server, items);
  for (const { path, body } of steps.slice(ITEMS)) await post(server, path, body);
  server.kill('SIGTERM');
  expect(await server.exited).toEqual({ code: 0, signal: null });
  const { screenings, labels, cases, integrity } = await readStore(dataDir);
  expect(integrity).toBe('ok');
  const past = new Set(screenings.filter(({ imported }) => imported === 1).map(({ id }) => id));
  expect([past.size, labels.length]).toEqual([ITEMS, ITEMS / 5]);
  expect(cases.filter(({ id }) => past.has(id))).toEqual([]);
  const history = historyOf(screenings, labels);
  if (isShared) expect(countMismatches(screenings, history)).toEqual([]);
  else expect(replayMismatches(screenings, history)).toEqual([]);
});
