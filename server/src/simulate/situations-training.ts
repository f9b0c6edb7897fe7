import { cardOf, counterpartyOf, HOUR_MS, logIn, MINUTE_MS, payUsual, sessionOf, timeOf } from './actions.ts';
import { makeAddress } from './names.ts';
import { addressOf, COUNTRIES, homeAccess, pooledAccess } from './networks.ts';
import { type Card, makeCard } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import { failLogins, recordEvents, type UnusualEvent } from './unusual-actions.ts';

/** Situations of legitimate customers that occur in training worlds only. Judging worlds have others. */

/** The purchase of years: a vehicle, a renovation, tuition, a boat. Often a deposit first and the rest later. */
const purchaseOfYears: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output, town } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  if (draw.chance(0.7)) at = logIn(simulation, person, session, at);
  const counterparty = draw.chance(0.8) ? draw.pick(town.counterparties) : counterpartyOf(simulation, person);
  const dollars = person.dollars * draw.logBetween(4, 80);
  const depositShare = draw.chance(0.3) ? draw.between(0.05, 0.4) : 0;
  for (const share of depositShare > 0 ? [depositShare, 1 - depositShare] : [1]) {
    const amount = draw.chance(0.4)
      ? roundOf(dollars * share, person.currency)
      : priceOf(world, draw, dollars * share, person.currency);
    const card = person.cards.length > 1 ? cardOf(simulation, person) : (person.cards[0] as Card);
    output.pay(at, person, sessionOf(simulation, person, at), { amount, card, counterparty, shipping: person.billing });
    at += draw.logBetween(0.2, 40 * 24) * HOUR_MS;
  }
};

/** From now on, a VPN and a browser that deletes what it stored. */
const becomesPrivate: UnusualEvent = (simulation, person, day) => {
  const { draw } = simulation;
  person.vpnShare = draw.chance(0.85) ? draw.between(0.2, 1) : 0;
  person.forgets = draw.chance(0.85) ? draw.between(0.2, 1) : 0;
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  payUsual(simulation, person, session, logIn(simulation, person, session, at));
};

/** The company sends its people through a gateway in a data centre during working hours. Some get the team's card. */
const companyGateway: UnusualEvent = (simulation, person, day) => {
  const { draw, town } = simulation;
  const { access, card } = town.gateway();
  person.work = access;
  if (draw.chance(0.35)) person.cards = [...person.cards.slice(0, 3), card];
  for (let i = draw.whole(1, 5); i > 0; i--) {
    const at = timeOf(simulation, person, day + draw.whole(0, 9));
    const session = { device: person.devices[0], ip: addressOf(draw, access) };
    const next = draw.chance(0.6) ? logIn(simulation, person, session, at) : at;
    payUsual(simulation, person, session, next, draw.logBetween(0.4, 4));
  }
};

/** The old phone is gone, and with it the stored password: everything is set up on the new one. */
const newPhoneWithReset: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const device = world.newDevice();
  person.devices = [device, ...person.devices.slice(1)];
  let at = timeOf(simulation, person, day);
  const session = { ...sessionOf(simulation, person, at), device };
  at = failLogins(simulation, person, session, at, draw.whole(0, 5), () => draw.logBetween(3000, 4 * MINUTE_MS));
  at = recordEvents(
    simulation,
    person,
    session,
    at,
    'password_reset',
    ...(draw.chance(0.3) ? (['mfa_change'] as const) : []),
  );
  at = logIn(simulation, person, session, at);
  for (let i = draw.whole(0, 3); i > 0; i--) {
    payUsual(simulation, person, session, at, draw.chance(0.15) ? draw.logBetween(1, 4) : 1);
    at += draw.logBetween(0.02, 60) * HOUR_MS;
  }
};

/** Without a computer at home: some visits at one that everybody may use. */
const publicComputer: UnusualEvent = (simulation, person, day) => {
  const { draw, town } = simulation;
  const session = town.publicComputer();
  for (let i = draw.whole(1, 4); i > 0; i--) {
    const at = timeOf(simulation, person, day + draw.whole(0, 25));
    const next = draw.chance(0.7) ? logIn(simulation, person, session, at) : at;
    payUsual(simulation, person, session, next, draw.logBetween(0.4, 3));
  }
};

/** Weeks on the road: another network every few days, several countries, and more money than usual. */
const roundTrip: UnusualEvent = (simulation, person, day) => {
  const { draw, world, town, plan } = simulation;
  const isAbroad = draw.chance(0.8);
  let from = day + 1;
  for (let stops = draw.whole(1, 5); stops > 0; stops--) {
    const country = isAbroad ? draw.pick(COUNTRIES) : person.country;
    const access = draw.chance(0.4)
      ? pooledAccess(country.code, town.carrierOf(country))
      : homeAccess(draw, country, world.v6Share, draw.between(0, 0.5));
    const until = from + draw.whole(1, 9);
    const arrival = from;
    plan(arrival, () => {
      person.trip = { until, access };
      for (let i = draw.whole(0, 4); i > 0; i--) {
        const at = timeOf(simulation, person, arrival + draw.whole(0, until - arrival - 1));
        const session = { device: person.devices[0], ip: addressOf(draw, access) };
        const next = draw.chance(0.3) ? logIn(simulation, person, session, at) : at;
        payUsual(simulation, person, session, next, draw.logBetween(0.4, 8));
      }
    });
    from = until;
  }
};

/** Top-ups, parking, an arcade, a stream: the same few prices again and again, within minutes. */
const manyInARow: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const counterparty = counterpartyOf(simulation, person);
  const gapMs = draw.logBetween(6000, 5 * MINUTE_MS);
  const prices = Array.from({ length: draw.whole(1, 3) }, () =>
    priceOf(world, draw, person.dollars * draw.logBetween(0.02, 1), person.currency),
  );
  for (let i = Math.round(draw.logBetween(4, 40)); i > 0; i--) {
    output.pay(at, person, session, { amount: draw.pick(prices), card: person.cards[0] as Card, counterparty });
    at += 2000 + draw.exponential(gapMs);
  }
};

/** Back after months: another phone, often another home and card, and mostly no memory of the password. */
const returnsChanged: UnusualEvent = (simulation, person, day) => {
  const { draw, world, plan } = simulation;
  const back = day + Math.round(draw.logBetween(15, 150));
  person.quietUntil = back;
  plan(back, () => {
    person.devices = [world.newDevice(), ...person.devices.slice(1)];
    const hasMoved = draw.chance(0.6);
    if (hasMoved) {
      person.home = homeAccess(draw, person.country, world.v6Share, world.homeChurn);
      person.billing = makeAddress(draw, person.country.code);
    }
    const hasNewCard = draw.chance(0.6);
    if (hasNewCard) person.cards = [makeCard(world, draw)];
    let at = timeOf(simulation, person, back);
    const session = { device: person.devices[0], ip: addressOf(draw, person.home) };
    if (draw.chance(0.6)) {
      at = failLogins(simulation, person, session, at, draw.whole(0, 5), () => draw.logBetween(3000, 4 * MINUTE_MS));
      at = recordEvents(simulation, person, session, at, 'password_reset');
    }
    at = logIn(simulation, person, session, at);
    if (hasMoved && draw.chance(0.6)) at = recordEvents(simulation, person, session, at, 'address_change');
    if (hasNewCard && draw.chance(0.6)) at = recordEvents(simulation, person, session, at, 'payment_method_added');
    if (draw.chance(0.1)) at = recordEvents(simulation, person, session, at, 'payout_request');
    for (let i = draw.whole(1, 4); i > 0; i--) {
      payUsual(simulation, person, session, at, draw.chance(0.3) ? draw.logBetween(1, 6) : 1);
      at += draw.logBetween(0.02, 60) * HOUR_MS;
    }
  });
};

export const TRAINING_SITUATIONS: readonly (readonly [number, UnusualEvent])[] = [
  [3, purchaseOfYears],
  [1, becomesPrivate],
  [1, companyGateway],
  [3, newPhoneWithReset],
  [1, publicComputer],
  [1.5, roundTrip],
  [1, manyInARow],
  [0.5, returnsChanged],
];
