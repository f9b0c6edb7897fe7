import { cardOf, counterpartyOf, HOUR_MS, logIn, payUsual, sessionOf, timeOf } from './actions.ts';
import { addressIn, addressOf, COUNTRIES, HOSTING, homeAccess } from './networks.ts';
import { makeCard } from './people.ts';
import { priceOf } from './prices.ts';
import { recordEvents, startTrip, type UnusualEvent } from './unusual-actions.ts';

/** Situations of legitimate customers that occur in judging worlds only. No model was trained on them. */

/** Many guests send presents to the same couple: one address for unrelated customers. */
const weddingList: UnusualEvent = (simulation, person, day) => {
  const { draw, world, town, output } = simulation;
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const next = logIn(simulation, person, session, at);
  const amount = priceOf(world, draw, person.dollars * draw.logBetween(0.7, 5), person.currency);
  const shipping = town.weddingAddress(person.country);
  output.pay(next, person, session, {
    amount,
    card: cardOf(simulation, person),
    counterparty: counterpartyOf(simulation, person),
    shipping,
  });
};

/** Phone and wallet are lost on a journey: reset, new device, new card and large payments, abroad. */
const lostPhoneAbroad: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  startTrip(simulation, person, day);
  const at = timeOf(simulation, person, day);
  const device = world.newDevice();
  person.devices = [device, ...person.devices.slice(1)];
  person.cards = [makeCard(world, draw), ...person.cards.slice(1)];
  const session = { ...sessionOf(simulation, person, at), device };
  let next = recordEvents(simulation, person, session, at, 'password_reset', 'login', 'payment_method_added');
  for (let i = draw.whole(1, 4); i > 0; i--) {
    payUsual(simulation, person, session, next, draw.logBetween(0.7, 6));
    next += draw.logBetween(0.1, 40) * HOUR_MS;
  }
};

/** Lives in one country and works in the next: two countries every day, on the same phone. */
const borderCommuter: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const access = homeAccess(draw, draw.pick(COUNTRIES), world.v6Share, 0.1);
  person.second = { share: draw.between(0.3, 0.6), device: person.devices[0] as string, access };
  const at = timeOf(simulation, person, day);
  payUsual(simulation, person, { device: person.second.device, ip: addressOf(draw, access) }, at);
};

/** A friend in another city uses the account once, with the consent of its owner. */
const lentAccount: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const at = timeOf(simulation, person, day);
  const session = { device: world.newDevice(), ip: addressIn(draw, draw.pick(person.country.home)) };
  payUsual(simulation, person, session, logIn(simulation, person, session, at), draw.logBetween(0.5, 2));
};

/** A new job: a company laptop behind the company's proxy in a data centre, and a company card. */
const newJob: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const at = timeOf(simulation, person, day);
  const device = world.newDevice();
  const session = { device, ip: addressIn(draw, draw.pick(draw.pick(HOSTING))) };
  person.devices = [...person.devices.slice(0, 3), device];
  if (draw.chance(0.5)) person.cards = [...person.cards.slice(0, 4), makeCard(world, draw)];
  const next = recordEvents(simulation, person, session, logIn(simulation, person, session, at), 'password_change');
  if (draw.chance(0.6)) payUsual(simulation, person, session, next, draw.logBetween(0.7, 3));
};

/** Orders for colleagues: several cards of other people on one account within the hour. */
const groupOrder: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const counterparty = counterpartyOf(simulation, person);
  const amount = priceOf(world, draw, person.dollars * draw.logBetween(0.5, 2), person.currency);
  for (let i = draw.whole(2, 6); i > 0; i--) {
    output.pay(at, person, session, { amount, card: makeCard(world, draw), counterparty });
    at += draw.between(60_000, 900_000);
  }
};

export const JUDGING_SITUATIONS: readonly (readonly [number, UnusualEvent])[] = [
  [2, weddingList],
  [1, lostPhoneAbroad],
  [1, borderCommuter],
  [1, lentAccount],
  [1, newJob],
  [0.7, groupOrder],
];
