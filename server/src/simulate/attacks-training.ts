import { HOUR_MS, MINUTE_MS, sessionOf } from './actions.ts';
import type { Attack } from './attacker.ts';
import { DAY_MS } from './output.ts';
import type { Card } from './people.ts';

/** Attacks that occur in training worlds only, unless they are requested by name. */

/** Empties an account or a card in minutes, payment after payment, before anybody notices. */
const spendingSpree: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const isStolen = draw.chance(0.65);
  const person = isStolen ? attacker.pickVictim() : attacker.newAccount();
  attacker.setReason(isStolen ? 'takeover' : 'stolen_card');
  let at = attacker.startsAt;
  // A program in the owner's browser, or the thief's own device.
  const session = isStolen && draw.chance(0.4) ? sessionOf(attacker, person, at) : tools.startSession(person);
  if (isStolen) attacker.leave(person, at);
  else {
    attacker.event(at, person, session, 'signup');
    at += draw.logBetween(20_000, 3 * HOUR_MS);
  }
  const card = isStolen ? (person.cards[0] as Card) : attacker.pickStolenCard();
  const shop = draw.chance(0.6) ? attacker.pickShop() : undefined;
  const pace = attacker.makePace(1500, 2 * MINUTE_MS);
  let dollars = person.dollars * draw.logBetween(0.2, 3);
  const isSameAmount = draw.chance(0.5);
  // Some thieves pay more each time, to find out how far the card goes.
  const growth = !isSameAmount && draw.chance(0.4) ? draw.between(1.03, 1.3) : 1;
  for (let i = attacker.drawCount(8, 90); i > 0; i--) {
    attacker.pay(at, person, session, isSameAmount ? dollars : dollars * draw.logBetween(0.5, 2), {
      card,
      ...(shop === undefined ? {} : { counterparty: shop }),
    });
    dollars = Math.min(dollars * growth, person.dollars * 100);
    at += pace();
  }
};

/** A stolen card is sold again: other thieves try it for weeks, although it was reported. */
const resoldCard: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const card = draw.chance(0.6) ? attacker.newCard() : (attacker.pickVictim().cards[0] as Card);
  let start = attacker.startsAt;
  for (let buyers = draw.whole(2, 5); buyers > 0; buyers--) {
    const person = draw.chance(0.8) ? attacker.newAccount() : attacker.pickVictim();
    const session = tools.startSession(person);
    let at = start;
    if (draw.chance(0.4)) attacker.event(at, person, session, 'payment_method_added');
    for (let i = draw.whole(1, 5); i > 0; i--) {
      at += draw.logBetween(20_000, 30 * HOUR_MS);
      const dollars = draw.chance(0.4) ? person.dollars * draw.logBetween(0.2, 1.5) : attacker.stolenDollars(person);
      attacker.pay(at, person, tools.continueSession(session, person), dollars, {
        card,
        counterparty: attacker.pickShop(),
      });
    }
    start += draw.logBetween(1, 20) * DAY_MS;
  }
};

/**
 * A program opens accounts one after another. It deletes its cookies each time, so that every account has a new device, but
 * it has few addresses.
 */
const accountFactory: Attack = (attacker) => {
  const { draw, tools, world } = attacker;
  const pace = attacker.makePace(1000, 10 * MINUTE_MS);
  const addresses = Array.from({ length: draw.chance(0.5) ? 1 : draw.whole(2, 30) }, () => tools.startSession().ip);
  const useShare = draw.chance(0.5) ? 0 : draw.between(0.05, 0.5);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(12, 300); i > 0; i--) {
    const person = attacker.newAccount();
    const session = { device: world.newDevice(), ip: draw.pick(addresses) };
    attacker.event(at, person, session, 'signup');
    if (draw.chance(useShare)) attacker.event(at + draw.between(2000, 100_000), person, session, 'login');
    at += pace();
  }
};

export const TRAINING_ONLY_ATTACKS = {
  spending_spree: { run: spendingSpree, needs: [], reason: 'takeover' },
  account_factory: { run: accountFactory, needs: ['signup'], reason: 'other' },
  resold_card: { run: resoldCard, needs: [], reason: 'stolen_card', weight: 1.5 },
} as const;
