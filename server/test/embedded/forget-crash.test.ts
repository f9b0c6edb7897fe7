import { cpSync } from 'node:fs';
import { kindIndex, makeFacts } from '@portcullis/engine';
import { expect, test, vi } from 'vitest';
import type { Counters } from '../../src/backend/counters.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { makeOracle, subjectAt } from '../fixtures/redis-world.ts';
import type { Step } from '../fixtures/traffic.ts';

const step = (user_id: string): Step => ({
  path: '/v1/transactions/screen',
  afterMs: 0,
  body: { user_id, amount: 20, currency: 'USD', device_token: `device of ${user_id}` },
});
const [BEFORE, LATER] = [5, 2];
/** Stands for the counters that the oracle compares with. */
const NO_OTHER: Pick<Counters, 'count'> = {
  count: (screenings, decide) => decide(screenings, screenings.map(makeFacts)),
};

test('a process that is killed at any time while it forgets a person keeps what the person did after the request', async () => {
  const directory = makeFolder();
  const oracle = makeOracle(directory);
  const { local } = oracle;
  const screen = async (user: string): Promise<void> => {
    oracle.advance(1000);
    await oracle.screen(1, step(user), NO_OTHER);
  };
  for (let count = 0; count < BEFORE; count++) for (const user of ['ada', 'bob']) await screen(user);
  const after = oracle.newSeq();
  for (let count = 0; count < LATER; count++) for (const user of ['ada', 'bob']) await screen(user);
  const isSaved = () => local.stats().unsaved === 0;
  await vi.waitUntil(isSaved, { timeout: 90_000 });
  const { hashes, checks } = subjectAt(step('ada'), oracle.now());
  const identityOf = (kind: number) => ({ kind, key: hashes[kind] as number, check: checks[kind] as number });
  const own = identityOf(kindIndex.user);
  let isDone = false;
  const forgetting = local.forget(1, [own, identityOf(kindIndex.device)], [own], after).then((alone) => {
    isDone = true;
    return alone;
  });
  /** What a process that is killed now leaves behind, and how many items of bob it has stored. */
  const copies: { readonly folder: string; readonly ofBob: number }[] = [];
  let ofBob = BEFORE + LATER;
  const copy = (): void => {
    const folder = makeFolder();
    cpSync(directory, folder, { recursive: true });
    copies.push({ folder, ofBob });
  };
  // Others go on, so that the save which deletes the history has nothing else that is not due.
  while (!isDone) {
    await screen('bob');
    ofBob++;
    if (ofBob % 3 === 0 && copies.length < 3) copy();
  }
  expect(await forgetting).toEqual([true, true]);
  copy();
  const countsOf = (counters: typeof local): unknown[] =>
    ['ada', 'bob'].map((user) => counters.user(1, user, oracle.now(), makeFacts())?.transactions);
  expect(countsOf(local)).toEqual([LATER, ofBob]);
  const left = copies.map(({ folder }) => countsOf(makeOracle(folder).local));
  // Before the first save everything is as it was.
  for (const [index, [ada, bob]] of left.entries()) {
    expect([LATER, BEFORE + LATER]).toContain(ada);
    expect(bob).toBe(copies[index]?.ofBob);
  }
  expect(left.at(-1)?.[0]).toBe(LATER);
});
