import { estimateShare, type Group, type Model } from '@portcullis/engine';
import { openShippedKnowledge } from './knowledge.ts';
import { showProgress } from './progress.ts';
import { mergeItems, readSteps, replay } from './replay.ts';
import { asPercent, atLeast, atMost, type Part, type Requirement, withInterval } from './report.ts';
import { makeServe, type Serve } from './served.ts';
import type { ServedFacts } from './served-facts.ts';
import { makeThief, NETWORKS, stepsOfTakeover, type Thief } from './takeover-thief.ts';
import { addressIn, networkIn } from './world/addresses.ts';
import { makeBackground, START } from './world/background.ts';
import { BUSINESSES, type Business } from './world/businesses.ts';
import { type Customer, makePlace, type Place } from './world/customers.ts';
import { findEstablished } from './world/established.ts';
import { DAY_MS, event, MINUTE_MS, pay, type Session, type Step } from './world/steps.ts';

/** Accounts without activity for a while: thieves who take them over, and owners who come back. */
export interface QuietOptions {
  readonly model: Model;
  readonly served: ServedFacts;
  readonly businesses: number;
  /** People of each kind in each business. */
  readonly people: number;
}

export const QUIET_DAYS = [1, 10, 25, 35, 60, 90] as const;
const LONGEST = Math.max(...QUIET_DAYS);
const DAYS = LONGEST + 60;
const LAST_DAYS = 10;
const FIRST_SEED = 83_001;
/** A thief pays so many times the usual amount of the owner. */
const AMOUNT = 3;

/** What is done in the account after the quiet time. The thief logs in from a new device and pays at once. */
const THIEVES = NETWORKS.map((network) => `thief, new device, ${network}` as const);
const OWNERS = ['owner, own device, at home', 'owner, new device, at home', 'owner, new device, moved'] as const;
const KINDS = [...THIEVES, ...OWNERS] as const;
export type QuietKind = (typeof KINDS)[number];

export interface QuietScore {
  readonly world: string;
  readonly kind: QuietKind;
  readonly days: number;
  readonly isFlagged: boolean;
}

interface Person {
  readonly kind: QuietKind;
  readonly customer: Customer;
  readonly at: number;
  readonly steps: readonly Step[];
}

/** The owner logs in and makes an ordinary payment. */
const stepsOfOwner = (place: Place, customer: Customer, usual: number, at: number, kind: string, tag: string) => {
  const { draw } = place;
  const moved = networkIn(draw, draw.pick(customer.country.providers), (customer.city + 1) % 3);
  const session: Session = {
    device: kind.includes('own device') ? customer.devices[0] : place.newDevice(),
    ip: kind.includes('moved') ? addressIn(draw, moved) : customer.homeAddress,
  };
  const payment = { dollars: draw.logNormal(usual, 0.3) };
  return [
    event(place, at - MINUTE_MS, customer, session, 'login'),
    pay(place, at, customer, session, payment, { tag }),
  ];
};

const stepsOfThief = (place: Place, customer: Customer, usual: number, at: number, kind: string, tag: string) => {
  const network = NETWORKS.find((name) => kind.endsWith(name)) as (typeof NETWORKS)[number];
  const thief: Thief = makeThief(place, { amount: AMOUNT, network, device: 'new' }, customer, usual, at);
  return stepsOfTakeover(place, thief, 'login', 0, tag);
};

/** Replays one business once for each quiet time, with the same people, payments and times of payment. */
export const measureQuiet = (
  business: Business,
  seed: number,
  people: number,
  serve: Serve,
  quietDays: readonly number[] = QUIET_DAYS,
): QuietScore[] => {
  const place = makePlace(business, seed);
  const { customers, steps } = makeBackground(place, DAYS);
  const firstAt = START + (DAYS - LAST_DAYS) * DAY_MS;
  const established = findEstablished(customers, steps, firstAt - LONGEST * DAY_MS);
  const chosen = Array.from({ length: people * KINDS.length }, (_, i): Person => {
    const { customer, usualDollars } = established[i] ?? {};
    if (customer === undefined || usualDollars === undefined)
      throw new Error(`The business ${business.name} has only ${established.length} established customers.`);
    const kind = KINDS[i % KINDS.length] as QuietKind;
    const at = firstAt + place.draw.between(0, LAST_DAYS) * DAY_MS;
    const make = kind.startsWith('thief') ? stepsOfThief : stepsOfOwner;
    return { kind, customer, at, steps: make(place, customer, usualDollars, at, kind, String(i)) };
  });
  const quietFrom = new Map<unknown, number>(chosen.map(({ customer, at }) => [customer.id, at]));
  const options = { labelling: 'fraud', givesReasons: true, knowledge: openShippedKnowledge() } as const;
  const attack = readSteps(
    chosen.flatMap((person) => person.steps),
    { ...options, labelling: 'none' },
  );
  return quietDays.flatMap((days) => {
    const before = steps.filter(({ at, fields }) => {
      const payAt = quietFrom.get(fields.user_id);
      return payAt === undefined || at < payAt - days * DAY_MS;
    });
    const scores: QuietScore[] = [];
    replay(serve, mergeItems(readSteps(before, options), attack), 7 * DAY_MS, (tag, item, facts) => {
      const { kind } = chosen[Number(tag)] as Person;
      scores.push({ world: business.name, kind, days, isFlagged: serve(item, facts).decision !== 'allow' });
    });
    return scores;
  });
};

const shareFlagged = (scores: readonly QuietScore[]) => {
  const groups = Map.groupBy(scores, ({ world }) => world);
  return estimateShare(
    [...groups.values()].map((of): Group => ({ hits: of.filter(({ isFlagged }) => isFlagged).length, of: of.length })),
  );
};

const shareOf = (scores: readonly QuietScore[], days: number, isThief: boolean): number =>
  shareFlagged(scores.filter(({ kind, days: quiet }) => quiet === days && kind.startsWith('thief') === isThief)).value;

/** A quiet time must not make a thief look better. */
const requirementsOf = (scores: readonly QuietScore[]): Requirement[] => {
  const [first, ...others] = QUIET_DAYS.map((days) => shareOf(scores, days, true)) as [number, ...number[]];
  return [
    atLeast('thieves: lowest share flagged after a quiet time', Math.min(...others), first, asPercent),
    ...OWNERS.slice(0, 1).map((kind) =>
      atMost(`${kind}: share flagged`, shareFlagged(scores.filter((one) => one.kind === kind)).value, 0.01, asPercent),
    ),
  ];
};

export const judgeQuiet = ({ model, served, businesses, people }: QuietOptions): Part => {
  const serve = makeServe(model, served);
  const progress = showProgress('quiet accounts', businesses);
  const scores = BUSINESSES.slice(0, businesses).flatMap((business, i) => {
    const measured = measureQuiet(business, FIRST_SEED + i, people, serve);
    progress.at(i + 1);
    return measured;
  });
  progress.end();
  served.end();
  const cell = (kind: QuietKind, days: number): string =>
    withInterval(shareFlagged(scores.filter((one) => one.kind === kind && one.days === days)), asPercent);
  return {
    tables: [
      {
        title: `A payment after days without activity: share flagged. A thief pays ${AMOUNT} times the usual`,
        head: ['days', ...KINDS],
        rows: QUIET_DAYS.map((days) => [String(days), ...KINDS.map((kind) => cell(kind, days))]),
      },
    ],
    requirements: requirementsOf(scores),
    figures: { model: model.version, payments: scores.length },
  };
};
