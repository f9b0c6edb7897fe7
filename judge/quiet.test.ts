import { expect, test } from 'vitest';
import { measureQuiet } from './quiet.ts';
import { loadServedModel, makeServe } from './served.ts';
import { businessNamed } from './world/businesses.ts';

/** Today's level on two businesses. `npm run judge -- quiet` measures all of them. */
const LEVEL = { abroad: 0.9 };
const [BEFORE, AFTER] = [10, 40] as const;
const PEOPLE = 8;

const serve = makeServe(loadServedModel());
const scores = ['groceries', 'fashion'].flatMap((name) =>
  measureQuiet(businessNamed(name), 7, PEOPLE, serve, [BEFORE, AFTER]),
);
const shareFlagged = (kind: string, days: number): number => {
  const of = scores.filter((score) => score.kind === kind && score.days === days);
  expect(of.length).toBe(2 * PEOPLE);
  return of.filter(({ isFlagged }) => isFlagged).length / of.length;
};

test('a thief abroad with a new device is flagged after a quiet month, as before it', () => {
  expect(shareFlagged('thief, new device, abroad', BEFORE)).toBeGreaterThanOrEqual(LEVEL.abroad);
  expect(shareFlagged('thief, new device, abroad', AFTER)).toBeGreaterThanOrEqual(LEVEL.abroad);
});

test('an owner who comes back to an ordinary payment is not flagged, not even with a new phone', () => {
  for (const days of [BEFORE, AFTER]) {
    expect(shareFlagged('owner, own device, at home', days)).toBe(0);
    expect(shareFlagged('owner, new device, at home', days)).toBe(0);
  }
});
