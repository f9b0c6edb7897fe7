import { expect, test } from 'vitest';
import { makeDraw } from './draw.ts';
import { DAY_MS, makeJournal } from './journal.ts';
import { type Card, makePerson, makeTown } from './people.ts';
import { drawWorld } from './world.ts';

const setUp = () => {
  const world = drawWorld({ seed: 1, users: 10, days: 5, start: 0, world: 'shop' });
  const draw = makeDraw(1);
  const town = makeTown(world, draw);
  const person = makePerson(world, town, draw);
  const journal = makeJournal(world, draw);
  const pay = (at: number) =>
    journal.pay(
      at,
      person,
      { device: undefined, ip: undefined },
      {
        amount: 1,
        card: person.cards[0] as Card,
        counterparty: town.newCounterparty(),
      },
    );
  return { journal, pay };
};

test('a day is given back once, in order, and then forgotten', () => {
  const { journal, pay } = setUp();
  for (const at of [5000, 3000, 9000, DAY_MS + 1000]) expect(pay(at)).toBe(true);
  expect(journal.take(0).map((item) => item.occurred_at)).toEqual([
    '1970-01-01T00:00:03.000Z',
    '1970-01-01T00:00:05.000Z',
    '1970-01-01T00:00:09.000Z',
  ]);
  expect(journal.take(0)).toEqual([]);
  expect(journal.take(1)).toHaveLength(1);
});

test('nothing is written into a day that has passed, or after the last', () => {
  const { journal, pay } = setUp();
  journal.take(0);
  expect(pay(5000)).toBe(false);
  expect(pay(5 * DAY_MS)).toBe(false);
  expect(journal.count.all).toBe(0);
});
