import type { Facts } from '@portcullis/engine';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { makeItemReader } from '../server/src/offline/item-reader.ts';
import { JUDGING_WORLDS, simulate, type WorldKind } from '../server/src/simulate/simulate.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { loadServedModel, makeServe } from './served.ts';

/**
 * The first day and the first week of a business with Portcullis: how many ordinary customers are held, and how much fraud is
 * caught, with a year of history imported and with none. An import gives the facts of a replay to the bit
 * (`server/test/api/imports.test.ts`), so a replay measures it.
 */

const DAY_MS = 86_400_000;
const LABEL_DELAY_MS = 7 * DAY_MS;
const START = Date.UTC(2025, 0, 1);

interface Tally {
  legitimate: number;
  held: number;
  fraud: number;
  caught: number;
}
export type FirstDays = Readonly<Record<'imported' | 'new', { readonly day: Tally; readonly week: Tally }>>;

const newTally = (): Tally => ({ legitimate: 0, held: 0, fraud: 0, caught: 0 });

/** Measures the days that follow on `days` of history. */
export const measureFirstDays = (world: WorldKind, seed: number, users: number, days: number): FirstDays => {
  const serve = makeServe(loadServedModel());
  const read = makeItemReader({ warn: () => undefined, knowledge: openShippedKnowledge() });
  const begin = START + days * DAY_MS;
  const walks = { imported: makeWalk(LABEL_DELAY_MS), new: makeWalk(LABEL_DELAY_MS) };
  const tallies: FirstDays = {
    imported: { day: newTally(), week: newTally() },
    new: { day: newTally(), week: newTally() },
  };
  let line = 0;
  for (const fields of simulate({ seed, users, days: days + 7, start: START, world })) {
    const item = read({ line: ++line, fields: fields as unknown as Record<string, unknown> });
    const { at } = item.subject;
    for (const name of ['imported', 'new'] as const) {
      if (name === 'new' && at < begin) continue;
      const facts: Facts = walks[name].factsOf(item);
      if (at >= begin && item.label !== undefined) {
        const isHeld = serve(item, facts).decision === 'allow' ? 0 : 1;
        for (const [period, ms] of [
          ['day', DAY_MS],
          ['week', 7 * DAY_MS],
        ] as const) {
          if (at >= begin + ms) continue;
          const tally = tallies[name][period];
          tally[item.label === 1 ? 'fraud' : 'legitimate']++;
          tally[item.label === 1 ? 'caught' : 'held'] += isHeld;
        }
      }
      walks[name].next(item);
    }
  }
  return tallies;
};

const percent = (part: number, of: number): string => (of === 0 ? '–' : `${((100 * part) / of).toFixed(2)} %`);
const sumOf = (tallies: readonly Tally[]): Tally => {
  const sum = newTally();
  for (const tally of tallies) for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name];
  return sum;
};

if (import.meta.main) {
  const [users = '300', days = '365'] = process.argv.slice(2);
  const all = JUDGING_WORLDS.map((world, i) => {
    process.stderr.write(`${world}\n`);
    return measureFirstDays(world, 1 + i, Number(users), Number(days));
  });
  for (const period of ['day', 'week'] as const)
    for (const name of ['new', 'imported'] as const) {
      const { legitimate, held, fraud, caught } = sumOf(all.map((world) => world[name][period]));
      const history = name === 'new' ? 'without history' : `${days} days imported`;
      process.stdout.write(
        `first ${period}, ${history}: ${percent(held, legitimate)} of ${legitimate} legitimate items held, ` +
          `${percent(caught, fraud)} of ${fraud} fraud caught\n`,
      );
    }
}
