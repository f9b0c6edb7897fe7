import type { EventType } from '@portcullis/contract';
import { cardOf, counterpartyOf, HOUR_MS, logIn, MINUTE_MS, payUsual, type Scene, sessionOf, timeOf } from './acts.ts';
import type { Session } from './journal.ts';
import { makeAddress, makeEmail } from './names.ts';
import { type Access, addressIn, addressOf, COUNTRIES, HOSTING, homeAccess, pooledAccess } from './networks.ts';
import { type Card, makeCard, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';

/**
 * What happens to honest people now and then and looks like fraud: all that is new, large, hurried or far away. Without it a model learns
 * that whatever is unusual is a crime.
 */
type Moment = (scene: Scene, person: Person, day: number) => void;

export const tell = (
  { journal }: Scene,
  person: Person,
  session: Session,
  at: number,
  ...types: EventType[]
): number => {
  let time = at;
  for (const type of types) {
    journal.event(time, person, session, type);
    time += 15_000 + (time % 90_000);
  }
  return time;
};

/** One or several large payments, often to someone new, at a person's own pace. */
const buyBig = (scene: Scene, person: Person, session: Session, from: number, payments: number): void => {
  const { world, town, draw, journal } = scene;
  let at = from;
  for (let i = 0; i < payments; i++) {
    const counterparty = draw.chance(0.6) ? draw.pick(town.counterparties) : counterpartyOf(scene, person);
    const dollars = person.dollars * draw.logBetween(3, 30);
    const amount = draw.chance(0.2)
      ? roundOf(dollars, person.currency)
      : priceOf(world, draw, dollars, person.currency);
    const shipping = draw.chance(0.2) ? makeAddress(draw, person.country.code) : person.billing;
    journal.pay(at, person, session, { amount, card: cardOf(scene, person), counterparty, shipping });
    at += draw.logBetween(MINUTE_MS, 5 * HOUR_MS);
  }
};

const forgottenPassword: Moment = (scene, person, day) => {
  const { draw, journal } = scene;
  let at = timeOf(scene, person, day);
  const isNewDevice = draw.chance(0.3);
  const usual = sessionOf(scene, person, at);
  const session = isNewDevice ? { ...usual, device: scene.world.newDevice() } : usual;
  for (let i = draw.whole(1, 7); i > 0; i--) {
    journal.event(at, person, session, 'login', 'failed');
    at += draw.between(3000, 60_000);
  }
  at = tell(scene, person, session, at, 'password_reset', ...(draw.chance(0.5) ? (['password_change'] as const) : []));
  at = logIn(scene, person, session, at);
  if (isNewDevice) person.devices[person.devices.length - 1] = session.device as string;
  if (draw.chance(0.6)) payUsual(scene, person, session, at, draw.chance(0.3) ? draw.logBetween(1, 8) : 1);
};

const newPhone: Moment = (scene, person, day) => {
  const { draw, world } = scene;
  const at = timeOf(scene, person, day);
  person.devices[0] = world.newDevice();
  const session = { ...sessionOf(scene, person, at), device: person.devices[0] };
  const changes: EventType[] = draw.chance(0.5)
    ? ['mfa_change']
    : draw.chance(0.4)
      ? ['phone_change', 'mfa_change']
      : [];
  const next = tell(scene, person, session, logIn(scene, person, session, at), ...changes);
  if (draw.chance(0.15)) tell(scene, person, session, next, 'payout_request');
  else if (draw.chance(0.6)) payUsual(scene, person, session, next, draw.chance(0.2) ? draw.logBetween(1, 6) : 1);
};

const movedHouse: Moment = (scene, person, day) => {
  const { draw, world } = scene;
  const at = timeOf(scene, person, day);
  person.billing = makeAddress(draw, person.country.code);
  person.home = homeAccess(draw, person.country, world.v6Share, world.homeChurn);
  const session = { device: person.devices[0], ip: addressOf(draw, person.home) };
  const next = tell(scene, person, session, logIn(scene, person, session, at), 'address_change');
  buyBig(scene, person, session, next, draw.whole(0, 5));
};

const tripAbroad: Moment = (scene, person, day) => {
  const { draw, world } = scene;
  const country = draw.chance(0.7) ? draw.pick(COUNTRIES) : draw.pick(world.countries);
  const access: Access = draw.chance(0.5)
    ? pooledAccess(country.code, scene.town.carrierOf(country))
    : homeAccess(draw, country, world.v6Share, 0.4);
  person.trip = { until: day + draw.whole(1, 15), access };
  const at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  logIn(scene, person, session, at);
  for (let i = draw.whole(0, 4); i > 0; i--)
    payUsual(scene, person, session, timeOf(scene, person, day), draw.logBetween(0.7, 5));
};

const bigPurchase: Moment = (scene, person, day) => {
  const at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  const payments = scene.draw.weighted([1, 2, 3, 6], [6, 2, 1, 0.5]);
  buyBig(scene, person, session, logIn(scene, person, session, at), payments);
};

/** Gifts for many: the same round sum several times within minutes. */
const giftCards: Moment = (scene, person, day) => {
  const { draw, journal, town } = scene;
  let at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  const counterparty = draw.pick(town.counterparties);
  const category = { name: 'gift_cards', factor: 1 };
  const amount = roundOf(draw.pick([10, 25, 50, 100, 200]), person.currency);
  for (let i = draw.whole(1, 6); i > 0; i--) {
    const own = draw.chance(0.2) ? roundOf(draw.pick([10, 20, 50]), person.currency) : amount;
    journal.pay(at, person, session, { amount: own, card: cardOf(scene, person), counterparty, category });
    at += draw.between(20_000, 300_000);
  }
};

const newCard: Moment = (scene, person, day) => {
  const { draw, world, journal } = scene;
  const at = timeOf(scene, person, day);
  const card = makeCard(world, draw);
  if (draw.chance(0.6) || person.cards.length > 4) person.cards[0] = card;
  else person.cards.unshift(card);
  const session = sessionOf(scene, person, at);
  const next = tell(scene, person, session, logIn(scene, person, session, at), 'payment_method_added');
  if (world.verifiesCards) {
    const amount = priceOf(world, draw, draw.between(0.1, 1.5), person.currency);
    journal.pay(next, person, session, {
      amount,
      card,
      counterparty: person.favourites[0] ?? counterpartyOf(scene, person),
    });
  }
  if (draw.chance(0.5)) payUsual(scene, person, session, next + draw.between(20_000, 600_000), draw.logBetween(0.6, 6));
};

/** Declined again and again: other cards, the same basket. */
const stubborn: Moment = (scene, person, day) => {
  const { draw, world, journal } = scene;
  let at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  const counterparty = counterpartyOf(scene, person);
  const amount = priceOf(world, draw, person.dollars * draw.logBetween(0.7, 8), person.currency);
  for (let i = draw.whole(2, 6); i > 0; i--) {
    const card = draw.chance(0.25) ? makeCard(world, draw) : (draw.pick(person.cards) as Card);
    journal.pay(at, person, session, { amount, card, counterparty });
    at += draw.logBetween(5000, 20 * MINUTE_MS);
  }
};

/** A borrowed computer, a hotel, a server of one's own. */
const elsewhere: Moment = (scene, person, day) => {
  const { draw, world, town } = scene;
  const at = timeOf(scene, person, day);
  const ip = draw.weighted(
    [
      addressOf(draw, town.vpn),
      addressIn(draw, draw.pick(draw.pick(HOSTING))),
      addressIn(draw, draw.pick(person.country.home)),
    ],
    [2, 1, 3],
  );
  const session = { ip, device: draw.chance(0.5) ? world.newDevice() : person.devices[0] };
  const next = logIn(scene, person, session, at);
  if (draw.chance(0.7)) payUsual(scene, person, session, next, draw.logBetween(0.5, 4));
};

const tidyAccount: Moment = (scene, person, day) => {
  const { draw, world } = scene;
  const at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  const types = (
    ['password_change', 'email_change', 'phone_change', 'mfa_change', 'address_change', 'other'] as const
  ).filter(() => draw.chance(0.4));
  if (types.includes('email_change')) person.email = makeEmail(draw, world.mail);
  const next = tell(scene, person, session, logIn(scene, person, session, at), ...types);
  if (draw.chance(0.3)) payUsual(scene, person, session, next, draw.logBetween(0.5, 5));
  else if (draw.chance(0.2)) tell(scene, person, session, next, 'payout_request');
};

const longAbsence: Moment = ({ draw }, person, day) => {
  person.quietUntil = day + Math.round(draw.logBetween(10, 250));
};

/** Many small payments in a row: a game, a meter, a machine that takes coins. */
const smallSpree: Moment = (scene, person, day) => {
  const { draw, world, journal } = scene;
  let at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  const counterparty = counterpartyOf(scene, person);
  const dollars = person.dollars * draw.between(0.03, 0.3);
  for (let i = draw.whole(3, 15); i > 0; i--) {
    const amount = priceOf(world, draw, dollars * draw.pick([1, 1, 2, 5]), person.currency);
    journal.pay(at, person, session, { amount, card: person.cards[0] as Card, counterparty });
    at += draw.logBetween(8000, 15 * MINUTE_MS);
  }
};

const MOMENTS: readonly (readonly [number, Moment])[] = [
  [3, forgottenPassword],
  [2, newPhone],
  [1, movedHouse],
  [3, tripAbroad],
  [4, bigPurchase],
  [1, giftCards],
  [2, newCard],
  [1, stubborn],
  [2, elsewhere],
  [2, tidyAccount],
  [1, longAbsence],
  [1, smallSpree],
];
const WEIGHTS = MOMENTS.map(([weight]) => weight);

export const happen = (scene: Scene, person: Person, day: number): void =>
  scene.draw.weighted(MOMENTS, WEIGHTS)[1](scene, person, day);
