import { aliasOf, makeAddress, makeEmail, type PostalAddress } from './names.ts';
import { addressIn, addressOf } from './networks.ts';
import { DAY_MS, type Output, type Session } from './output.ts';
import { type Card, type Counterparty, makeCard, type Person, type Town } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import type { Draw } from './random.ts';
import type { World } from './world.ts';

/** The state that every simulated action reads and writes. */
export interface Simulation {
  readonly world: World;
  readonly town: Town;
  readonly draw: Draw;
  readonly output: Output;
  /** Properties of the current day that are the same for all customers. */
  readonly today: Today;
  /** Runs `change` at the start of a later day. */
  readonly plan: (day: number, change: () => void) => void;
}
export interface Today {
  /** Factor on the number of payments. */
  busyness: number;
  /** Factor on all prices, from the last change of prices on. */
  prices: number;
  /** Factor on the share of presents sent to other addresses. */
  gifts: number;
}

const COMPROMISED = { attack: 'compromised_counterparty', reason: 'stolen_card' } as const;

export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** A random time of that day, mostly in the waking hours of this person. */
export const timeOf = ({ world, draw }: Simulation, person: Person, day: number): number => {
  const local = draw.chance(world.night) ? draw.between(0, 24) : person.peakHour + person.hours * draw.normal();
  const hour = local - person.country.offsetHours;
  return world.start + day * DAY_MS + (((hour % 24) + 24) % 24) * HOUR_MS;
};

const isWorkTime = (person: Person, at: number): boolean => {
  const hour = (at / HOUR_MS + person.country.offsetHours) % 24;
  const weekday = (Math.floor(at / DAY_MS) + 4) % 7;
  return hour > 8 && hour < 17.5 && weekday !== 0 && weekday !== 6;
};

/** The device and address this person would use at that time. */
export const sessionOf = ({ world, town, draw }: Simulation, person: Person, at: number): Session => {
  const { second } = person;
  if (second !== undefined && draw.chance(second.share))
    return { device: second.device, ip: addressOf(draw, second.access) };
  const isMain = draw.chance(0.8) || person.devices.length === 1;
  const device =
    person.forgets > 0 && draw.chance(person.forgets)
      ? world.newDevice()
      : person.devices[isMain ? 0 : draw.whole(1, person.devices.length - 1)];
  if (person.vpnShare > 0 && draw.chance(person.vpnShare)) return { device, ip: addressOf(draw, town.vpn) };
  if (person.trip !== undefined) return { device, ip: addressOf(draw, person.trip.access) };
  if (draw.chance(world.awayShare)) return { device, ip: addressIn(draw, draw.pick(person.country.home)) };
  if (person.work !== undefined && isWorkTime(person, at) && draw.chance(0.7))
    return { device, ip: addressOf(draw, person.work) };
  if (person.mobile !== undefined && isMain && draw.chance(world.mobileShare))
    return { device, ip: addressOf(draw, person.mobile) };
  return { device, ip: addressOf(draw, person.home) };
};

export const counterpartyOf = ({ world, town, draw }: Simulation, person: Person): Counterparty => {
  if (world.newPayeeShare > 0 && draw.chance(world.newPayeeShare)) return town.newCounterparty();
  if (draw.chance(world.loyalty)) return draw.pickEarly(person.favourites);
  const found = draw.pickEarly(town.counterparties);
  // Preferences change: the new counterparty replaces the least favourite.
  if (draw.chance(0.1)) person.favourites[person.favourites.length - 1] = found;
  return found;
};

export const dollarsOf = ({ draw, today }: Simulation, person: Person, counterparty: Counterparty): number =>
  draw.logNormal(person.dollars * today.prices * counterparty.category.factor, person.spread);

export const cardOf = ({ world, draw }: Simulation, person: Person): Card => {
  // Agents and resellers pay for their customers, with the customers' cards.
  if (person.paysForOthers && draw.chance(0.6)) return makeCard(world, draw);
  return person.cards.length === 1 || draw.chance(0.85) ? (person.cards[0] as Card) : draw.pick(person.cards);
};

/** The address an order goes to: mostly home, sometimes work, relatives, or somebody new. */
export const shippingOf = ({ draw, today }: Simulation, person: Person): PostalAddress => {
  if (person.paysForOthers && draw.chance(0.6)) return makeAddress(draw, person.country.code);
  if (!draw.chance(person.giftShare * today.gifts)) return person.billing;
  return person.recipients.length > 0 && draw.chance(0.75)
    ? draw.pick(person.recipients)
    : makeAddress(draw, person.country.code);
};

/** Agents give the e-mail address of the traveller or recipient, or a tagged address of their own. */
const emailOf = ({ world, draw }: Simulation, person: Person): string =>
  draw.chance(0.5) ? aliasOf(draw, person.email) : makeEmail(draw, world.mail);

/** An ordinary payment. It becomes fraud if the counterparty is compromised, which the person cannot know. */
export const payUsual = (simulation: Simulation, person: Person, from: Session, at: number, factor = 1): void => {
  const { world, draw, output } = simulation;
  const session = person.paysForOthers && draw.chance(0.3) ? { ...from, email: emailOf(simulation, person) } : from;
  const counterparty = counterpartyOf(simulation, person);
  const dollars = dollarsOf(simulation, person, counterparty) * factor;
  // Gift cards, top-ups, cash and transfers between people are round amounts.
  const roundShare = counterparty.category.name === 'gift_cards' ? 0.9 : world.roundShare;
  const amount = draw.chance(roundShare)
    ? roundOf(dollars, person.currency)
    : priceOf(world, draw, dollars, person.currency);
  const payment = {
    amount,
    card: cardOf(simulation, person),
    counterparty,
    shipping: shippingOf(simulation, person),
  };
  const isRobbed = at < counterparty.compromisedUntil && draw.chance(counterparty.compromisedShare);
  output.pay(at, person, session, payment, isRobbed ? COMPROMISED : undefined);
  // Impatient people click twice, and retry after a decline.
  let retryAt = at;
  while (draw.chance(world.retries)) {
    retryAt += draw.chance(0.5) ? draw.between(700, 9000) : draw.between(10_000, 400_000);
    const card = draw.chance(0.2) ? draw.pick(person.cards) : payment.card;
    output.pay(retryAt, person, session, { ...payment, card });
  }
};

/** A successful login after some mistyped passwords. Returns the time of the next action. */
export const logIn = ({ world, draw, output }: Simulation, person: Person, session: Session, at: number): number => {
  let time = at;
  while (draw.chance(world.typos * 2)) {
    output.event(time, person, session, 'login', 'failed');
    time += draw.between(3000, 40_000);
  }
  output.event(time, person, session, 'login');
  return time + draw.between(4000, 240_000);
};
