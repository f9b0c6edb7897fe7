import { HOUR_MS, MINUTE_MS, payUsual, sessionOf, timeOf } from './actions.ts';
import type { Attack } from './attacker.ts';
import { aliasOf, makeAddress } from './names.ts';
import { DAY_MS } from './output.ts';
import type { Card, Person } from './people.ts';

/** Abuse by account holders themselves, and identities and businesses that exist to steal. */

/** A customer who disputes own orders again and again: own device, card and address, on separate days. */
const repeatDisputer: Attack = (attacker) => {
  const { draw, world } = attacker;
  const person = attacker.pickVictim();
  const everyDays = draw.logBetween(1, 12);
  let day = (attacker.startsAt - world.start) / DAY_MS;
  for (let i = draw.whole(4, Math.max(6, Math.min(14, attacker.limit))); i > 0; i--) {
    const at = timeOf(attacker, person, Math.floor(day));
    const session = sessionOf(attacker, person, at);
    attacker.pay(at, person, session, person.dollars * draw.logBetween(0.8, 5), {
      counterparty: draw.chance(0.6) ? draw.pickEarly(person.favourites) : attacker.pickShop(),
      card: draw.chance(0.85) ? (person.cards[0] as Card) : attacker.newCard(),
      shipping: person.billing,
    });
    day += 1 + draw.exponential(everyDays);
  }
};

/** Orders that "never arrived": larger and larger, to changing names and addresses, from one home. */
const refundAbuse: Attack = (attacker) => {
  const { draw, world } = attacker;
  const person = draw.chance(0.5) ? attacker.newAccount() : attacker.pickVictim();
  let at = attacker.startsAt;
  let factor = draw.between(0.8, 2);
  for (let i = draw.whole(3, Math.max(4, Math.min(15, attacker.limit))); i > 0; i--) {
    const session = { ...sessionOf(attacker, person, at), email: aliasOf(draw, person.email) };
    attacker.pay(at, person, session, person.dollars * factor, {
      counterparty: attacker.pickShop(),
      ...(draw.chance(0.5) ? { shipping: makeAddress(draw, person.country.code) } : {}),
    });
    if (world.events.has('payout_request') && draw.chance(0.3))
      attacker.event(at + draw.between(1, 60) * HOUR_MS, person, session, 'payout_request');
    factor *= draw.between(1, 1.8);
    at += draw.logBetween(0.3, 6) * DAY_MS;
  }
};

/** Gift cards bought with stolen cards for resale, a few every day, from aged or new accounts on one kit. */
const giftCardResale: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const accounts: Person[] = Array.from({ length: draw.whole(1, 5) }, attacker.newAccount);
  const shop = attacker.pickShop();
  const category = { name: 'gift_cards', factor: 1 };
  const value = draw.chance(0.5) ? draw.pick([25, 50, 100]) : attacker.world.dollars * draw.logBetween(0.5, 4);
  let at = attacker.startsAt;
  const pace = attacker.makePace(10 * MINUTE_MS, 20 * HOUR_MS);
  let card = attacker.pickStolenCard();
  for (let i = attacker.drawCount(4, 40); i > 0; i--) {
    const person = draw.pick(accounts);
    if (draw.chance(0.4)) card = attacker.pickStolenCard();
    attacker.pay(at, person, tools.startSession(person), value * draw.pick([1, 1, 1, 2]), {
      card,
      counterparty: shop,
      category,
      round: draw.chance(0.6),
    });
    at += pace();
  }
};

/** Invented persons who share a home, build trust with small payments for weeks, then spend all they can. */
const syntheticIdentity: Attack = (attacker) => {
  const { draw, output } = attacker;
  const first = attacker.newAccount();
  const days = draw.logBetween(5, 45);
  for (let n = draw.whole(1, 4); n > 0; n--) {
    const person = attacker.newAccount();
    person.billing = draw.chance(0.7) ? first.billing : person.billing;
    person.home = first.home;
    if (draw.chance(0.6)) person.devices = first.devices;
    if (draw.chance(0.5)) person.email = aliasOf(draw, first.email);
    const from = attacker.startsAt + draw.between(0, 3) * DAY_MS;
    output.event(from, person, sessionOf(attacker, person, from), 'signup');
    for (let i = Math.round(days * draw.between(0.1, 0.6)); i >= 0; i--) {
      const at = from + draw.between(0.01, 1) * days * DAY_MS;
      payUsual(attacker, person, sessionOf(attacker, person, at), at, draw.between(0.1, 0.6));
    }
    let at = from + days * DAY_MS;
    for (let i = draw.whole(2, 7); i > 0; i--) {
      attacker.pay(at, person, sessionOf(attacker, person, at), person.dollars * draw.logBetween(2, 15), {
        counterparty: attacker.pickShop(),
      });
      at += draw.logBetween(5 * MINUTE_MS, 24 * HOUR_MS);
    }
  }
};

/** An account opened or rented to pass stolen money on: round sums to new payees, and payouts. */
const muleAccount: Attack = (attacker) => {
  const { draw, world } = attacker;
  const isRented = draw.chance(0.4);
  const person = isRented ? attacker.pickVictim() : attacker.newAccount();
  const payees = Array.from({ length: draw.whole(1, 4) }, attacker.newPayee);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(3, 20); i > 0; i--) {
    const session = isRented ? sessionOf(attacker, person, at) : attacker.tools.startSession(person);
    if (world.events.has('payout_request') && draw.chance(0.3)) attacker.event(at, person, session, 'payout_request');
    else
      attacker.pay(at, person, session, world.dollars * draw.logBetween(2, 15), {
        counterparty: draw.pick(payees),
        round: attacker.isRound(),
      });
    at += draw.logBetween(10 * MINUTE_MS, 40 * HOUR_MS);
  }
};

/** A seller and a few buyers who are the same people: repeated sales for reviews, bonuses or laundering. */
const collusiveSeller: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const seller = attacker.newPayee();
  const buyers = Array.from({ length: draw.whole(2, 8) }, attacker.newAccount);
  const session = tools.startSession();
  const isShared = draw.chance(0.7);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(5, 50); i > 0; i--) {
    const person = draw.pick(buyers);
    attacker.pay(
      at,
      person,
      isShared ? tools.continueSession(session) : tools.startSession(person),
      attacker.stolenDollars(person),
      {
        counterparty: seller,
        round: attacker.isRound(),
      },
    );
    at += draw.logBetween(5 * MINUTE_MS, 30 * HOUR_MS);
  }
};

/** Ordinary customers do not recognize an own payment and dispute it, once each. The label is wrong, as in life. */
const mistakenDispute: Attack = (attacker) => {
  const { draw } = attacker;
  for (let i = draw.whole(2, 8); i > 0; i--) {
    const person = attacker.pickVictim();
    const at = timeOf(attacker, person, attacker.day + draw.whole(0, 6));
    attacker.pay(at, person, sessionOf(attacker, person, at), person.dollars * draw.logBetween(0.7, 2), {
      counterparty: draw.pickEarly(person.favourites),
    });
  }
};

export const ABUSE_ATTACKS = {
  repeat_disputer: { run: repeatDisputer, needs: [], reason: 'first_party', weight: 2 },
  refund_abuse: { run: refundAbuse, needs: [], reason: 'first_party' },
  gift_card_resale: { run: giftCardResale, needs: [], reason: 'stolen_card' },
  synthetic_identity: { run: syntheticIdentity, needs: [], reason: 'first_party' },
  mule_account: { run: muleAccount, needs: [], reason: 'mule', payees: true },
  collusive_seller: { run: collusiveSeller, needs: [], reason: 'other', payees: true },
  mistaken_dispute: { run: mistakenDispute, needs: [], reason: 'first_party', weight: 0.3 },
} as const;
