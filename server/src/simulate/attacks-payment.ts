import { HOUR_MS, MINUTE_MS, payUsual, sessionOf } from './actions.ts';
import { type Attack, randomHours } from './attacker.ts';
import {
  cardTesting,
  distributedSlow,
  giftCardDraining,
  manyCards,
  stolenCardNewAccount,
  stolenCardNumber,
} from './attacks-card.ts';
import { DAY_MS } from './output.ts';

/** Attacks on payments: those with stolen cards, unusual amounts, fraudulent counterparties and accounts opened to be overdrawn. */

/** Single payments far above the usual amounts of the user. */
const oversizedPayments: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const floor = attacker.world.dollars * draw.logBetween(3, 15);
  for (let i = attacker.drawCount(1, 6); i > 0; i--) {
    const person = attacker.pickVictim();
    const at = draw.chance(0.7) ? attacker.usualTimeOf(person, attacker.startsAt) : attacker.startsAt;
    const session = draw.chance(0.5) ? sessionOf(attacker, person, at) : tools.startSession(person);
    attacker.pay(at, person, session, Math.max(floor, person.dollars * draw.logBetween(4, 50)) * draw.between(1, 1.6), {
      counterparty: attacker.pickShop(),
    });
  }
};

/** A compromised counterparty: a manipulated terminal, additional charges, or card skimming. */
const compromisedCounterparty: Attack = (attacker) => {
  const { draw, tools, town, world } = attacker;
  const shop = draw.pick(town.counterparties);
  const days = draw.logBetween(1, 30);
  const method =
    town.counterparties.length < 20 ? 'charges' : draw.pick(['terminal', 'terminal', 'charges', 'skimming']);
  if (method === 'terminal') {
    shop.compromisedUntil = attacker.startsAt + days * DAY_MS;
    shop.compromisedShare = draw.between(0.6, 1);
    return;
  }
  const pace = attacker.makePace(3000, 4 * HOUR_MS);
  const dollars = world.dollars * draw.logBetween(0.2, 4);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(4, 80); i > 0; i--) {
    const person = attacker.pickVictim();
    if (method === 'charges') {
      attacker.pay(at, person, sessionOf(attacker, person, at), dollars * draw.logBetween(0.6, 1.7), {
        counterparty: shop,
      });
    } else {
      // The earlier payment of the owner is legitimate.
      const visit = attacker.usualTimeOf(person, at);
      payUsual(attacker, person, sessionOf(attacker, person, visit), visit);
      const later = visit + randomHours(draw, 200);
      attacker.pay(later, person, tools.startSession(person), attacker.stolenDollars(person), {
        counterparty: attacker.pickShop(),
      });
    }
    at += pace();
  }
};

/** A fake seller whose customers are stolen cards. */
const fakeCounterparty: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const shop = attacker.newPayee();
  const pace = attacker.makePace(5000, 10 * HOUR_MS);
  const round = attacker.isRound();
  let session = tools.startSession();
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(4, 120); i > 0; i--) {
    const person = draw.chance(0.6) ? attacker.newAccount() : attacker.pickVictim();
    session = draw.chance(0.5) ? tools.startSession(person) : tools.continueSession(session, person);
    attacker.pay(at, person, session, attacker.stolenDollars(person), {
      card: attacker.newCard(),
      counterparty: shop,
      round,
    });
    at += pace();
  }
};

/** Pays normally for weeks, then makes large payments at once and disappears. The normal payments are legitimate. */
const bustOut: Attack = (attacker) => {
  const { draw } = attacker;
  const person = attacker.newAccount();
  const days = draw.logBetween(3, 40);
  const session = sessionOf(attacker, person, attacker.startsAt);
  attacker.output.event(attacker.startsAt, person, session, 'signup');
  for (let i = Math.round(days * draw.between(0.2, 1.2)); i >= 0; i--) {
    const at = attacker.startsAt + draw.between(0.01, 1) * days * DAY_MS;
    payUsual(attacker, person, sessionOf(attacker, person, at), at);
  }
  let at = attacker.startsAt + days * DAY_MS;
  const pace = attacker.makePace(2 * MINUTE_MS, 12 * HOUR_MS);
  for (let i = attacker.drawCount(3, 25); i > 0; i--) {
    attacker.pay(at, person, sessionOf(attacker, person, at), person.dollars * draw.logBetween(2.5, 20), {
      counterparty: attacker.pickShop(),
    });
    at += pace();
  }
};

/** Orders that one person will dispute, from several accounts that share a card, a device or an address. */
const firstPartyAbuse: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const accounts = Array.from({ length: draw.whole(2, 8) }, attacker.newAccount);
  const first = accounts[0] as (typeof accounts)[number];
  const card = first.cards[0] ?? attacker.newCard();
  const session = tools.startSession(first);
  const [sameCard, sameDevice] = [draw.chance(0.6), draw.chance(0.7)];
  const pace = attacker.makePace(20 * MINUTE_MS, 3 * 24 * HOUR_MS);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(4, 20); i > 0; i--) {
    const person = draw.pick(accounts);
    attacker.pay(at, person, sameDevice ? session : tools.startSession(person), attacker.stolenDollars(person), {
      card: sameCard ? card : (person.cards[0] ?? card),
      billing: first.billing,
      counterparty: attacker.pickShop(),
    });
    at += pace();
  }
};

/** Repeated amounts just below a review threshold. */
const structuring: Attack = (attacker) => {
  const { draw } = attacker;
  const person = draw.chance(0.6) ? attacker.newAccount() : attacker.pickVictim();
  const threshold = attacker.world.dollars * draw.logBetween(6, 40);
  const payees = Array.from({ length: draw.whole(1, 6) }, () =>
    draw.chance(0.6) ? attacker.newPayee() : attacker.pickShop(),
  );
  const pace = attacker.makePace(10 * MINUTE_MS, 20 * HOUR_MS);
  const session = draw.chance(0.5)
    ? sessionOf(attacker, person, attacker.startsAt)
    : attacker.tools.startSession(person);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(4, 30); i > 0; i--) {
    attacker.pay(at, person, session, threshold * draw.between(0.88, 0.995), {
      counterparty: draw.pick(payees),
      round: attacker.isRound(),
    });
    at += pace();
  }
};

export const PAYMENT_ATTACKS = {
  card_testing: { run: cardTesting, needs: [], reason: 'card_testing' },
  distributed_slow: { run: distributedSlow, needs: [], reason: 'card_testing' },
  stolen_card_new_account: { run: stolenCardNewAccount, needs: [], reason: 'stolen_card' },
  stolen_card_number: { run: stolenCardNumber, needs: [], reason: 'stolen_card' },
  oversized_payments: { run: oversizedPayments, needs: [], reason: 'stolen_card' },
  compromised_counterparty: { run: compromisedCounterparty, needs: [], reason: 'stolen_card' },
  fake_counterparty: { run: fakeCounterparty, needs: [], reason: 'stolen_card', payees: true },
  gift_card_draining: { run: giftCardDraining, needs: [], reason: 'stolen_card' },
  bust_out: { run: bustOut, needs: [], reason: 'first_party' },
  first_party_abuse: { run: firstPartyAbuse, needs: [], reason: 'first_party' },
  many_cards: { run: manyCards, needs: [], reason: 'stolen_card' },
  structuring: { run: structuring, needs: [], reason: 'mule', payees: true },
} as const;
