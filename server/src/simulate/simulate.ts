import type { Simulation, Today } from './actions.ts';
import { ATTACK_MIX } from './attack-mix.ts';
import { attacksIn, makeAttackScheduler } from './attack-schedule.ts';
import { type AttackName, eventTypesNeededFor } from './attacks.ts';
import { JUDGING_WORLDS, TRAINING_WORLDS, type WorldKind } from './businesses.ts';
import { runCrowdEvents, signUp } from './crowds.ts';
import { simulateDay } from './daily-activity.ts';
import { DAY_MS, makeOutput, type SimulatedItem } from './output.ts';
import { makePerson, makeTown, type Person } from './people.ts';
import { makeDraw } from './random.ts';
import { runSpecialDays } from './special-days.ts';
import { drawWorld, type World, type WorldOptions } from './world.ts';

export { ATTACK_NAMES, type AttackName, attacksOf } from './attacks.ts';
export { familyOf, JUDGING_WORLDS, TRAINING_WORLDS, WORLDS, type WorldKind } from './businesses.ts';
export type { SimulatedItem } from './output.ts';

export interface SimulateOptions extends WorldOptions {
  readonly attacks?: 'all' | 'none' | readonly AttackName[];
  /** Share of fraud among all items; by default drawn with the world. */
  readonly fraudShare?: number;
}

/** Factor on the payments of all customers on a day: weekend, payday, sale. */
const busynessOf = (world: World, weekday: number, date: number, isSale: boolean): number =>
  (weekday === 0 || weekday === 6 ? world.weekend : 1) *
  ((date - world.paydayDate + 31) % 31 < 3 ? world.payday : 1) *
  (isSale ? world.saleFactor : 1);

/** Customers on the first day: known to the business, new to this service. */
const makeFirstCustomers = ({ world, town, draw }: Simulation): Person[] => {
  const people: Person[] = [];
  const count = Math.max(1, Math.round(world.users * world.firstDayShare));
  while (people.length < count) {
    const housemate = people.length > 0 && draw.chance(world.familyShare) ? people[people.length - 1] : undefined;
    const person = makePerson(world, town, draw, housemate === undefined ? {} : { housemate });
    if (draw.chance(world.quietShare)) person.quietUntil = draw.whole(1, world.days);
    people.push(person);
  }
  return people;
};

/** Changes to people and days that are decided before they happen. */
const makePlans = () => {
  const plans = new Map<number, (() => void)[]>();
  return {
    add: (day: number, change: () => void): void => {
      const list = plans.get(day);
      if (list === undefined) plans.set(day, [change]);
      else list.push(change);
    },
    runDay: (day: number): void => {
      for (const change of plans.get(day) ?? []) change();
      plans.delete(day);
    },
  };
};

/**
 * Yields the items of one business in time order. The same options give the same items on every machine. Memory holds
 * the people and their future items, never past ones.
 */
export function* simulate(options: SimulateOptions): Generator<SimulatedItem> {
  const { attacks = 'all' } = options;
  const world = drawWorld(options, typeof attacks === 'string' ? [] : eventTypesNeededFor(attacks));
  const town = makeTown(world, makeDraw(world.seeds.people));
  const draw = makeDraw(world.seeds.activity);
  const output = makeOutput(world, draw);
  const today: Today = { busyness: 1, prices: 1, gifts: 1 };
  const plans = makePlans();
  const simulation: Simulation = { world, town, draw, output, today, plan: plans.add };
  const people = makeFirstCustomers(simulation);
  const names = attacks === 'all' ? attacksIn(world) : attacks === 'none' ? [] : attacks;
  const runAttacks = makeAttackScheduler(
    { ...simulation, draw: makeDraw(world.seeds.attacks) },
    names,
    options.fraudShare ?? world.fraudShare,
    attacks === 'all' ? (ATTACK_MIX[world.kind] ?? {}) : {},
  );
  for (let day = 0; day < world.days; day++) {
    const at = new Date(world.start + day * DAY_MS);
    const factor = busynessOf(world, at.getUTCDay(), at.getUTCDate(), draw.chance(world.saleDays));
    plans.runDay(day);
    const newcomers = runSpecialDays(simulation, people, day);
    for (const person of people) simulateDay(simulation, person, day, at.getUTCDate(), factor);
    newcomers.push(...runCrowdEvents(simulation, people, day));
    for (let i = draw.poisson(world.users * world.newUsersADay); i > 0; i--)
      newcomers.push(
        signUp(simulation, day, { housemate: draw.chance(world.familyShare) ? draw.pick(people) : undefined }),
      );
    for (const newcomer of newcomers) {
      // At the maximum number of users, each new customer replaces a random one.
      if (people.length < world.users) people.push(newcomer);
      else people[draw.whole(0, people.length - 1)] = newcomer;
    }
    for (let i = draw.poisson(world.counterparties * world.newCounterpartiesADay); i > 0; i--) town.openCounterparty();
    runAttacks(people, day);
    yield* output.takeDay(day);
  }
}

const YEAR_2024 = Date.UTC(2024, 0, 1);

const FEWEST_ITEMS_SHARE = 0.4;
const MAX_USERS = 20_000;

/** Options of `count` businesses of these kinds, which differ as much as possible, each of about `itemsEach` items. */
const drawOptions = (
  seed: number,
  count: number,
  itemsEach: number,
  kinds: readonly WorldKind[],
  usersRange: readonly [number, number],
  daysRange: readonly [number, number],
): SimulateOptions[] => {
  const draw = makeDraw(seed);
  return Array.from({ length: count }, (_, i) => {
    const options = {
      seed: draw.seedOf(),
      users: Math.round(draw.logBetween(...usersRange)),
      days: draw.whole(...daysRange),
      start: YEAR_2024 + draw.whole(0, 900) * DAY_MS,
      world: kinds[i % kinds.length] as WorldKind,
    };
    // Busy businesses get fewer users or days, and quiet ones more users, so that none outweighs the others.
    const { rate, newUsersADay } = drawWorld(options);
    const items = options.users * options.days * (rate + newUsersADay) * 2.5;
    const shrink = Math.min(1, itemsEach / items);
    const grow = Math.max(1, (itemsEach * FEWEST_ITEMS_SHARE) / items);
    const days = Math.max(10, Math.round(options.days * Math.max(shrink, 0.4)));
    const users = Math.max(50, Math.min(MAX_USERS, Math.round((options.users * grow * options.days * shrink) / days)));
    return { ...options, users, days };
  });
};

/** Worlds to train on. They share no kind of business with judging worlds. */
export const randomWorlds = (seed: number, count: number, itemsEach = 60_000): SimulateOptions[] =>
  drawOptions(seed, count, itemsEach, TRAINING_WORLDS, [100, 8000], [14, 120]);

/** Added to seeds, so that the same seed gives other draws than for training worlds. */
const JUDGING_SEEDS = 0x5bd1_e995;

/** Worlds to judge a model on: other kinds of business, ranges, situations and attacks than any training world has. */
export const judgingWorlds = (seed: number, count: number, itemsEach = 60_000): SimulateOptions[] =>
  drawOptions((seed ^ JUDGING_SEEDS) >>> 0, count, itemsEach, JUDGING_WORLDS, [150, 6000], [45, 110]);
