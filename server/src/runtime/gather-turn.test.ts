import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatherTurn } from './gather-turn.ts';

test('passes on what one turn added, in order and once, and what it adds itself in the turn after', async () => {
  const passed: number[][] = [];
  const add = gatherTurn<number>((items) => {
    passed.push([...items]);
    if (items[0] === 1) add(9);
  });
  add(1);
  await Promise.resolve();
  add(2);
  process.nextTick(add, 3);
  expect(passed).toEqual([]);
  await nextTurn();
  expect(passed).toEqual([[1, 2, 3]]);
  await nextTurn();
  expect(passed).toEqual([[1, 2, 3], [9]]);
});
