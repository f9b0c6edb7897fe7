import { expect, test } from 'vitest';
import { rankWorld } from './ceiling-figures.ts';
import { worldsToJudge } from './judging-worlds.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { measureWorld } from './measure-world.ts';
import { loadServedModel, makeServe } from './served.ts';

const model = loadServedModel();
const knowledge = openShippedKnowledge();
const worlds = worldsToJudge(3, 1000);
const ranked = worlds.map((world) => rankWorld(world, [model, model], knowledge));

test('the ceiling ranks a world as the part `worlds` does', () => {
  const measured = worlds.map((world) => measureWorld(world, makeServe(model), knowledge, undefined, [100]));
  for (const [i, { ranked: of }] of ranked.entries()) {
    const { ap, recallAt1 } = measured[i]?.byLabels[100].model ?? {};
    expect(of).toEqual([
      { ap, recallAt1 },
      { ap, recallAt1 },
    ]);
  }
  expect(measured.every(({ frauds }) => frauds > 0)).toBe(true);
});

test('the frauds of all attacks are the frauds of the world, and as many are found as the recall says', () => {
  for (const { attacks, ranked: of } of ranked) {
    const counts = [...attacks.values()];
    const frauds = counts.reduce((sum, count) => sum + count.frauds, 0);
    for (const [i, { recallAt1 }] of of.entries()) {
      const found = counts.reduce((sum, count) => sum + (count.found[i] as number), 0);
      expect(Math.abs(found / frauds - recallAt1)).toBeLessThan(0.05);
    }
  }
});
