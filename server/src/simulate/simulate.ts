import type { Scene } from './acts.ts';
import { ATTACK_NAMES, type AttackName, makeUnderworld, neededFor } from './attacks.ts';
import { WORLDS, type WorldKind } from './businesses.ts';
import { gather, join } from './crowds.ts';
import { makeDraw } from './draw.ts';
import { DAY_MS, makeJournal, type SimulatedItem } from './journal.ts';
import { liveDay } from './life.ts';
import { makePerson, makeTown, type Person } from './people.ts';
import { drawWorld, type World, type WorldOptions } from './world.ts';

export { ATTACK_NAMES, type AttackName } from './attacks.ts';
export { WORLDS, type WorldKind } from './businesses.ts';
export type { SimulatedItem } from './journal.ts';

export interface SimulateOptions extends WorldOptions {
  readonly attacks?: 'all' | 'none' | readonly AttackName[];
  /** The part of all items that is fraud; drawn with the world where it is not given. */
  readonly fraudShare?: number;
}

/** What sort of day it is for everybody: weekend, payday, sale. */
const busynessOf = (world: World, weekday: number, date: number, isSale: boolean): number =>
  (weekday === 0 || weekday === 6 ? world.weekend : 1) *
  ((date - world.paydayDate + 31) % 31 < 3 ? world.payday : 1) *
  (isSale ? world.saleFactor : 1);

/** Who is there on the first day: known to the business, never seen by this service. */
const settle = ({ world, town, draw }: Scene): Person[] => {
  const people: Person[] = [];
  const count = Math.max(1, Math.round(world.users * world.firstDayShare));
  while (people.length < count) {
    const like = people.length > 0 && draw.chance(world.familyShare) ? people[people.length - 1] : undefined;
    const person = makePerson(world, town, draw, like === undefined ? {} : { like });
    if (draw.chance(world.quietShare)) person.quietUntil = draw.whole(1, world.days);
    people.push(person);
  }
  return people;
};

/**
 * What happens at one business, in the order of time: the same for the same options, everywhere. Holds its people and what is planned for
 * them, never what has passed.
 */
export function* simulate(options: SimulateOptions): Generator<SimulatedItem> {
  const { attacks = 'all' } = options;
  const world = drawWorld(options, typeof attacks === 'string' ? [] : neededFor(attacks));
  const town = makeTown(world, makeDraw(world.seeds.people));
  const draw = makeDraw(world.seeds.life);
  const journal = makeJournal(world, draw);
  const scene: Scene = { world, town, draw, journal };
  const people = settle(scene);
  const names = attacks === 'all' ? ATTACK_NAMES : attacks === 'none' ? [] : attacks;
  const attack = makeUnderworld(
    { ...scene, draw: makeDraw(world.seeds.crime) },
    names,
    options.fraudShare ?? world.fraudShare,
  );
  for (let day = 0; day < world.days; day++) {
    const at = new Date(world.start + day * DAY_MS);
    const factor = busynessOf(world, at.getUTCDay(), at.getUTCDate(), draw.chance(world.saleDays));
    for (const person of people) liveDay(scene, person, day, at.getUTCDate(), factor);
    const newcomers = gather(scene, people, day);
    for (let i = draw.poisson(world.users * world.newUsersADay); i > 0; i--)
      newcomers.push(join(scene, day, { like: draw.chance(world.familyShare) ? draw.pick(people) : undefined }));
    for (const newcomer of newcomers) {
      // When the town is full, somebody leaves for each who comes.
      if (people.length < world.users) people.push(newcomer);
      else people[draw.whole(0, people.length - 1)] = newcomer;
    }
    for (let i = draw.poisson(world.counterparties * world.newCounterpartiesADay); i > 0; i--) town.openCounterparty();
    attack(people, day);
    yield* journal.take(day);
  }
}

const YEAR_2024 = Date.UTC(2024, 0, 1);

/** Several businesses that have as little in common as can be, each of about so many items. */
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
    // Busy businesses are drawn smaller or shorter, so that none outweighs the others.
    const { rate } = drawWorld(options);
    const shrink = Math.min(1, itemsEach / (options.users * options.days * rate * 2.5));
    const days = Math.max(10, Math.round(options.days * Math.max(shrink, 0.3)));
    const users = Math.max(50, Math.round((options.users * options.days * shrink) / days));
    return { ...options, users, days };
  });
};
