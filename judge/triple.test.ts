import { expect, test } from 'vitest';
import { openShippedKnowledge } from './knowledge.ts';
import {
  disputerAfter,
  measureTriple,
  NEXT_ESTABLISHED,
  NEXT_NEW,
  OTHERS,
  VICTIM,
  VICTIM_EVENTS,
  type Who,
} from './measure-triple.ts';
import { loadServedModel, makeServe } from './served.ts';
import { businessNamed } from './world/businesses.ts';

/** Today's level on three businesses; in `wallet`, many payees are new. `npm run judge -- triple` measures the real requirement. */
const LEVEL = { nextEstablished: 0.9, nextNew: 0.8, victimFlagged: 0.01, repeatDisputer: 0.9, ofNewPayees: 0.89 };

const serve = makeServe(loadServedModel());
const countsOf = (name: string) =>
  measureTriple(businessNamed(name), 7, 10, serve, {
    labelling: 'fraud',
    givesReasons: false,
    knowledge: openShippedKnowledge(),
  });
const counts = [...countsOf('groceries'), ...countsOf('games')];
const withNewPayees = countsOf('wallet');
const shareOf = (all: typeof counts, whos: readonly Who[], hits: 'flagged' | 'blocked'): number => {
  const of = all.filter(({ who }) => whos.includes(who));
  const items = of.reduce((sum, count) => sum + count.items, 0);
  expect(items).toBeGreaterThanOrEqual(10);
  return of.reduce((sum, count) => sum + count[hits], 0) / items;
};
const share = (who: Who, hits: 'flagged' | 'blocked'): number => shareOf(counts, [who], hits);

test("a reported thief's device is flagged on the next account as often as before", () => {
  expect(share(NEXT_ESTABLISHED, 'flagged')).toBeGreaterThanOrEqual(LEVEL.nextEstablished);
  expect(share(NEXT_NEW, 'flagged')).toBeGreaterThanOrEqual(LEVEL.nextNew);
});

test('a victim is hardly flagged afterwards, and never blocked', () => {
  expect(share(VICTIM, 'flagged')).toBeLessThanOrEqual(LEVEL.victimFlagged);
  expect(share(VICTIM, 'blocked')).toBe(0);
  expect(share(VICTIM_EVENTS, 'flagged')).toBeLessThanOrEqual(LEVEL.victimFlagged);
});

test('a customer with three known disputes is flagged', () => {
  expect(share(disputerAfter(3), 'flagged')).toBeGreaterThanOrEqual(LEVEL.repeatDisputer);
});

test('so is a customer with three or more in a young business with many new payees', () => {
  const share = shareOf(withNewPayees, [3, 4, 5].map(disputerAfter), 'flagged');
  expect(share).toBeGreaterThanOrEqual(LEVEL.ofNewPayees);
});

test('customers who were not robbed are hardly flagged', () => {
  expect(share(OTHERS, 'flagged')).toBeLessThan(0.005);
  expect(share(OTHERS, 'blocked')).toBe(0);
});
