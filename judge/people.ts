import { type Estimate, estimateShare, type Model } from '@portcullis/engine';
import { openShippedKnowledge } from './knowledge.ts';
import { measurePeople, type PeopleCount, SITUATIONS } from './measure-people.ts';
import { showProgress } from './progress.ts';
import { asCount, asFinePercent, atLeast, atMost, type Part, type Requirement, withInterval } from './report.ts';
import { makeServe } from './served.ts';
import type { ServedFacts } from './served-facts.ts';
import { withCities } from './world/addresses.ts';
import { BUSINESSES } from './world/businesses.ts';

export interface PeopleOptions {
  readonly model: Model;
  readonly served: ServedFacts;
  readonly seeds: number;
}

const FIRST_SEED = 4701;
const MIN_POPULATIONS = 15;
const MIN_ITEMS = 1000;
const MAX_FLAGGED = 0.01;
const MAX_BLOCKED = 0.001;
/** New installations have no labels yet. */
const LABELLINGS = ['all', 'fraud', 'none'] as const;

interface Population {
  readonly name: string;
  readonly items: number;
  readonly flagged: Estimate;
  readonly blocked: Estimate;
  /** Only payments: logins and changes are flagged less often. */
  readonly flaggedPayments: Estimate;
  readonly blockedPayments: Estimate;
  readonly reasons: string;
}

const SHOWN_SIGNALS = 3;
const reasonsOf = (counts: readonly PeopleCount[]): string => {
  const total = new Map<string, number>();
  for (const { signals } of counts)
    for (const [name, items] of Object.entries(signals)) total.set(name, (total.get(name) ?? 0) + items);
  return [...total]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, SHOWN_SIGNALS)
    .map(([name, items]) => `${name} ${items}`)
    .join(', ');
};

const populationOf = (name: string, counts: readonly PeopleCount[]): Population => {
  const share = (hits: keyof PeopleCount, of: 'items' | 'payments'): Estimate =>
    estimateShare(counts.map((count) => ({ hits: count[hits] as number, of: count[of] })));
  return {
    name,
    items: counts.reduce((sum, { items }) => sum + items, 0),
    flagged: share('flagged', 'items'),
    blocked: share('blocked', 'items'),
    flaggedPayments: share('flaggedPayments', 'payments'),
    blockedPayments: share('blockedPayments', 'payments'),
    reasons: reasonsOf(counts),
  };
};

const worse = (a: Estimate, b: Estimate): number => Math.max(a.value, b.value);

const requirementsOf = (populations: readonly Population[], isComplete: boolean): Requirement[] => [
  atLeast('populations', populations.length, MIN_POPULATIONS, asCount),
  ...(isComplete
    ? [
        atLeast(
          'items of the smallest population',
          Math.min(...populations.map(({ items }) => items)),
          MIN_ITEMS,
          asCount,
        ),
      ]
    : []),
  ...populations.flatMap(({ name, flagged, blocked, flaggedPayments, blockedPayments }) => [
    atMost(`${name}: flagged`, worse(flagged, flaggedPayments), MAX_FLAGGED, asFinePercent),
    atMost(`${name}: blocked`, worse(blocked, blockedPayments), MAX_BLOCKED, asFinePercent),
  ]),
];

/** Ordinary people in unusual but honest situations, none of them taken from the simulator. */
export const judgePeople = ({ model, served, seeds }: PeopleOptions): Part => {
  const serve = makeServe(model, served);
  const shipped = openShippedKnowledge();
  const progress = showProgress('people', BUSINESSES.length * seeds);
  const counts = BUSINESSES.flatMap((business, i) =>
    Array.from({ length: seeds }, (_, j) => {
      const measured = measurePeople(business, FIRST_SEED + 100 * i + j, SITUATIONS, serve, {
        labelling: LABELLINGS[(i + j) % LABELLINGS.length] as (typeof LABELLINGS)[number],
        givesReasons: j % 2 === 0,
        knowledge: (i + j) % 2 === 0 ? withCities(shipped) : shipped,
      });
      progress.at(i * seeds + j + 1);
      return measured;
    }).flat(),
  );
  progress.end();
  served.end();
  const populations = SITUATIONS.map(({ name }) =>
    populationOf(
      name,
      counts.filter(({ situation }) => situation === name),
    ),
  );
  const table = {
    title: 'Ordinary people in unusual but honest situations',
    head: [
      'population',
      'items',
      'flagged',
      'blocked',
      'payments flagged',
      'payments blocked',
      'most frequent signals',
    ],
    rows: populations.map(({ name, items, flagged, blocked, flaggedPayments, blockedPayments, reasons }) => [
      name,
      asCount(items),
      ...[flagged, blocked, flaggedPayments, blockedPayments].map((share) => withInterval(share, asFinePercent)),
      reasons,
    ]),
  };
  return {
    tables: [table],
    requirements: requirementsOf(populations, seeds > 1),
    figures: { model: model.version, populations },
  };
};
