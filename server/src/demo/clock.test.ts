import { expect, test } from 'vitest';
import { makeIds } from '../runtime/ids.ts';
import { makeDemoClock } from './clock.ts';

const START = Date.parse('2026-11-01');

test('the clock of the demo moves in whole milliseconds, so that ids differ and grow', () => {
  const clock = makeDemoClock(START);
  const newId = makeIds(clock.now);
  const ids = [0.2, 0.7, 1.4, 1.9, 2.3].map((ms) => {
    clock.moveTo(START + ms);
    return newId();
  });
  expect(ids.every((id) => id.length === 26)).toBe(true);
  expect(ids).toEqual([...new Set(ids)].sort());
});

test('the clock of the demo never goes back', () => {
  const clock = makeDemoClock(START);
  clock.moveTo(START + 5);
  clock.moveTo(START + 1);
  expect(clock.now()).toBe(START + 5);
});
