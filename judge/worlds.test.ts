import { estimateMean } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { worldsToJudge } from './judging-worlds.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { type LabelPercentage, measureWorld } from './measure-world.ts';
import { loadServedModel, makeServe } from './served.ts';
import type { Figures } from './worlds-figures.ts';

/** Today's level on small worlds. `npm run judge -- worlds` measures the real requirement. */
const LEVEL = { ap: 0.55, blockedPer10k: 6, reviewedPer10k: 120, caught: 0.55, apLostByLabels: 0.01 };

const serve = makeServe(loadServedModel());
const results = worldsToJudge(12, 1000).map((world) =>
  measureWorld(world, serve, openShippedKnowledge(), undefined, [0, 100]),
);
const mean = (key: keyof Figures, labels: LabelPercentage = 100): number =>
  estimateMean(results.map(({ byLabels }) => byLabels[labels].served[key])).value;

test('the served score ranks and decides in judging worlds as well as before, over all kinds of business', () => {
  expect(mean('ap')).toBeGreaterThan(LEVEL.ap);
  expect(mean('caught')).toBeGreaterThan(LEVEL.caught);
  expect(mean('blockedPer10k')).toBeLessThan(LEVEL.blockedPer10k);
  expect(mean('reviewedPer10k')).toBeLessThan(LEVEL.reviewedPer10k);
});

test('labels do not make the ranking worse than before', () => {
  expect(mean('ap', 0) - mean('ap', 100)).toBeLessThan(LEVEL.apLostByLabels);
});

test('the same world gives the same figures', () => {
  const [world] = worldsToJudge(1, 500);
  if (world === undefined) throw new Error('there is no world');
  const again = () => measureWorld(world, serve, openShippedKnowledge(), undefined, [10]);
  expect(again()).toEqual(again());
});
