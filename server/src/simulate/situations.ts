import { cardOf, counterpartyOf, HOUR_MS, logIn, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import { aliasOf, makeAddress, makeEmail } from './names.ts';
import { addressOf, COUNTRIES, homeAccess } from './networks.ts';
import { DAY_MS } from './output.ts';
import { type Card, makePerson, makeSecondPlace, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import { recordEvents, startTrip, type UnusualEvent } from './unusual-actions.ts';

/** Situations of legitimate customers that last for days or for good: new devices, households, presents, relocation. */

/** Logs in on a new phone, looks around, and pays with it hours or days later. The old one may stay in use. */
const newPhonePaysLater: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const at = timeOf(simulation, person, day);
  const device = world.newDevice();
  if (draw.chance(0.7)) person.devices = [device, ...person.devices.slice(1)];
  else person.devices = [...person.devices.slice(0, 3), device];
  const session = { ...sessionOf(simulation, person, at), device };
  logIn(simulation, person, session, at);
  const later = at + draw.logBetween(0.05, 14 * 24) * HOUR_MS;
  const factor = draw.chance(0.35) ? draw.logBetween(2, 15) : 1;
  payUsual(simulation, person, { ...sessionOf(simulation, person, later), device }, later, factor);
};

/** A new tablet beside the phone: both are used on the same day. */
const secondDevice: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const device = world.newDevice();
  person.devices = [...person.devices.slice(0, 3), device];
  const at = timeOf(simulation, person, day);
  const usual = sessionOf(simulation, person, at);
  payUsual(simulation, person, usual, at);
  const later = at + draw.logBetween(0.02, 8) * HOUR_MS;
  payUsual(simulation, person, { ...usual, device }, logIn(simulation, person, { ...usual, device }, later));
};

/** Presents to other addresses, old and new, in one evening. */
const presents: UnusualEvent = (simulation, person, day) => {
  const { draw, world, output } = simulation;
  let at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  at = logIn(simulation, person, session, at);
  for (let i = draw.whole(1, 5); i > 0; i--) {
    const isKnown = person.recipients.length > 0 && draw.chance(0.5);
    const country = draw.chance(0.85) ? person.country : draw.pick(COUNTRIES);
    const shipping = isKnown ? draw.pick(person.recipients) : makeAddress(draw, country.code);
    if (!isKnown && draw.chance(0.5)) person.recipients.push(shipping);
    if (person.recipients.length > 6) person.recipients.shift();
    const amount = priceOf(world, draw, person.dollars * draw.logBetween(0.5, 6), person.currency);
    const counterparty = counterpartyOf(simulation, person);
    output.pay(at, person, session, { amount, card: cardOf(simulation, person), counterparty, shipping });
    at += draw.logBetween(40_000, 2 * HOUR_MS);
  }
};

/** A business trip: other networks, often the company's VPN, hotels and larger sums. */
const businessTrip: UnusualEvent = (simulation, person, day) => {
  const { draw, town } = simulation;
  startTrip(simulation, person, day);
  for (let i = draw.whole(1, 4); i > 0; i--) {
    const at = timeOf(simulation, person, day + draw.whole(0, 3));
    const usual = sessionOf(simulation, person, at);
    const session = draw.chance(0.4) ? { ...usual, ip: addressOf(draw, town.vpn) } : usual;
    payUsual(simulation, person, session, at, draw.logBetween(0.8, 8));
  }
};

/** A relative or carer helps from now on, from another home and device. */
const newHelper: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const second = makeSecondPlace(world, draw, person.country);
  person.second = second;
  const at = timeOf(simulation, person, day);
  const session = { device: second.device, ip: addressOf(draw, second.access) };
  const next = logIn(simulation, person, session, at);
  if (draw.chance(0.7)) payUsual(simulation, person, session, next, draw.logBetween(0.7, 3));
};

/** Moves to another country. Cards and the billing address follow weeks later, or never. */
const movesAbroad: UnusualEvent = (simulation, person, day) => {
  const { draw, world, plan } = simulation;
  const country = draw.chance(0.5) ? draw.pick(world.countries) : draw.pick(COUNTRIES);
  person.home = homeAccess(draw, country, world.v6Share, world.homeChurn);
  person.trip = { until: day + draw.whole(20, 200), access: person.home };
  if (draw.chance(0.6))
    plan(day + draw.whole(7, 40), () => {
      person.billing = makeAddress(draw, country.code);
    });
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  payUsual(simulation, person, session, logIn(simulation, person, session, at), draw.logBetween(0.7, 6));
};

/** A new rent, lease or fee: a large sum to a new payee, then the same sum every month. */
const newStandingOrder: UnusualEvent = (simulation, person, day) => {
  const { draw, world, town, output } = simulation;
  const dollars = person.dollars * draw.logBetween(2, 15);
  const counterparty = draw.chance(0.7) ? town.newCounterparty() : draw.pick(town.counterparties);
  const at = timeOf(simulation, person, day);
  const date = new Date(world.start + day * DAY_MS).getUTCDate();
  const amount = Math.max(1, Math.floor(roundOf(dollars, person.currency)));
  person.subscriptions = [
    ...person.subscriptions.slice(0, 3),
    { counterparty, dollars, dayOfMonth: Math.min(date, 28) },
  ];
  output.pay(at, person, sessionOf(simulation, person, at), { amount, card: person.cards[0] as Card, counterparty });
};

/** Opens a second account: forgot the first, or keeps work apart. Same home, device and card, a tagged mailbox. */
const secondAccount: UnusualEvent = (simulation, person, day) => {
  const { draw, world, town } = simulation;
  const other = makePerson(world, town, draw, { housemate: person, ordinary: true });
  other.devices = person.devices;
  other.cards = draw.chance(0.7) ? person.cards : other.cards;
  other.email = draw.chance(0.5) ? aliasOf(draw, person.email) : makeEmail(draw, world.mail);
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, other, at);
  let next = recordEvents(simulation, other, session, at, 'signup');
  for (let i = draw.whole(1, 4); i > 0; i--) {
    payUsual(simulation, other, sessionOf(simulation, other, next), next);
    next += draw.logBetween(0.1, 20) * DAY_MS;
  }
};

/** A password reset on an own device before an ordinary or large payment. */
const resetBeforePayment: UnusualEvent = (simulation, person, day) => {
  const { draw } = simulation;
  const at = timeOf(simulation, person, day);
  const session = sessionOf(simulation, person, at);
  const next = recordEvents(simulation, person, session, at, 'password_reset', 'login');
  payUsual(simulation, person, session, next, draw.chance(0.4) ? draw.logBetween(2, 12) : 1);
};

/** A child plays on the parent's account: another device at home, many small payments in an evening. */
const childPlays: UnusualEvent = (simulation: Simulation, person: Person, day: number) => {
  const { draw, world, output } = simulation;
  let at = timeOf(simulation, person, day);
  const device = person.devices[person.devices.length - 1] ?? world.newDevice();
  const session = { device: draw.chance(0.5) ? device : world.newDevice(), ip: addressOf(draw, person.home) };
  const counterparty = counterpartyOf(simulation, person);
  for (let i = draw.whole(2, 10); i > 0; i--) {
    const amount = priceOf(world, draw, person.dollars * draw.logBetween(0.1, 1), person.currency);
    output.pay(at, person, session, { amount, card: person.cards[0] as Card, counterparty });
    at += draw.logBetween(30_000, HOUR_MS);
  }
};

export const SITUATIONS: readonly (readonly [number, UnusualEvent])[] = [
  [4, newPhonePaysLater],
  [1.5, secondDevice],
  [2, presents],
  [1.5, businessTrip],
  [1, newHelper],
  [0.7, movesAbroad],
  [1, newStandingOrder],
  [0.7, secondAccount],
  [2, resetBeforePayment],
  [1, childPlays],
];
