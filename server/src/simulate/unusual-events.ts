import type { EventType } from '@portcullis/contract';
import {
  cardOf,
  counterpartyOf,
  HOUR_MS,
  logIn,
  MINUTE_MS,
  payUsual,
  type Simulation,
  sessionOf,
  timeOf,
} from './actions.ts';
import type { Family } from './businesses.ts';
import { makeAddress, makeEmail } from './names.ts';
import { addressIn, addressOf, HOSTING, homeAccess } from './networks.ts';
import type { Session } from './output.ts';
import { type Card, makeCard, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import { SITUATIONS } from './situations.ts';
import { JUDGING_SITUATIONS } from './situations-judging.ts';
import { TRAINING_SITUATIONS } from './situations-training.ts';
import { failLogins, recordEvents, startTrip, type UnusualEvent } from './unusual-actions.ts';

/**
 * Legitimate behaviour that looks like fraud: new, large, hurried or distant. Without it, a model would learn that
 * everything unusual is fraud.
 */
/** Large payments, often to a new counterparty, with human pauses. */
const buyBig = (simulation: Simulation, person: Person, session: Session, from: number, payments: number): void => {
  const { world, town, draw, output } = simulation;
  let at = from;
  for (let i = 0; i < payments; i++) {
    const counterparty = draw.chance(0.6) ? draw.pick(town.counterparties) : counterpartyOf(simulation, person);
    const dollars = person.dollars * draw.logBetween(3, 30);
    const amount = draw.chance(0.2)
      ? roundOf(dollars, person.currency)
      : priceOf(world, draw, dollars, person.currency);
    const shipping = draw.chance(0.2) ? makeAddress(draw, person.country.code) : person.billing;
    output.pay(at, person, session, { amount, card: cardOf(simulation, person), counterparty, shipping });
    at += draw.logBetween(MINUTE_MS, 5 * HOUR_MS);
  }
};

const forgottenPassword: UnusualEvent = (simulation, person, day) => {
  const { draw } = simulation;
  let at = timeOf(simulation, person, day);
  const isNewDevice = draw.chance(0.3);
  const usual = sessionOf(simulation, person, at);
  const session = isNewDevice ? { ...usual, device: simulation.world.newDevice() } : usual;
  at = failLogins(simulation, person, session, at, draw.whole(1, 7), () => draw.between(3000, 60_000));
  at = recordEvents(
    simulation,
    person,
    session,
    at,
    'password_reset',
    ...(draw.chance(0.5) ? (['password_change'] as const) : []),
  );
  at = logIn(simulation, person, session, at);
  if (isNewDevice) person.devices[person.devices.length - 1] = session.device as string;
  if (draw.chance(0.6)) payUsual(simulation, person, session, at, draw.chance(0.3) ? draw.logBetween(1, 8) : 1);
};

const newPhone: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const at = timeOf(simulation, person, day);
  person.devices[0] = world.newDevice();
  const session = { ...sessionOf(simulation, person, at), device: person.devices[0] };
  const changes: EventType[] = draw.chance(0.5)
    ? ['mfa_change']
    : draw.chance(0.6)
      ? ['phone_change', 'mfa_change']
      : [];
  const next = recordEvents(simulation, person, session, logIn(simulation, person, session, at), ...changes);
  if (draw.chance(0.15)) recordEvents(simulation, person, session, next, 'payout_request');
  else if (draw.chance(0.6)) payUsual(simulation, person, session, next, draw.chance(0.2) ? draw.logBetween(1, 6) : 1);
};

const movedHouse: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const at = timeOf(simulation, person, day);
  person.billing = makeAddress(draw, person.country.code);
  person.home = homeAccess(draw, person.country, world.v6Share, world.homeChurn);
  const session = { device: person.devices[0], ip: addressOf(draw, person.home) };
  const next = recordEvents(simulation, person, session, logIn(simulation, person, session, at), 'address_change');
  buyBig(simulation, person, session, next, draw.whole(0, 5));
};

const tripAbroad: UnusualEvent = (simulation, person, day) => {
  const { draw } = simulation;
  startTrip(simulation, person, day);
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  logIn(simulation, person, session, at);
  for (let i = draw.whole(0, 4); i > 0; i--)
    payUsual(simulation, person, session, timeOf(simulation, person, day), draw.logBetween(0.7, 5));
};

const bigPurchase: UnusualEvent = (simulation, person, day) => {
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const payments = simulation.draw.weighted([1, 2, 3, 6], [6, 2, 1, 0.5]);
  buyBig(simulation, person, session, logIn(simulation, person, session, at), payments);
};

/** Buys several gift cards: the same round amount several times within minutes. */
const giftCards: UnusualEvent = (simulation, person, day) => {
  const { draw, output, town } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const counterparty = draw.pick(town.counterparties);
  const category = { name: 'gift_cards', factor: 1 };
  const amount = roundOf(draw.pick([10, 25, 50, 100, 200]), person.currency);
  for (let i = draw.whole(1, 6); i > 0; i--) {
    const value = draw.chance(0.2) ? roundOf(draw.pick([10, 20, 50]), person.currency) : amount;
    output.pay(at, person, session, { amount: value, card: cardOf(simulation, person), counterparty, category });
    at += draw.between(20_000, 300_000);
  }
};

const newCard: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output } = simulation;
  const at = timeOf(simulation, person, day);
  const card = makeCard(world, draw);
  if (draw.chance(0.6) || person.cards.length > 4) person.cards[0] = card;
  else person.cards.unshift(card);
  const session = sessionOf(simulation, person, at);
  const next = recordEvents(
    simulation,
    person,
    session,
    logIn(simulation, person, session, at),
    'payment_method_added',
  );
  if (world.verifiesCards) {
    const amount = priceOf(world, draw, draw.between(0.1, 1.5), person.currency);
    output.pay(next, person, session, {
      amount,
      card,
      counterparty: person.favourites[0] ?? counterpartyOf(simulation, person),
    });
  }
  if (draw.chance(0.5))
    payUsual(simulation, person, session, next + draw.between(20_000, 600_000), draw.logBetween(0.6, 6));
};

/** Retries a declined order with other cards. */
const declinedRetries: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const counterparty = counterpartyOf(simulation, person);
  const amount = priceOf(world, draw, person.dollars * draw.logBetween(0.7, 8), person.currency);
  for (let i = draw.whole(2, 6); i > 0; i--) {
    const card = draw.chance(0.25) ? makeCard(world, draw) : (draw.pick(person.cards) as Card);
    output.pay(at, person, session, { amount, card, counterparty });
    at += draw.logBetween(5000, 20 * MINUTE_MS);
  }
};

/** Uses an unusual network: VPN, hosting or another home, sometimes on a borrowed device. */
const foreignNetwork: UnusualEvent = (simulation, person, day) => {
  const { draw, world, town } = simulation;
  const at = timeOf(simulation, person, day);
  const ip = draw.weighted(
    [
      addressOf(draw, town.vpn),
      addressIn(draw, draw.pick(draw.pick(HOSTING))),
      addressIn(draw, draw.pick(person.country.home)),
    ],
    [2, 1, 3],
  );
  const session = { ip, device: draw.chance(0.5) ? world.newDevice() : person.devices[0] };
  const next = logIn(simulation, person, session, at);
  if (draw.chance(0.7)) payUsual(simulation, person, session, next, draw.logBetween(0.5, 4));
};

const accountChanges: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const types = (
    ['password_change', 'email_change', 'phone_change', 'mfa_change', 'address_change', 'other'] as const
  ).filter(() => draw.chance(0.4));
  if (types.includes('email_change')) person.email = makeEmail(draw, world.mail);
  const next = recordEvents(simulation, person, session, logIn(simulation, person, session, at), ...types);
  if (draw.chance(0.3)) payUsual(simulation, person, session, next, draw.logBetween(0.5, 5));
  else if (draw.chance(0.2)) recordEvents(simulation, person, session, next, 'payout_request');
};

const longAbsence: UnusualEvent = ({ draw }, person, day) => {
  person.quietUntil = day + Math.round(draw.logBetween(10, 250));
};

/** Many small payments in a row: a game, a parking meter, a vending machine. */
const smallSpree: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const counterparty = counterpartyOf(simulation, person);
  const dollars = person.dollars * draw.between(0.03, 0.3);
  for (let i = draw.whole(3, 15); i > 0; i--) {
    const amount = priceOf(world, draw, dollars * draw.pick([1, 1, 2, 5]), person.currency);
    output.pay(at, person, session, { amount, card: person.cards[0] as Card, counterparty });
    at += draw.logBetween(8000, 15 * MINUTE_MS);
  }
};

const UNUSUAL_EVENTS: readonly (readonly [number, UnusualEvent])[] = [
  [4, forgottenPassword],
  [3, newPhone],
  [1, movedHouse],
  [3, tripAbroad],
  [4, bigPurchase],
  [1, giftCards],
  [2, newCard],
  [1, declinedRetries],
  [2, foreignNetwork],
  [5, accountChanges],
  [1, longAbsence],
  [1, smallSpree],
  ...SITUATIONS,
];
/** Unusual events of a family of worlds, with their weights. */
export const EVENTS_OF: Readonly<Record<Family, readonly (readonly [number, UnusualEvent])[]>> = {
  training: [...UNUSUAL_EVENTS, ...TRAINING_SITUATIONS],
  judging: [...UNUSUAL_EVENTS, ...JUDGING_SITUATIONS],
};
const weightsOf = (family: Family): number[] => EVENTS_OF[family].map(([weight]) => weight);
const WEIGHTS_OF = { training: weightsOf('training'), judging: weightsOf('judging') };

export const runUnusualEvent = (simulation: Simulation, person: Person, day: number): void => {
  const { family } = simulation.world;
  simulation.draw.weighted(EVENTS_OF[family], WEIGHTS_OF[family])[1](simulation, person, day);
};
