import { HOUR_MS, MINUTE_MS, sessionOf } from './actions.ts';
import type { Attack } from './attacker.ts';
import { changeAll, drainAccount, startWith } from './attacks-takeover.ts';
import { addressIn, COUNTRIES, HOSTING } from './networks.ts';

/** Attacks on accounts: break-in, farms of accounts, and persuaded account holders. */

/** Tries stolen user names and passwords on many accounts; a few succeed. */
const credentialStuffing: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const pace = attacker.makePace(150, 20 * MINUTE_MS);
  const hitShare = draw.logBetween(0.003, 0.08);
  const triesEach = draw.chance(0.7) ? 1 : draw.whole(2, 4);
  const perSession = draw.chance(0.5) ? 1 : draw.whole(2, 200);
  // Most names on such a list have no account here. The caller sends the attempted name as the user.
  const unknownShare = draw.chance(0.5) ? draw.between(0.1, 0.9) : 0;
  let at = attacker.startsAt;
  let session = tools.startSession();
  const count = attacker.drawCount(15, 4000);
  for (let i = 0; i < count; i++) {
    const person = draw.chance(unknownShare) ? attacker.newAccount() : draw.pick(attacker.people);
    if (i % perSession === 0) session = tools.startSession(person);
    for (let tries = triesEach; tries > 0; tries--) {
      attacker.event(at, person, session, 'login', 'failed');
      at += pace();
    }
    if (draw.chance(hitShare)) {
      attacker.event(at, person, session, 'login');
      if (draw.chance(0.7)) {
        const later = at + attacker.wait();
        const next = draw.chance(0.5) ? session : tools.startSession(person);
        drainAccount(attacker, person, next, later);
      }
    }
    at += pace();
  }
};

const bruteForce: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const person = attacker.pickVictim();
  const pace = attacker.makePace(300, 30 * MINUTE_MS);
  let session = tools.startSession(person);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(8, 400); i > 0; i--) {
    session = tools.continueSession(session, person);
    attacker.event(at, person, session, 'login', 'failed');
    at += pace();
  }
  if (draw.chance(0.5)) {
    attacker.event(at, person, session, 'login');
    drainAccount(attacker, person, session, at + attacker.wait());
  }
};

/** Moves the victim's phone number to the attacker's phone, then resets the password and the second factor. */
const simSwap: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const person = attacker.pickVictim();
  const session = tools.startSession(person);
  const types = draw.pick([
    ['password_reset', 'mfa_change'],
    ['phone_change', 'password_reset'],
    ['mfa_change', 'email_change'],
    ['password_reset', 'phone_change', 'mfa_change'],
  ] as const);
  let { at } = changeAll(attacker, person, session, attacker.startsAt, types);
  attacker.event(at, person, session, 'login');
  at += draw.between(10_000, 900_000);
  for (let i = draw.whole(1, 4); i > 0; i--) {
    attacker.event(at, person, session, 'payout_request');
    at += draw.logBetween(15_000, 2 * HOUR_MS);
  }
  if (draw.chance(0.7)) drainAccount(attacker, person, session, at);
};

const dormantTakeover: Attack = (attacker) => {
  const { draw, tools, people } = attacker;
  // Picks the longest inactive of a sample.
  let person = draw.pick(people);
  for (let i = 0; i < 40; i++) {
    const other = draw.pick(people);
    if (other.lastDay >= 0 && (person.lastDay < 0 || other.lastDay < person.lastDay)) person = other;
  }
  const session = tools.startSession(person);
  let at = attacker.startsAt;
  if (draw.chance(0.6)) ({ at } = changeAll(attacker, person, session, at));
  attacker.event(at, person, session, 'login');
  drainAccount(attacker, person, session, at + attacker.wait(), 8);
};

/** Malware or a stolen cookie: the victim's device on a foreign network, without a login. */
const sessionHijack: Attack = (attacker) => {
  const { draw } = attacker;
  const person = attacker.pickVictim();
  const country = draw.chance(0.5) ? person.country : draw.pick(COUNTRIES);
  const ip = addressIn(draw, draw.chance(0.6) ? draw.pick(draw.pick(HOSTING)) : draw.pick(country.home));
  const session = { device: person.devices[0], ip };
  let at = startWith(attacker, person);
  if (draw.chance(0.3)) ({ at } = changeAll(attacker, person, session, at));
  attacker.leave(person, at);
  const pace = attacker.makePace(8000, 3 * HOUR_MS);
  for (let i = draw.whole(1, 6); i > 0; i--) {
    attacker.pay(at, person, session, attacker.stolenDollars(person), { counterparty: attacker.pickShop() });
    at += pace();
  }
  if (draw.chance(0.3)) attacker.event(at, person, session, 'payout_request');
};

/** Opens many accounts for sale or later use. */
const signupFarm: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const pace = attacker.makePace(800, 4 * HOUR_MS);
  const perSession = draw.chance(0.5) ? 1 : draw.whole(2, 60);
  let session = tools.startSession();
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(6, 800); i > 0; i--) {
    const person = attacker.newAccount();
    if (i % perSession === 0) session = tools.startSession(person);
    attacker.event(at, person, session, 'signup');
    if (draw.chance(0.2)) attacker.event(at + draw.between(3000, 200_000), person, session, 'login');
    at += pace();
  }
};

/** Opens accounts that each claim the bonus for new customers: the same small payment, often with few cards. */
const bonusAbuse: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const pace = attacker.makePace(20_000, 12 * HOUR_MS);
  const cards = Array.from({ length: draw.whole(1, 6) }, attacker.newCard);
  const dollars = attacker.world.dollars * draw.logBetween(0.1, 1.2);
  const shop = attacker.pickShop();
  const sharedSession = draw.chance(0.6) ? tools.startSession() : undefined;
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(4, 150); i > 0; i--) {
    const person = attacker.newAccount();
    const session = sharedSession ?? tools.startSession(person);
    attacker.event(at, person, session, 'signup');
    if (draw.chance(0.5)) attacker.event(at + 20_000, person, session, 'payment_method_added');
    attacker.pay(at + draw.logBetween(30_000, HOUR_MS), person, session, dollars, {
      card: draw.pick(cards),
      counterparty: shop,
    });
    at += pace();
  }
};

/** Uses one device for many accounts, new or stolen. */
const deviceFarm: Attack = (attacker) => {
  const { draw, tools, world } = attacker;
  const device = world.newDevice();
  const isStolen = draw.chance(0.5);
  attacker.setReason(isStolen ? 'takeover' : 'stolen_card');
  const pace = attacker.makePace(10_000, 6 * HOUR_MS);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(3, 100); i > 0; i--) {
    const person = isStolen ? attacker.pickVictim() : attacker.newAccount();
    const session = { ...tools.startSession(person), device };
    attacker.event(at, person, session, isStolen ? 'login' : 'signup');
    const card = isStolen ? (person.cards[0] ?? attacker.newCard()) : attacker.newCard();
    at += draw.logBetween(10_000, 30 * MINUTE_MS);
    attacker.pay(at, person, session, attacker.stolenDollars(person), { card, counterparty: attacker.pickShop() });
    if (isStolen) attacker.leave(person, at);
    at += pace();
  }
};

/** Authorized push payment fraud: victims pay unknown payees from their own device and address. */
const muleCounterparty: Attack = (attacker) => {
  const { draw } = attacker;
  const mules = Array.from({ length: draw.whole(1, 3) }, attacker.newPayee);
  const pace = attacker.makePace(5 * MINUTE_MS, 20 * HOUR_MS);
  const round = attacker.isRound();
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(3, 60); i > 0; i--) {
    const person = attacker.pickVictim();
    const time = draw.chance(0.7) ? Math.max(at, attacker.usualTimeOf(person, at)) : at;
    const session = sessionOf(attacker, person, time);
    let next = time;
    for (let payments = draw.weighted([1, 2, 4], [6, 2, 1]); payments > 0; payments--) {
      attacker.pay(next, person, session, person.dollars * draw.logBetween(1.5, 40), {
        counterparty: draw.pick(mules),
        round,
      });
      next += draw.logBetween(MINUTE_MS, 10 * HOUR_MS);
    }
    at += pace();
  }
};

export const ACCOUNT_ATTACKS = {
  credential_stuffing: { run: credentialStuffing, needs: ['login'], reason: 'takeover' },
  brute_force: { run: bruteForce, needs: ['login'], reason: 'takeover' },
  sim_swap: { run: simSwap, needs: ['payout_request', 'mfa_change'], reason: 'takeover' },
  dormant_takeover: { run: dormantTakeover, needs: [], reason: 'takeover' },
  session_hijack: { run: sessionHijack, needs: [], reason: 'takeover' },
  signup_farm: { run: signupFarm, needs: ['signup'], reason: 'other' },
  bonus_abuse: { run: bonusAbuse, needs: [], reason: 'other' },
  device_farm: { run: deviceFarm, needs: [], reason: 'stolen_card' },
  mule_counterparty: { run: muleCounterparty, needs: [], reason: 'mule', payees: true },
} as const;
