import { expect, test } from 'vitest';
import { type Cost, makeTurns } from './turns.ts';

const start = () => {
  const scheduled: Record<Cost, (() => void)[]> = { small: [], large: [] };
  const ran: string[] = [];
  const turns = makeTurns((call, ms) => void scheduled[ms === 1 ? 'small' : 'large'].push(call));
  return {
    ran,
    take: (cost: Cost, name: string) => turns.take(cost, () => ran.push(name)),
    turns,
    /** Begins the next turn of a queue. Returns whether another one was scheduled. */
    nextTurn: (cost: Cost = 'small'): boolean => {
      expect(scheduled[cost].length).toBeLessThanOrEqual(1);
      scheduled[cost].shift()?.();
      return scheduled[cost].length > 0;
    },
  };
};
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

test('a request that is alone runs at once', () => {
  const { take, ran } = start();
  take('small', 'a');
  take('large', 'b');
  expect(ran).toEqual(['a', 'b']);
});

test('four small requests run in a turn, the others later, in the order they came', () => {
  const { take, ran, nextTurn } = start();
  for (const name of names(10)) take('small', name);
  expect(ran).toEqual(names(4));
  nextTurn();
  expect(ran).toEqual(names(8));
  nextTurn();
  expect(ran).toEqual(names(10));
});

test('one large request runs in a turn, and small ones do not wait for large ones', () => {
  const { take, ran, nextTurn } = start();
  for (const name of names(100)) take('large', name);
  nextTurn('large');
  take('small', 'health');
  expect(ran).toEqual(['0', '1', 'health']);
  nextTurn();
  nextTurn('large');
  expect(ran).toEqual(['0', '1', 'health', '2']);
});

test('a request that comes while others wait goes behind them', () => {
  const { take, ran, nextTurn } = start();
  for (const name of names(6)) take('small', name);
  take('small', 'last');
  nextTurn();
  expect(ran).toEqual([...names(6), 'last']);
  for (const name of names(3)) take('small', name);
  expect(ran).toHaveLength(8);
});

test('a request that a request leads to is bounded like all others', () => {
  const { turns, nextTurn } = start();
  let runs = 0;
  const again = (): void => {
    runs++;
    turns.take('small', again);
  };
  turns.take('small', again);
  expect(runs).toBe(4);
  nextTurn();
  expect(runs).toBe(8);
});

test('an idle service schedules nothing', () => {
  const { take, nextTurn } = start();
  take('small', 'a');
  take('large', 'b');
  expect([nextTurn('small'), nextTurn('large')]).toEqual([false, false]);
});

test('many waiting requests all run, once each, in order', () => {
  const { take, ran, nextTurn } = start();
  for (const name of names(5000)) take('small', name);
  while (nextTurn());
  expect(ran).toEqual(names(5000));
});
