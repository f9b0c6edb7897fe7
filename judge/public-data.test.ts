import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openShippedKnowledge } from './knowledge.ts';
import { measureFile } from './public-data.ts';
import { makeThief, stepsOfTakeover, TAKEOVERS, type Takeover } from './takeover-thief.ts';
import { makeBackground, START } from './world/background.ts';
import { businessNamed } from './world/businesses.ts';
import { makePlace } from './world/customers.ts';
import { DAY_MS } from './world/steps.ts';

/** Today's level. The public data of `npm run judge -- public` are not part of the project. */
const LEVEL = { modelAp: 0.9, servedLoss: 0.85 };

const folder = mkdtempSync(join(tmpdir(), 'portcullis-judge-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'games.ndjson');
const DAYS = 45;
const place = makePlace(businessNamed('games'), 9);
const { customers, steps: ordinary } = makeBackground(place, DAYS);
const takeovers = customers.flatMap((victim, i) => {
  const payAt = START + place.draw.between(5, DAYS) * DAY_MS;
  const thief = makeThief(place, TAKEOVERS[i % TAKEOVERS.length] as Takeover, victim, victim.dollars, payAt);
  return stepsOfTakeover(place, thief, i % 2 === 0 ? 'login' : 'nothing', place.draw.between(0, 2) * DAY_MS, '');
});
const rows = [...ordinary, ...takeovers]
  .toSorted((a, b) => a.at - b.at)
  .map(({ at, fields, fraud }) => ({
    occurred_at: new Date(Math.round(at)).toISOString(),
    ...fields,
    label: fraud === undefined ? 'legitimate' : 'fraud',
  }));
writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

test('a model trained on the older part of a file ranks the newer part as well as before, and so does the served score', async () => {
  const { model, served, tested, frauds } = await measureFile(file, openShippedKnowledge(), () => undefined);
  expect(tested).toBeGreaterThan(1000);
  expect(frauds).toBeGreaterThan(20);
  expect(model.ap).toBeGreaterThan(LEVEL.modelAp);
  expect(model.ap - served.ap).toBeLessThan(LEVEL.servedLoss);
});
