import type { Draw } from './draw.ts';
import { DAY_MS, type Journal, type Session } from './journal.ts';
import { addressOf } from './networks.ts';
import { type Card, type Counterparty, makeCard, type Person, type Town } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import type { World } from './world.ts';

/** What everything that happens has at hand. */
export interface Scene {
  readonly world: World;
  readonly town: Town;
  readonly draw: Draw;
  readonly journal: Journal;
}

export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** A time of that day when this person is awake, mostly. */
export const timeOf = ({ world, draw }: Scene, person: Person, day: number): number => {
  const local = draw.chance(world.night) ? draw.between(0, 24) : person.peakHour + person.hours * draw.normal();
  const hour = local - person.country.offsetHours;
  return world.start + day * DAY_MS + (((hour % 24) + 24) % 24) * HOUR_MS;
};

const isWorkTime = (person: Person, at: number): boolean => {
  const hour = (at / HOUR_MS + person.country.offsetHours) % 24;
  const weekday = (Math.floor(at / DAY_MS) + 4) % 7;
  return hour > 8 && hour < 17.5 && weekday !== 0 && weekday !== 6;
};

/** Where and with what this person would act at that time. */
export const sessionOf = ({ world, town, draw }: Scene, person: Person, at: number): Session => {
  const main = draw.chance(0.8) || person.devices.length === 1;
  const device = person.devices[main ? 0 : draw.whole(1, person.devices.length - 1)];
  if (person.vpnShare > 0 && draw.chance(person.vpnShare)) return { device, ip: addressOf(draw, town.vpn) };
  if (person.trip !== undefined) return { device, ip: addressOf(draw, person.trip.access) };
  if (person.work !== undefined && isWorkTime(person, at) && draw.chance(0.7))
    return { device, ip: addressOf(draw, person.work) };
  if (person.mobile !== undefined && main && draw.chance(world.mobileShare))
    return { device, ip: addressOf(draw, person.mobile) };
  return { device, ip: addressOf(draw, person.home) };
};

export const counterpartyOf = ({ world, town, draw }: Scene, person: Person): Counterparty => {
  if (world.strangers > 0 && draw.chance(world.strangers)) return town.newCounterparty();
  if (draw.chance(world.loyalty)) return draw.pickEarly(person.favourites);
  const found = draw.pickEarly(town.counterparties);
  // Tastes change: what was found replaces what was liked least.
  if (draw.chance(0.1)) person.favourites[person.favourites.length - 1] = found;
  return found;
};

export const dollarsOf = ({ draw }: Scene, person: Person, counterparty: Counterparty): number =>
  draw.logNormal(person.dollars * counterparty.category.factor, person.spread);

export const cardOf = ({ world, draw }: Scene, person: Person): Card => {
  // Agents and resellers pay for others, with the others' cards.
  if (person.paysForOthers && draw.chance(0.6)) return makeCard(world, draw);
  return person.cards.length === 1 || draw.chance(0.85) ? (person.cards[0] as Card) : draw.pick(person.cards);
};

/** A payment of the usual sort. The counterparty may be in bad hands without the person knowing. */
export const payUsual = (scene: Scene, person: Person, session: Session, at: number, factor = 1): void => {
  const { world, draw, journal } = scene;
  const counterparty = counterpartyOf(scene, person);
  const dollars = dollarsOf(scene, person, counterparty) * factor;
  // Round sums: gift cards, top-ups, cash and transfers among people.
  const rounds = world.kind === 'bank' ? 0.3 : counterparty.category.name === 'gift_cards' ? 0.9 : 0.04;
  const amount = draw.chance(rounds)
    ? roundOf(dollars, person.currency)
    : priceOf(world, draw, dollars, person.currency);
  const payment = { amount, card: cardOf(scene, person), counterparty };
  const robbed = at < counterparty.badUntil && draw.chance(counterparty.badShare);
  journal.pay(at, person, session, payment, robbed ? 'compromised_counterparty' : undefined);
  // Impatient people click twice, and try again when they were declined.
  let again = at;
  while (draw.chance(world.retries)) {
    again += draw.chance(0.5) ? draw.between(700, 9000) : draw.between(10_000, 400_000);
    const card = draw.chance(0.2) ? draw.pick(person.cards) : payment.card;
    journal.pay(again, person, session, { ...payment, card });
  }
};

/** A login that works, after the mistakes one makes. */
export const logIn = ({ world, draw, journal }: Scene, person: Person, session: Session, at: number): number => {
  let time = at;
  while (draw.chance(world.typos * 2)) {
    journal.event(time, person, session, 'login', 'failed');
    time += draw.between(3000, 40_000);
  }
  journal.event(time, person, session, 'login');
  return time + draw.between(4000, 240_000);
};
