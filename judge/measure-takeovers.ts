import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { type Labelling, mergeItems, type ReadOptions, readSteps, replay } from './replay.ts';
import type { Serve } from './served.ts';
import {
  ACTS,
  type Act,
  LONGEST_WAIT_MS,
  makeThief,
  stepsOfTakeover,
  TAKEOVERS,
  type Takeover,
  type Thief,
  WAITS,
} from './takeover-thief.ts';
import { makeBackground, START } from './world/background.ts';
import type { Business } from './world/businesses.ts';
import { makePlace } from './world/customers.ts';
import { findEstablished } from './world/established.ts';
import { DAY_MS } from './world/steps.ts';

const DAYS = 75;
const LAST_DAYS = 12;

/** The served score of one payment of a thief. */
export interface TakeoverScore extends Takeover {
  readonly world: string;
  /** The same thief in all acts and waits of one world. */
  readonly thief: number;
  readonly act: Act;
  readonly wait: string;
  readonly score: number;
  readonly isFlagged: boolean;
}

/**
 * Replays one business once for each act and wait, with the same victims, thieves and time of payment each time. So
 * only what the thief did first, and when, differs between the scores of one thief.
 */
export const measureTakeovers = (
  business: Business,
  seed: number,
  thievesPerTakeover: number,
  serve: Serve,
  knowledge: KnowledgeSource,
  labelling: Labelling,
  waits: typeof WAITS = WAITS,
): TakeoverScore[] => {
  const place = makePlace(business, seed);
  const { customers, steps } = makeBackground(place, DAYS);
  const firstPaymentAt = START + (DAYS - LAST_DAYS) * DAY_MS;
  const established = findEstablished(customers, steps, firstPaymentAt - LONGEST_WAIT_MS - DAY_MS);
  const thieves: Thief[] = Array.from({ length: thievesPerTakeover * TAKEOVERS.length }, (_, i) => {
    const { customer, usualDollars } = established[i] ?? {};
    if (customer === undefined || usualDollars === undefined)
      throw new Error(`The business ${business.name} has only ${established.length} established customers.`);
    const payAt = firstPaymentAt + place.draw.between(0, LAST_DAYS) * DAY_MS;
    return makeThief(place, TAKEOVERS[i % TAKEOVERS.length] as Takeover, customer, usualDollars, payAt);
  });
  const options: ReadOptions = { labelling, givesReasons: true, knowledge };
  const background = readSteps(steps, options);
  const world = `${business.name}-${seed}`;
  return ACTS.flatMap((act) =>
    // Without an act there is nothing to wait after.
    (act === 'nothing' ? waits.slice(0, 1) : waits).flatMap(([wait, waitMs]) => {
      const attack = readSteps(
        thieves.flatMap((thief, i) => stepsOfTakeover(place, thief, act, waitMs, String(i))),
        { ...options, labelling: 'none' },
      );
      const scores: TakeoverScore[] = [];
      replay(serve, mergeItems(background, attack), 7 * DAY_MS, (tag, item, facts) => {
        const { score, decision } = serve(item, facts);
        const thief = Number(tag);
        const { takeover } = thieves[thief] as Thief;
        scores.push({ ...takeover, world, thief, act, wait, score, isFlagged: decision !== 'allow' });
      });
      return scores;
    }),
  );
};
