import type { Simulation } from './actions.ts';
import { ATTACK_NAMES, type AttackName, eventTypesNeededFor, makeAttackScheduler } from './attacks.ts';
import { WORLDS, type WorldKind } from './businesses.ts';
import { runCrowdEvents, signUp } from './crowds.ts';
import { simulateDay } from './daily-activity.ts';
import { DAY_MS, makeOutput, type SimulatedItem } from './output.ts';
import { makePerson, makeTown, type Person } from './people.ts';
import { makeDraw } from './random.ts';
import { drawWorld, type World, type WorldOptions } from './world.ts';

export { ATTACK_NAMES, type AttackName } from './attacks.ts';
export { WORLDS, type WorldKind } from './businesses.ts';
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
  const simulation: Simulation = { world, town, draw, output };
  const people = makeFirstCustomers(simulation);
  const names = attacks === 'all' ? ATTACK_NAMES : attacks === 'none' ? [] : attacks;
  const runAttacks = makeAttackScheduler(
    { ...simulation, draw: makeDraw(world.seeds.attacks) },
    names,
    options.fraudShare ?? world.fraudShare,
  );
  for (let day = 0; day < world.days; day++) {
    const at = new Date(world.start + day * DAY_MS);
    const factor = busynessOf(world, at.getUTCDay(), at.getUTCDate(), draw.chance(world.saleDays));
    for (const person of people) simulateDay(simulation, person, day, at.getUTCDate(), factor);
    const newcomers = runCrowdEvents(simulation, people, day);
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

/** Options of `count` businesses that differ as much as possible, each of about `itemsEach` items. */
export const randomWorlds = (seed: number, count: number, itemsEach = 60_000): SimulateOptions[] => {
  const draw = makeDraw(seed);
  return Array.from({ length: count }, (_, i) => {
    const options = {
      seed: draw.seedOf(),
      users: Math.round(draw.logBetween(100, 8000)),
      days: draw.whole(14, 120),
      start: YEAR_2024 + draw.whole(0, 900) * DAY_MS,
      world: WORLDS[i % WORLDS.length] as WorldKind,
    };
    // Busy businesses get fewer users or days, so that none outweighs the others.
    const { rate } = drawWorld(options);
    const shrink = Math.min(1, itemsEach / (options.users * options.days * rate * 2.5));
    const days = Math.max(10, Math.round(options.days * Math.max(shrink, 0.3)));
    const users = Math.max(50, Math.round((options.users * options.days * shrink) / days));
    return { ...options, users, days };
  });
};
