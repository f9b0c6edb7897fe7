import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Model, makeModel } from '@portcullis/engine';
import { afterAll, expect, test } from 'vitest';
import { worldsToJudge } from './judging-worlds.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { measureWorld } from './measure-world.ts';
import { loadServedModelFile, makeServe } from './served.ts';
import { REPLAYED, readFacts, recordFacts, type ServedFacts } from './served-facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-facts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'worlds');

const { model: shipped, file } = loadServedModelFile();
/** Another model: it flags more. */
const { said, meant } = file.calibration;
const stricter = makeModel({ ...file, calibration: { said, meant: meant.map((logOdds) => logOdds + 2) } });
const worlds = worldsToJudge(2, 400);
const measure = (model: Model, served: ServedFacts, of = worlds) => {
  const serve = makeServe(model, served);
  const signals: string[] = [];
  const results = of.map((world) =>
    measureWorld(world, serve, openShippedKnowledge(), (name, active) => void signals.push(name, ...active)),
  );
  served.end();
  return { results, signals };
};
const recorded = measure(shipped, recordFacts(path, 'two worlds'));

test('another model has the same figures and signals on recorded facts as in a replay', () => {
  const replayed = measure(stricter, REPLAYED);
  expect(replayed.results).not.toEqual(recorded.results);
  expect(measure(stricter, readFacts(path, 'two worlds'))).toEqual(replayed);
  expect(measure(shipped, readFacts(path, 'two worlds'))).toEqual(recorded);
});

test('a file of other items is refused', () => {
  expect(() => readFacts(path, 'three worlds')).toThrow('of three worlds". Record it again');
  expect(() => measure(shipped, readFacts(path, 'two worlds'), worlds.slice(1))).toThrow('has more items');
  expect(() => measure(shipped, readFacts(path, 'two worlds'), worldsToJudge(3, 400))).toThrow('has fewer items');
  writeFileSync(join(folder, 'empty'), '');
  expect(() => readFacts(join(folder, 'empty'), 'two worlds')).toThrow('does not begin with');
});
