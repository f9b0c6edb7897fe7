import { expect, test } from 'vitest';
import { DAY_MS, makeOutput } from './output.ts';
import { type Card, makePerson, makeTown } from './people.ts';
import { makeDraw } from './random.ts';
import { drawWorld } from './world.ts';

const setUp = () => {
  const world = drawWorld({ seed: 1, users: 10, days: 5, start: 0, world: 'shop' });
  const draw = makeDraw(1);
  const town = makeTown(world, draw);
  const person = makePerson(world, town, draw);
  const output = makeOutput(world, draw);
  const pay = (at: number) =>
    output.pay(
      at,
      person,
      { device: undefined, ip: undefined },
      {
        amount: 1,
        card: person.cards[0] as Card,
        counterparty: town.newCounterparty(),
      },
    );
  return { output, pay };
};

test('returns the items of a day once, in time order', () => {
  const { output, pay } = setUp();
  for (const at of [5000, 3000, 9000, DAY_MS + 1000]) expect(pay(at)).toBe(true);
  expect(output.takeDay(0).map((item) => item.occurred_at)).toEqual([
    '1970-01-01T00:00:03.000Z',
    '1970-01-01T00:00:05.000Z',
    '1970-01-01T00:00:09.000Z',
  ]);
  expect(output.takeDay(0)).toEqual([]);
  expect(output.takeDay(1)).toHaveLength(1);
});

test('refuses items for a returned day and after the last day', () => {
  const { output, pay } = setUp();
  output.takeDay(0);
  expect(pay(5000)).toBe(false);
  expect(pay(5 * DAY_MS)).toBe(false);
  expect(output.count.all).toBe(0);
});
