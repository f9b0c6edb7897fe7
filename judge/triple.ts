import { estimateShare, type Model } from '@portcullis/engine';
import { openShippedKnowledge } from './knowledge.ts';
import {
  disputerAfter,
  measureTriple,
  NEXT_ESTABLISHED,
  NEXT_NEW,
  OTHERS,
  type TripleCount,
  VICTIM,
  VICTIM_EVENTS,
  type Who,
} from './measure-triple.ts';
import { showProgress } from './progress.ts';
import { asCount, asFinePercent, asPercent, atLeast, atMost, type Part, type Table, withInterval } from './report.ts';
import { makeServe } from './served.ts';
import type { ServedFacts } from './served-facts.ts';
import { withCities } from './world/addresses.ts';
import { BUSINESSES } from './world/businesses.ts';

export interface TripleOptions {
  readonly model: Model;
  readonly served: ServedFacts;
  readonly businesses: number;
  /** Seeds per business and way of labelling. */
  readonly seeds: number;
  /** Thieves, victims and disputers per world. */
  readonly people: number;
}

const FIRST_SEED = 62_001;
/** A repeat disputer has this many known disputes. */
const REPEATED = 3;

/** The ways in which a business reports fraud. */
const WAYS = [
  { name: 'all labels with reasons', labelling: 'all', givesReasons: true },
  { name: 'chargebacks with reasons', labelling: 'fraud', givesReasons: true },
  { name: 'all labels, no reasons', labelling: 'all', givesReasons: false },
  { name: 'chargebacks, no reasons', labelling: 'fraud', givesReasons: false },
] as const;

interface WayCounts {
  readonly way: string;
  readonly counts: readonly TripleCount[];
}

/** The share of hits. Counts of one world belong together, whichever way it reports fraud. */
const shareOf = (counts: readonly TripleCount[], of: readonly Who[], hits: 'flagged' | 'blocked') => {
  const groups = new Map<string, { hits: number; of: number }>();
  for (const count of counts) {
    if (!of.includes(count.who)) continue;
    const { hits: before, of: items } = groups.get(count.world) ?? { hits: 0, of: 0 };
    groups.set(count.world, { hits: before + count[hits], of: items + count.items });
  }
  return estimateShare([...groups.values()]);
};
const itemsOf = (counts: readonly TripleCount[], of: readonly Who[]): number =>
  counts.filter(({ who }) => of.includes(who)).reduce((sum, { items }) => sum + items, 0);

const DISPUTERS = [1, 2, 3, 4, 5].map(disputerAfter);
const REPEATERS = DISPUTERS.slice(REPEATED - 1);
const ROWS: readonly Who[] = [NEXT_ESTABLISHED, NEXT_NEW, VICTIM, VICTIM_EVENTS, OTHERS, ...DISPUTERS];

const tableOf = (title: string, counts: readonly TripleCount[]): Table => ({
  title,
  head: ['who', 'items', 'flagged', 'blocked'],
  rows: ROWS.map((who) => [
    who,
    asCount(itemsOf(counts, [who])),
    withInterval(shareOf(counts, [who], 'flagged'), asFinePercent),
    withInterval(shareOf(counts, [who], 'blocked'), asFinePercent),
  ]),
});
const tableOfWays = (ways: readonly WayCounts[]): Table => ({
  title: 'Share flagged by the way in which the business reports fraud',
  head: ['who', ...ways.map(({ way }) => way)],
  rows: ROWS.map((who) => [who, ...ways.map(({ counts }) => asFinePercent(shareOf(counts, [who], 'flagged').value))]),
});

/** What a label does to the thief's device, to the victim, and to a customer who disputes again and again. */
export const judgeTriple = ({ model, served, businesses, seeds, people }: TripleOptions): Part => {
  const serve = makeServe(model, served);
  const shipped = openShippedKnowledge();
  const progress = showProgress('triple', WAYS.length * businesses * seeds);
  let done = 0;
  const ways = WAYS.map(
    ({ name, labelling, givesReasons }): WayCounts => ({
      way: name,
      counts: BUSINESSES.slice(0, businesses).flatMap((business, i) =>
        Array.from({ length: seeds }, (_, j) => {
          const knowledge = (i + j) % 2 === 0 ? withCities(shipped) : shipped;
          const counts = measureTriple(business, FIRST_SEED + 100 * i + j, people, serve, {
            labelling,
            givesReasons,
            knowledge,
          });
          progress.at(++done);
          return counts;
        }).flat(),
      ),
    }),
  );
  progress.end();
  served.end();
  const all = ways.flatMap(({ counts }) => counts);
  const flagged = (...of: Who[]): number => shareOf(all, of, 'flagged').value;
  return {
    tables: [tableOf('Four ways of reporting fraud together, labels known after 7 days', all), tableOfWays(ways)],
    requirements: [
      atLeast(`${NEXT_ESTABLISHED}: flagged`, flagged(NEXT_ESTABLISHED), 0.9, asPercent),
      atLeast(`${NEXT_NEW}: flagged`, flagged(NEXT_NEW), 0.9, asPercent),
      atMost(`${VICTIM}: flagged`, flagged(VICTIM), 0.01, asFinePercent),
      atMost(`${VICTIM_EVENTS}: flagged`, flagged(VICTIM_EVENTS), 0.01, asFinePercent),
      atMost(
        'victim afterwards: blocked items',
        all.filter(({ who }) => who === VICTIM || who === VICTIM_EVENTS).reduce((sum, { blocked }) => sum + blocked, 0),
        0,
        asCount,
      ),
      atLeast(`customer after ${REPEATED} or more known disputes: flagged`, flagged(...REPEATERS), 0.9, asPercent),
    ],
    figures: { model: model.version, ways },
  };
};
