import { type Estimate, estimateShare, type Group, type Model } from '@portcullis/engine';
import { openShippedKnowledge } from './knowledge.ts';
import { measureTakeovers, type TakeoverScore } from './measure-takeovers.ts';
import { showProgress } from './progress.ts';
import { asPercent, type Part, type Table, withInterval } from './report.ts';
import { makeServe } from './served.ts';
import type { ServedFacts } from './served-facts.ts';
import { ACTS, AMOUNTS, NETWORKS, WAITS } from './takeover-thief.ts';
import { requirementsOfTakeovers, tableOfPairs } from './takeovers-requirements.ts';
import { withCities } from './world/addresses.ts';
import { BUSINESSES } from './world/businesses.ts';

export interface TakeoversOptions {
  readonly model: Model;
  readonly served: ServedFacts;
  readonly businesses: number;
  readonly seeds: number;
  readonly thievesPerTakeover: number;
}

export const FIRST_SEED = 81_001;

/** The share flagged, with worlds as groups. */
export const shareFlagged = (scores: readonly TakeoverScore[]): Estimate => {
  const groups = new Map<string, { hits: number; of: number }>();
  for (const { world, isFlagged } of scores) {
    const group = groups.get(world) ?? { hits: 0, of: 0 };
    groups.set(world, group);
    group.of++;
    if (isFlagged) group.hits++;
  }
  return estimateShare([...groups.values()] satisfies Group[]);
};

const tableBy = <T>(
  title: string,
  scores: readonly TakeoverScore[],
  columns: readonly T[],
  read: (score: TakeoverScore) => T,
  name: (column: T) => string = String,
): Table => ({
  title,
  head: ['wait', ...columns.map(name)],
  rows: WAITS.flatMap(([wait]) => {
    const waited = scores.filter((score) => score.wait === wait);
    const cells = columns.map((column) =>
      withInterval(shareFlagged(waited.filter((score) => read(score) === column)), asPercent),
    );
    return waited.length === 0 ? [] : [[wait, ...cells]];
  }),
});

const tablesOf = (scores: readonly TakeoverScore[]): Table[] => {
  const isNew = scores.filter(({ device }) => device === 'new');
  const acted = isNew.filter(({ act }) => act !== 'nothing');
  const own = scores.filter(({ device }) => device === 'own');
  return [
    tableBy('New device: share flagged by what the thief did first', isNew, ACTS, ({ act }) => act),
    tableBy(
      'New device: share flagged by amount',
      acted,
      AMOUNTS,
      ({ amount }) => amount,
      (amount) => `${amount}x`,
    ),
    tableBy('New device: share flagged by network', acted, NETWORKS, ({ network }) => network),
    tableBy(
      'New device, 3x the usual amount: share flagged by network',
      acted.filter(({ amount }) => amount === 3),
      NETWORKS,
      ({ network }) => network,
    ),
    tableBy("Victim's own device: share flagged by what the thief did first", own, ACTS, ({ act }) => act),
    tableOfPairs(scores),
  ];
};

/** The share flagged of every cell of the sweep, for comparisons between versions. */
const cellsOf = (scores: readonly TakeoverScore[]): Record<string, number> => {
  const cells = new Map<string, { flagged: number; of: number }>();
  for (const { device, act, amount, network, wait, isFlagged } of scores) {
    const name = [device, act, `${amount}x`, network, wait].join('|');
    const cell = cells.get(name) ?? { flagged: 0, of: 0 };
    cells.set(name, cell);
    cell.of++;
    cell.flagged += Number(isFlagged);
  }
  return Object.fromEntries([...cells].map(([name, { flagged, of }]) => [name, flagged / of]));
};

/** Takeovers of established customers: what the thief did first, the wait, the amount and the origin. */
export const judgeTakeovers = ({ model, served, businesses, seeds, thievesPerTakeover }: TakeoversOptions): Part => {
  const serve = makeServe(model, served);
  const shipped = openShippedKnowledge();
  const progress = showProgress('takeovers', businesses * seeds);
  const scores = BUSINESSES.slice(0, businesses).flatMap((business, i) =>
    Array.from({ length: seeds }, (_, j) => {
      // Half of the installations have an IP database that tells cities apart.
      const knowledge = (i + j) % 2 === 0 ? withCities(shipped) : shipped;
      const labelling = ((i >> 1) + j) % 2 === 0 ? 'all' : 'fraud';
      const seed = FIRST_SEED + 100 * i + j;
      const measured = measureTakeovers(business, seed, thievesPerTakeover, serve, knowledge, labelling);
      progress.at(i * seeds + j + 1);
      return measured;
    }).flat(),
  );
  progress.end();
  served.end();
  return {
    tables: tablesOf(scores),
    requirements: requirementsOfTakeovers(scores),
    figures: { model: model.version, payments: scores.length, cells: cellsOf(scores) },
  };
};
