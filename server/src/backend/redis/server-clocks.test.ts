import { expect, test } from 'vitest';
import { makeServerClocks } from './server-clocks.ts';

const HOUR_MS = 3_600_000;

test('a deadline is on the clock of its server, at most one round trip late, and follows a clock that was set', async () => {
  let here = 1000;
  let there = 5_000_000;
  const clocks = makeServerClocks(() => here);
  const ask = (roundTripMs: number) => async (): Promise<number> => {
    here += roundTripMs / 2;
    there += roundTripMs / 2;
    const time = there;
    here += roundTripMs / 2;
    there += roundTripMs / 2;
    return time;
  };
  expect([clocks.deadline('a', 250), clocks.isDue('a')]).toEqual([0, true]);
  expect(await clocks.measure('a', ask(8))).toBe(5_000_004);
  expect(clocks.deadline('a', 250)).toBe(there + 250 + 4);
  expect([clocks.isDue('a'), clocks.isDue('b'), clocks.deadline('b', 250)]).toEqual([false, true, 0]);
  there += HOUR_MS;
  here += 6000;
  expect(clocks.isDue('a')).toBe(true);
  await clocks.measure('a', ask(0));
  expect(clocks.deadline('a', 250)).toBe(there + 250);
});

test('a clock is measured once at a time, and stays as it was when the server does not answer', async () => {
  const clocks = makeServerClocks(() => 0);
  const failing = clocks.measure('a', () => Promise.reject(new Error('no answer')));
  expect(clocks.isDue('a')).toBe(false);
  await expect(failing).rejects.toThrow('no answer');
  expect([clocks.isDue('a'), clocks.deadline('a', 1)]).toEqual([true, 0]);
});
