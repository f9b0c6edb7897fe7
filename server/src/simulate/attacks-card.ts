import { HOUR_MS, MINUTE_MS } from './actions.ts';
import { type Attack, randomHours } from './attacker.ts';
import { makeAddress } from './names.ts';
import { addressIn, HOSTING } from './networks.ts';
import { DAY_MS } from './output.ts';

/** Attacks with stolen cards. */

/** Tries many card numbers with small amounts to find the valid ones. */
export const cardTesting: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const pace = attacker.makePace(400, 40 * MINUTE_MS);
  const accounts = Array.from({ length: draw.weighted([1, draw.whole(2, 8), draw.whole(10, 80)], [3, 2, 2]) }, () =>
    draw.chance(0.7) ? attacker.newAccount() : attacker.pickVictim(),
  );
  const shop = attacker.pickShop();
  const oneShop = draw.chance(0.7);
  const dollars = draw.chance(0.75) ? draw.logBetween(0.2, 6) : attacker.world.dollars * draw.between(0.05, 0.5);
  const isSameAmount = draw.chance(0.4);
  const validShare = draw.chance(0.5) ? draw.logBetween(0.01, 0.2) : 0;
  const sessions = new Map(accounts.map((person) => [person, tools.startSession(person)]));
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(8, 600); i > 0; i--) {
    const person = draw.pick(accounts);
    const session = tools.continueSession(sessions.get(person) ?? tools.startSession(person), person);
    const counterparty = oneShop ? shop : attacker.pickShop();
    const sum = isSameAmount ? dollars : dollars * draw.logBetween(0.5, 2);
    if (draw.chance(0.15)) {
      attacker.event(at, person, session, 'payment_method_added');
      at += draw.between(1000, 20_000);
    }
    const card = attacker.pickStolenCard();
    attacker.pay(at, person, session, sum, { card, counterparty });
    if (draw.chance(validShare)) {
      // A valid card is then used for larger payments, from this account or another.
      const user = draw.chance(0.5) ? person : attacker.newAccount();
      let later = at + randomHours(draw, 100);
      for (let uses = draw.whole(1, 4); uses > 0; uses--) {
        attacker.pay(later, user, user === person ? session : tools.startSession(user), attacker.stolenDollars(user), {
          card,
          counterparty: attacker.pickShop(),
        });
        later += draw.logBetween(20_000, 5 * HOUR_MS);
      }
    }
    at += pace();
  }
};

/** A few attempts a day, each from a different hosting address, so that counters by address stay low. */
export const distributedSlow: Attack = (attacker) => {
  const { draw, world } = attacker;
  const prefixes = draw.pick(HOSTING);
  const pace = attacker.makePace(10 * MINUTE_MS, 8 * HOUR_MS);
  const isLogin = world.events.has('login') && draw.chance(0.5);
  if (isLogin) attacker.setReason('takeover');
  const dollars = draw.logBetween(0.5, 4) + world.dollars * draw.between(0, 0.6);
  const device = draw.chance(0.3) ? world.newDevice() : undefined;
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(8, 150); i > 0; i--) {
    const session = { ip: addressIn(draw, draw.pick(prefixes)), device: device ?? world.newDevice() };
    if (isLogin)
      attacker.event(at, attacker.pickVictim(), session, 'login', draw.chance(0.95) ? 'failed' : 'succeeded');
    else
      attacker.pay(
        at,
        draw.chance(0.8) ? attacker.newAccount() : attacker.pickVictim(),
        session,
        dollars * draw.logBetween(0.6, 1.6),
        {
          card: attacker.newCard(),
        },
      );
    at += pace();
  }
};

/** New accounts pay with stolen cards, one account after the other, with the same tools. */
export const stolenCardNewAccount: Attack = (attacker) => {
  const { draw, tools } = attacker;
  let start = attacker.startsAt;
  const gapHours = draw.logBetween(0.3, 96);
  const cards = Array.from({ length: draw.weighted([1, 3, 6], [3, 3, 1]) }, attacker.pickStolenCard);
  for (let accounts = draw.weighted([1, 2, 5], [4, 3, 2]); accounts > 0; accounts--) {
    const person = attacker.newAccount();
    const session = tools.startSession(person);
    let at = start;
    attacker.event(at, person, session, 'signup');
    at += draw.logBetween(30_000, 20 * HOUR_MS);
    if (draw.chance(0.6)) attacker.event(at, person, session, 'payment_method_added');
    const pace = attacker.makePace(15_000, 10 * HOUR_MS);
    // Goods ship to the attacker, whatever the billing address of the card.
    const billing = draw.chance(0.5) ? makeAddress(draw, draw.pick(attacker.world.countries).code) : person.billing;
    const shop = draw.chance(0.4) ? attacker.pickShop() : undefined;
    for (let i = draw.whole(1, 6); i > 0; i--) {
      at += pace();
      attacker.pay(at, person, tools.continueSession(session, person), attacker.stolenDollars(person), {
        card: draw.pick(cards),
        billing,
        shipping: attacker.dropFor(person) ?? person.billing,
        ...(shop === undefined ? {} : { counterparty: shop }),
      });
    }
    start += draw.exponential(gapHours * HOUR_MS);
  }
};

/** Pays with a stolen card number for days while the owner keeps using the card. */
export const stolenCardNumber: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const person = attacker.pickVictim();
  const days = draw.logBetween(0.5, 21);
  const payments = Math.min(attacker.drawCount(2, 40), Math.max(2, Math.round(days * draw.logBetween(0.5, 6))));
  const factor = draw.logBetween(1.5, 8);
  const usual = draw.chance(0.4);
  const session = tools.startSession(person);
  attacker.leave(person, attacker.startsAt + days * DAY_MS);
  for (let i = 0; i < payments; i++) {
    const at = attacker.startsAt + draw.random() * days * DAY_MS;
    const time = draw.chance(0.5) ? Math.max(attacker.startsAt, attacker.usualTimeOf(person, at)) : at;
    const counterparty = usual ? draw.pickEarly(person.favourites) : attacker.pickShop();
    const dollars = draw.logNormal(person.dollars * counterparty.category.factor, person.spread) * factor;
    attacker.pay(time, person, tools.continueSession(session, person), dollars, { counterparty });
  }
};

export const giftCardDraining: Attack = (attacker) => {
  const { draw, tools, world } = attacker;
  const category = { name: 'gift_cards', factor: 1 };
  const isStolen = draw.chance(0.6);
  const person = isStolen ? attacker.pickVictim() : attacker.newAccount();
  if (isStolen) attacker.setReason('takeover');
  if (isStolen) attacker.leave(person, attacker.startsAt);
  const shop = draw.pick(attacker.town.counterparties);
  const session = tools.startSession(person);
  const pace = attacker.makePace(4000, 40 * MINUTE_MS);
  const dollars = draw.chance(0.7) ? draw.pick([25, 50, 100, 200, 500]) : world.dollars * draw.between(0.5, 3);
  let at = attacker.startsAt;
  attacker.event(at, person, session, 'login');
  for (let i = attacker.drawCount(3, 25); i > 0; i--) {
    at += pace();
    attacker.pay(at, person, tools.continueSession(session, person), draw.chance(0.8) ? dollars : dollars / 2, {
      counterparty: shop,
      round: draw.chance(0.6),
      category,
    });
  }
};

/** One account that uses many cards and ships to many addresses. */
export const manyCards: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const person = draw.chance(0.7) ? attacker.newAccount() : attacker.pickVictim();
  const session = tools.startSession(person);
  const pace = attacker.makePace(MINUTE_MS, 30 * HOUR_MS);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(3, 40); i > 0; i--) {
    const card = attacker.newCard();
    if (draw.chance(0.4)) attacker.event(at, person, session, 'payment_method_added');
    at += draw.between(5000, 90_000);
    const shipping = makeAddress(draw, person.country.code);
    attacker.pay(at, person, tools.continueSession(session, person), attacker.stolenDollars(person), {
      card,
      shipping,
      counterparty: attacker.pickShop(),
    });
    at += pace();
  }
};
