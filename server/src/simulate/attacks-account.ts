import type { EventType } from '@portcullis/contract';
import { HOUR_MS, MINUTE_MS, sessionOf } from './acts.ts';
import { type Attack, type Crime, someHours } from './crime.ts';
import type { Session } from './journal.ts';
import { makeAddress } from './names.ts';
import { addressIn, COUNTRIES, HOSTING } from './networks.ts';
import type { Person } from './people.ts';

/** Attacks on accounts: getting in, staying in, and what is taken then. */

/** What is taken from an account one has got into: payments, a payout, or both. */
const loot = (crime: Crime, person: Person, session: Session, from: number, most = 6): void => {
  const { draw } = crime;
  const pace = crime.pace(20_000, 8 * HOUR_MS);
  let at = from;
  crime.aftermath(person, at);
  if (crime.world.events.has('payout_request') && draw.chance(0.3)) {
    for (let i = draw.whole(1, 3); i > 0; i--) {
      crime.event(at, person, crime.tools.go(session, person), 'payout_request');
      at += pace();
    }
    if (draw.chance(0.6)) return;
  }
  const ownCard = draw.chance(0.6) ? undefined : crime.card();
  if (ownCard !== undefined) {
    crime.event(at, person, session, 'payment_method_added');
    at += draw.between(5000, 120_000);
  }
  const shipping = draw.chance(0.5)
    ? makeAddress(draw, draw.chance(0.7) ? person.country.code : draw.pick(COUNTRIES).code)
    : undefined;
  const shop = draw.chance(0.5) ? crime.shop() : undefined;
  const round = draw.chance(0.2);
  for (let i = draw.whole(1, most); i > 0; i--) {
    crime.pay(at, person, crime.tools.go(session, person), crime.loot(person), {
      round,
      ...(ownCard === undefined ? {} : { card: ownCard }),
      ...(shop === undefined ? {} : { counterparty: shop }),
      ...(shipping === undefined ? {} : { shipping }),
    });
    at += pace();
  }
};

/** Stolen pairs of name and password tried on many accounts; a few fit. */
const credentialStuffing: Attack = (crime) => {
  const { draw, tools } = crime;
  const pace = crime.pace(150, 20 * MINUTE_MS);
  const hits = draw.logBetween(0.003, 0.08);
  const triesEach = draw.chance(0.7) ? 1 : draw.whole(2, 4);
  const perSession = draw.chance(0.5) ? 1 : draw.whole(2, 200);
  // Most names on such a list have no account here; the caller knows them by the name that was tried.
  const strangers = draw.chance(0.5) ? draw.between(0.1, 0.9) : 0;
  let at = crime.from;
  let session = tools.begin();
  const count = crime.size(15, 4000);
  for (let i = 0; i < count; i++) {
    const person = draw.chance(strangers) ? crime.account() : draw.pick(crime.people);
    if (i % perSession === 0) session = tools.begin(person);
    for (let tries = triesEach; tries > 0; tries--) {
      crime.event(at, person, session, 'login', 'failed');
      at += pace();
    }
    if (draw.chance(hits)) {
      crime.event(at, person, session, 'login');
      if (draw.chance(0.7)) {
        const later = at + someHours(draw, 72);
        const next = draw.chance(0.5) ? session : tools.begin(person);
        loot(crime, person, next, later);
      }
    }
    at += pace();
  }
};

const bruteForce: Attack = (crime) => {
  const { draw, tools } = crime;
  const person = crime.victim();
  const pace = crime.pace(300, 30 * MINUTE_MS);
  let session = tools.begin(person);
  let at = crime.from;
  for (let i = crime.size(8, 400); i > 0; i--) {
    session = tools.go(session, person);
    crime.event(at, person, session, 'login', 'failed');
    at += pace();
  }
  if (draw.chance(0.5)) {
    crime.event(at, person, session, 'login');
    loot(crime, person, session, at + someHours(draw, 12));
  }
};

const CHANGES: readonly (readonly EventType[])[] = [
  ['password_change'],
  ['email_change'],
  ['password_reset', 'password_change'],
  ['email_change', 'password_change'],
  ['phone_change', 'email_change'],
  ['address_change'],
  [],
];

const changeAll = (
  crime: Crime,
  person: Person,
  session: Session,
  from: number,
  types: readonly EventType[],
): number => {
  let at = from;
  for (const type of types) {
    crime.event(at, person, session, type);
    at += crime.draw.logBetween(5000, 20 * MINUTE_MS);
  }
  return at;
};

const beginWith = (crime: Crime, person: Person): number => {
  if (crime.draw.chance(0.3)) return crime.afterOwner(person);
  return crime.draw.chance(0.4) ? crime.usualTime(person, crime.from) : crime.from;
};

const accountTakeover: Attack = (crime) => {
  const { draw, tools } = crime;
  const person = crime.victim();
  const session = tools.begin(person);
  let at = beginWith(crime, person);
  for (let i = draw.chance(0.4) ? draw.whole(1, 4) : 0; i > 0; i--) {
    crime.event(at, person, session, 'login', 'failed');
    at += draw.between(2000, 90_000);
  }
  crime.event(at, person, session, 'login');
  at += draw.between(10_000, 600_000);
  at = changeAll(crime, person, session, at, draw.pick(CHANGES));
  loot(crime, person, session, draw.chance(0.7) ? at : at + someHours(draw, 72), draw.chance(0.2) ? 30 : 8);
};

/** The victim's phone number moved to the thief's phone: resets and second factors follow. */
const simSwap: Attack = (crime) => {
  const { draw, tools } = crime;
  const person = crime.victim();
  const session = tools.begin(person);
  const types = draw.pick([
    ['password_reset', 'mfa_change'],
    ['phone_change', 'password_reset'],
    ['mfa_change', 'email_change'],
    ['password_reset', 'phone_change', 'mfa_change'],
  ] as const);
  let at = changeAll(crime, person, session, crime.from, types);
  crime.event(at, person, session, 'login');
  at += draw.between(10_000, 900_000);
  for (let i = draw.whole(1, 4); i > 0; i--) {
    crime.event(at, person, session, 'payout_request');
    at += draw.logBetween(15_000, 2 * HOUR_MS);
  }
  if (draw.chance(0.7)) loot(crime, person, session, at);
};

const dormantTakeover: Attack = (crime) => {
  const { draw, tools, people } = crime;
  // The one who was away longest among some.
  let person = draw.pick(people);
  for (let i = 0; i < 40; i++) {
    const other = draw.pick(people);
    if (other.lastDay >= 0 && (person.lastDay < 0 || other.lastDay < person.lastDay)) person = other;
  }
  const session = tools.begin(person);
  let at = crime.from;
  if (draw.chance(0.6)) at = changeAll(crime, person, session, at, draw.pick(CHANGES));
  crime.event(at, person, session, 'login');
  loot(crime, person, session, at + draw.logBetween(20_000, 10 * HOUR_MS), 8);
};

/** Malware or a stolen cookie: the device is the victim's, the network is not. No password is asked. */
const sessionHijack: Attack = (crime) => {
  const { draw } = crime;
  const person = crime.victim();
  const country = draw.chance(0.5) ? person.country : draw.pick(COUNTRIES);
  const ip = addressIn(draw, draw.chance(0.6) ? draw.pick(draw.pick(HOSTING)) : draw.pick(country.home));
  const session = { device: person.devices[0], ip };
  let at = beginWith(crime, person);
  if (draw.chance(0.3)) at = changeAll(crime, person, session, at, draw.pick(CHANGES));
  const pace = crime.pace(8000, 3 * HOUR_MS);
  for (let i = draw.whole(1, 6); i > 0; i--) {
    crime.pay(at, person, session, crime.loot(person), { counterparty: crime.shop() });
    at += pace();
  }
  if (draw.chance(0.3)) crime.event(at, person, session, 'payout_request');
};

/** Accounts made in numbers, to be sold or used later. */
const signupFarm: Attack = (crime) => {
  const { draw, tools } = crime;
  const pace = crime.pace(800, 4 * HOUR_MS);
  const perSession = draw.chance(0.5) ? 1 : draw.whole(2, 60);
  let session = tools.begin();
  let at = crime.from;
  for (let i = crime.size(6, 800); i > 0; i--) {
    const person = crime.account();
    if (i % perSession === 0) session = tools.begin(person);
    crime.event(at, person, session, 'signup');
    if (draw.chance(0.2)) crime.event(at + draw.between(3000, 200_000), person, session, 'login');
    at += pace();
  }
};

/** New accounts that each take what is given to new customers: a small payment, the same for all, often with few cards. */
const bonusAbuse: Attack = (crime) => {
  const { draw, tools } = crime;
  const pace = crime.pace(20_000, 12 * HOUR_MS);
  const cards = Array.from({ length: draw.whole(1, 6) }, crime.card);
  const dollars = crime.world.dollars * draw.logBetween(0.1, 1.2);
  const shop = crime.shop();
  const same = draw.chance(0.6) ? tools.begin() : undefined;
  let at = crime.from;
  for (let i = crime.size(4, 150); i > 0; i--) {
    const person = crime.account();
    const session = same ?? tools.begin(person);
    crime.event(at, person, session, 'signup');
    if (draw.chance(0.5)) crime.event(at + 20_000, person, session, 'payment_method_added');
    crime.pay(at + draw.logBetween(30_000, HOUR_MS), person, session, dollars, {
      card: draw.pick(cards),
      counterparty: shop,
    });
    at += pace();
  }
};

/** One device that goes through many accounts, its own or stolen ones. */
const deviceFarm: Attack = (crime) => {
  const { draw, tools, world } = crime;
  const device = world.newDevice();
  const stolen = draw.chance(0.5);
  const pace = crime.pace(10_000, 6 * HOUR_MS);
  let at = crime.from;
  for (let i = crime.size(3, 100); i > 0; i--) {
    const person = stolen ? crime.victim() : crime.account();
    const session = { ...tools.begin(person), device };
    crime.event(at, person, session, stolen ? 'login' : 'signup');
    const card = stolen ? (person.cards[0] ?? crime.card()) : crime.card();
    at += draw.logBetween(10_000, 30 * MINUTE_MS);
    crime.pay(at, person, session, crime.loot(person), { card, counterparty: crime.shop() });
    at += pace();
  }
};

/** The victim is talked into it: their own device and address, a payee nobody knows. */
const muleCounterparty: Attack = (crime) => {
  const { draw, town } = crime;
  const mules = Array.from({ length: draw.whole(1, 3) }, town.newCounterparty);
  const pace = crime.pace(5 * MINUTE_MS, 20 * HOUR_MS);
  const round = draw.chance(0.6);
  let at = crime.from;
  for (let i = crime.size(3, 60); i > 0; i--) {
    const person = crime.victim();
    const time = draw.chance(0.7) ? Math.max(at, crime.usualTime(person, at)) : at;
    const session = sessionOf(crime, person, time);
    let next = time;
    for (let payments = draw.weighted([1, 2, 4], [6, 2, 1]); payments > 0; payments--) {
      crime.pay(next, person, session, person.dollars * draw.logBetween(1.5, 40), {
        counterparty: draw.pick(mules),
        round,
      });
      next += draw.logBetween(MINUTE_MS, 10 * HOUR_MS);
    }
    at += pace();
  }
};

export const ACCOUNT_ATTACKS = {
  credential_stuffing: { run: credentialStuffing, needs: ['login'] },
  brute_force: { run: bruteForce, needs: ['login'] },
  account_takeover: { run: accountTakeover, needs: [] },
  sim_swap: { run: simSwap, needs: ['payout_request', 'mfa_change'] },
  dormant_takeover: { run: dormantTakeover, needs: [] },
  session_hijack: { run: sessionHijack, needs: [] },
  signup_farm: { run: signupFarm, needs: ['signup'] },
  bonus_abuse: { run: bonusAbuse, needs: [] },
  device_farm: { run: deviceFarm, needs: [] },
  mule_counterparty: { run: muleCounterparty, needs: [] },
} as const satisfies Record<string, { run: Attack; needs: readonly EventType[] }>;
