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
  const dollars = person.dollars * draw.logBetween(0.2, 3);
  const isSameAmount = draw.chance(0.5);
  for (let i = attacker.drawCount(8, 90); i > 0; i--) {
    attacker.pay(at, person, session, isSameAmount ? dollars : dollars * draw.logBetween(0.5, 2), {
      card,
      ...(shop === undefined ? {} : { counterparty: shop }),
    });
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

export const TRAINING_ONLY_ATTACKS = {
  spending_spree: { run: spendingSpree, needs: [], reason: 'takeover' },
  resold_card: { run: resoldCard, needs: [], reason: 'stolen_card', weight: 1.5 },
} as const;
