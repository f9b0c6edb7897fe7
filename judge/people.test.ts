import { expect, test } from 'vitest';
import { openShippedKnowledge } from './knowledge.ts';
import { measurePeople, SITUATIONS } from './measure-people.ts';
import { makeScene } from './people/scene.ts';
import { loadServedModel, makeServe } from './served.ts';
import { BUSINESSES, businessNamed } from './world/businesses.ts';

/** Today's level in one business. `npm run judge -- people` measures the real requirement. */
const LEVEL = { flagged: 0.009, blocked: 0.001 };
/** Situations in which more than 1 % of the items are flagged today. */
const KNOWN_MISSES = [
  'always behind a VPN, cookies deleted after every visit',
  'wallet lost, card and password replaced',
  'back after a year, with a new phone, flat and card',
  'customers of one computer in a public library',
  'a young firm equips its office in its first week as a customer',
  'colleagues whose company moves them to one cloud VPN, with a shared card',
];

const counts = measurePeople(businessNamed('marketplace'), 7, SITUATIONS, makeServe(loadServedModel()), {
  labelling: 'fraud',
  givesReasons: false,
  knowledge: openShippedKnowledge(),
});
const sumOf = (key: 'items' | 'flagged' | 'blocked'): number => counts.reduce((sum, count) => sum + count[key], 0);

test('ordinary people in unusual situations are flagged and blocked no more often than before', () => {
  expect(counts.length).toBeGreaterThanOrEqual(15);
  expect(sumOf('items')).toBeGreaterThan(1500);
  expect(sumOf('flagged') / sumOf('items')).toBeLessThan(LEVEL.flagged);
  expect(sumOf('blocked') / sumOf('items')).toBeLessThan(LEVEL.blocked);
});

test('no situation is newly flagged in more than 1 % of its items', () => {
  const missed = counts.filter(({ items, flagged }) => flagged > 0.01 * items).map(({ situation }) => situation);
  expect(missed.filter((name) => !KNOWN_MISSES.includes(name))).toEqual([]);
});

test('every situation happens in every business it names, and contains no fraud of its own people', () => {
  for (const { name, businesses, happen } of SITUATIONS)
    for (const business of businesses) {
      const scene = makeScene(businessNamed(business), 5, ['payee-1', 'payee-2']);
      happen(scene);
      const counted = scene.steps().filter(({ tag }) => tag !== undefined);
      expect(counted.length, name).toBeGreaterThan(20);
      expect(
        counted.filter(({ fraud }) => fraud !== undefined),
        name,
      ).toEqual([]);
    }
  expect(new Set(SITUATIONS.flatMap(({ businesses }) => businesses)).size).toBe(BUSINESSES.length);
});
