import type { EventType } from '@portcullis/contract';
import { HOUR_MS, MINUTE_MS, payUsual, sessionOf } from './acts.ts';
import { type Attack, someHours } from './crime.ts';
import { DAY_MS } from './journal.ts';
import { makeAddress } from './names.ts';
import { addressIn, HOSTING } from './networks.ts';

/** Attacks on payments: stolen cards, bad counterparties, and accounts opened to be overdrawn. */

/** Many card numbers tried with small sums, to learn which still work. */
const cardTesting: Attack = (crime) => {
  const { draw, tools } = crime;
  const pace = crime.pace(400, 40 * MINUTE_MS);
  const accounts = Array.from({ length: draw.weighted([1, draw.whole(2, 8), draw.whole(10, 80)], [3, 2, 2]) }, () =>
    draw.chance(0.7) ? crime.account() : crime.victim(),
  );
  const shop = crime.shop();
  const oneShop = draw.chance(0.7);
  const dollars = draw.chance(0.75) ? draw.logBetween(0.2, 6) : crime.world.dollars * draw.between(0.05, 0.5);
  const same = draw.chance(0.4);
  const working = draw.chance(0.5) ? draw.logBetween(0.01, 0.2) : 0;
  const sessions = new Map(accounts.map((person) => [person, tools.begin(person)]));
  let at = crime.from;
  for (let i = crime.size(8, 600); i > 0; i--) {
    const person = draw.pick(accounts);
    const session = tools.go(sessions.get(person) ?? tools.begin(person), person);
    const counterparty = oneShop ? shop : crime.shop();
    const sum = same ? dollars : dollars * draw.logBetween(0.5, 2);
    if (draw.chance(0.15)) {
      crime.event(at, person, session, 'payment_method_added');
      at += draw.between(1000, 20_000);
    }
    const card = crime.stolenCard();
    crime.pay(at, person, session, sum, { card, counterparty });
    if (draw.chance(working)) {
      // What works is used up, here or on another account.
      const user = draw.chance(0.5) ? person : crime.account();
      let later = at + someHours(draw, 100);
      for (let uses = draw.whole(1, 4); uses > 0; uses--) {
        crime.pay(later, user, user === person ? session : tools.begin(user), crime.loot(user), {
          card,
          counterparty: crime.shop(),
        });
        later += draw.logBetween(20_000, 5 * HOUR_MS);
      }
    }
    at += pace();
  }
};

/** A few tries a day, each from another address of a hosting company: what counts by address never sees it. */
const distributedSlow: Attack = (crime) => {
  const { draw, world } = crime;
  const prefixes = draw.pick(HOSTING);
  const pace = crime.pace(10 * MINUTE_MS, 8 * HOUR_MS);
  const isLogin = world.events.has('login') && draw.chance(0.5);
  const dollars = draw.logBetween(0.5, 4) + world.dollars * draw.between(0, 0.6);
  const device = draw.chance(0.3) ? world.newDevice() : undefined;
  let at = crime.from;
  for (let i = crime.size(8, 150); i > 0; i--) {
    const session = { ip: addressIn(draw, draw.pick(prefixes)), device: device ?? world.newDevice() };
    if (isLogin) crime.event(at, crime.victim(), session, 'login', draw.chance(0.95) ? 'failed' : 'succeeded');
    else
      crime.pay(at, draw.chance(0.8) ? crime.account() : crime.victim(), session, dollars * draw.logBetween(0.6, 1.6), {
        card: crime.card(),
      });
    at += pace();
  }
};

const stolenCardNewAccount: Attack = (crime) => {
  const { draw, tools } = crime;
  const person = crime.account();
  const session = tools.begin(person);
  let at = crime.from;
  crime.event(at, person, session, 'signup');
  at += draw.logBetween(30_000, 20 * HOUR_MS);
  const cards = Array.from({ length: draw.weighted([1, 2, 5], [5, 3, 1]) }, crime.stolenCard);
  if (draw.chance(0.6)) crime.event(at, person, session, 'payment_method_added');
  const pace = crime.pace(15_000, 10 * HOUR_MS);
  // Goods go where the thief wants, whoever's card it is.
  const billing = draw.chance(0.5) ? makeAddress(draw, draw.pick(crime.world.countries).code) : person.billing;
  const shop = draw.chance(0.4) ? crime.shop() : undefined;
  for (let i = draw.whole(1, 7); i > 0; i--) {
    at += pace();
    crime.pay(at, person, tools.go(session, person), crime.loot(person), {
      card: draw.pick(cards),
      billing,
      shipping: person.billing,
      ...(shop === undefined ? {} : { counterparty: shop }),
    });
  }
};

/** The number of a card is known to somebody else, who pays with it for days beside its owner. */
const stolenCardNumber: Attack = (crime) => {
  const { draw, tools } = crime;
  const person = crime.victim();
  const days = draw.logBetween(0.5, 21);
  const payments = Math.min(crime.size(2, 40), Math.max(2, Math.round(days * draw.logBetween(0.5, 6))));
  const factor = draw.logBetween(1.5, 8);
  const usual = draw.chance(0.4);
  const session = tools.begin(person);
  for (let i = 0; i < payments; i++) {
    const at = crime.from + draw.random() * days * DAY_MS;
    const time = draw.chance(0.5) ? Math.max(crime.from, crime.usualTime(person, at)) : at;
    const counterparty = usual ? draw.pickEarly(person.favourites) : crime.shop();
    const dollars = draw.logNormal(person.dollars * counterparty.category.factor, person.spread) * factor;
    crime.pay(time, person, tools.go(session, person), dollars, { counterparty });
  }
};

/** Single payments far above what the user ever paid. */
const oversizedPayments: Attack = (crime) => {
  const { draw, tools } = crime;
  const floor = crime.world.dollars * draw.logBetween(3, 15);
  for (let i = crime.size(1, 6); i > 0; i--) {
    const person = crime.victim();
    const at = draw.chance(0.7) ? crime.usualTime(person, crime.from) : crime.from;
    const session = draw.chance(0.5) ? sessionOf(crime, person, at) : tools.begin(person);
    crime.pay(at, person, session, Math.max(floor, person.dollars * draw.logBetween(4, 50)) * draw.between(1, 1.6), {
      counterparty: crime.shop(),
    });
  }
};

/** Whoever pays there is robbed: the terminal is in the thieves' hands, or charges visitors again, or sells their cards. */
const compromisedCounterparty: Attack = (crime) => {
  const { draw, tools, town, world } = crime;
  const shop = draw.pick(town.counterparties);
  const days = draw.logBetween(1, 30);
  const way = town.counterparties.length < 20 ? 'charges' : draw.pick(['terminal', 'terminal', 'charges', 'skimming']);
  if (way === 'terminal') {
    shop.badUntil = crime.from + days * DAY_MS;
    shop.badShare = draw.between(0.6, 1);
    return;
  }
  const pace = crime.pace(3000, 4 * HOUR_MS);
  const dollars = world.dollars * draw.logBetween(0.2, 4);
  let at = crime.from;
  for (let i = crime.size(4, 80); i > 0; i--) {
    const person = crime.victim();
    if (way === 'charges') {
      crime.pay(at, person, sessionOf(crime, person, at), dollars * draw.logBetween(0.6, 1.7), { counterparty: shop });
    } else {
      // The owner was there first, and that was honest.
      const visit = crime.usualTime(person, at);
      payUsual(crime, person, sessionOf(crime, person, visit), visit);
      const later = visit + someHours(draw, 200);
      crime.pay(later, person, tools.begin(person), crime.loot(person), { counterparty: crime.shop() });
    }
    at += pace();
  }
};

/** A seller that is not there, and stolen cards that buy from it. */
const fakeCounterparty: Attack = (crime) => {
  const { draw, tools, town } = crime;
  const shop = town.newCounterparty();
  const pace = crime.pace(5000, 10 * HOUR_MS);
  const round = draw.chance(0.3);
  let session = tools.begin();
  let at = crime.from;
  for (let i = crime.size(4, 120); i > 0; i--) {
    const person = draw.chance(0.6) ? crime.account() : crime.victim();
    session = draw.chance(0.5) ? tools.begin(person) : tools.go(session, person);
    crime.pay(at, person, session, crime.loot(person), { card: crime.card(), counterparty: shop, round });
    at += pace();
  }
};

const giftCardDraining: Attack = (crime) => {
  const { draw, tools, world } = crime;
  const category = { name: 'gift_cards', factor: 1 };
  const person = draw.chance(0.6) ? crime.victim() : crime.account();
  const shop = draw.pick(crime.town.counterparties);
  const session = tools.begin(person);
  const pace = crime.pace(4000, 40 * MINUTE_MS);
  const dollars = draw.chance(0.7) ? draw.pick([25, 50, 100, 200, 500]) : world.dollars * draw.between(0.5, 3);
  let at = crime.from;
  crime.event(at, person, session, 'login');
  for (let i = crime.size(3, 25); i > 0; i--) {
    at += pace();
    crime.pay(at, person, tools.go(session, person), draw.chance(0.8) ? dollars : dollars / 2, {
      counterparty: shop,
      round: true,
      category,
    });
  }
};

/** Pays like anybody for weeks, then everything at once and never again. What was paid at first was paid. */
const bustOut: Attack = (crime) => {
  const { draw } = crime;
  const person = crime.account();
  const days = draw.logBetween(3, 40);
  const session = sessionOf(crime, person, crime.from);
  crime.journal.event(crime.from, person, session, 'signup');
  for (let i = Math.round(days * draw.between(0.2, 1.2)); i >= 0; i--) {
    const at = crime.from + draw.between(0.01, 1) * days * DAY_MS;
    payUsual(crime, person, sessionOf(crime, person, at), at);
  }
  let at = crime.from + days * DAY_MS;
  const pace = crime.pace(2 * MINUTE_MS, 12 * HOUR_MS);
  for (let i = crime.size(3, 25); i > 0; i--) {
    crime.pay(at, person, sessionOf(crime, person, at), person.dollars * draw.logBetween(2.5, 20), {
      counterparty: crime.shop(),
    });
    at += pace();
  }
};

/** Orders that will be disputed, by one person under several names: one card, device or address among them. */
const firstPartyAbuse: Attack = (crime) => {
  const { draw, tools } = crime;
  const accounts = Array.from({ length: draw.whole(2, 8) }, crime.account);
  const first = accounts[0] as (typeof accounts)[number];
  const card = first.cards[0] ?? crime.card();
  const session = tools.begin(first);
  const [sameCard, sameDevice] = [draw.chance(0.6), draw.chance(0.7)];
  const pace = crime.pace(20 * MINUTE_MS, 3 * 24 * HOUR_MS);
  let at = crime.from;
  for (let i = crime.size(4, 20); i > 0; i--) {
    const person = draw.pick(accounts);
    crime.pay(at, person, sameDevice ? session : tools.begin(person), crime.loot(person), {
      card: sameCard ? card : (person.cards[0] ?? card),
      billing: first.billing,
      counterparty: crime.shop(),
    });
    at += pace();
  }
};

/** One account, card after card, for goods that go to many addresses. */
const manyCards: Attack = (crime) => {
  const { draw, tools } = crime;
  const person = draw.chance(0.7) ? crime.account() : crime.victim();
  const session = tools.begin(person);
  const pace = crime.pace(MINUTE_MS, 30 * HOUR_MS);
  let at = crime.from;
  for (let i = crime.size(3, 40); i > 0; i--) {
    const card = crime.card();
    if (draw.chance(0.4)) crime.event(at, person, session, 'payment_method_added');
    at += draw.between(5000, 90_000);
    const shipping = makeAddress(draw, person.country.code);
    crime.pay(at, person, tools.go(session, person), crime.loot(person), {
      card,
      shipping,
      counterparty: crime.shop(),
    });
    at += pace();
  }
};

/** Sums kept just under one that would be looked at, again and again. */
const structuring: Attack = (crime) => {
  const { draw, town } = crime;
  const person = draw.chance(0.6) ? crime.account() : crime.victim();
  const threshold = crime.world.dollars * draw.logBetween(6, 40);
  const payees = Array.from({ length: draw.whole(1, 6) }, () =>
    draw.chance(0.6) ? town.newCounterparty() : crime.shop(),
  );
  const pace = crime.pace(10 * MINUTE_MS, 20 * HOUR_MS);
  const session = draw.chance(0.5) ? sessionOf(crime, person, crime.from) : crime.tools.begin(person);
  let at = crime.from;
  for (let i = crime.size(4, 30); i > 0; i--) {
    crime.pay(at, person, session, threshold * draw.between(0.88, 0.995), {
      counterparty: draw.pick(payees),
      round: draw.chance(0.5),
    });
    at += pace();
  }
};

export const PAYMENT_ATTACKS = {
  card_testing: { run: cardTesting, needs: [] },
  distributed_slow: { run: distributedSlow, needs: [] },
  stolen_card_new_account: { run: stolenCardNewAccount, needs: [] },
  stolen_card_number: { run: stolenCardNumber, needs: [] },
  oversized_payments: { run: oversizedPayments, needs: [] },
  compromised_counterparty: { run: compromisedCounterparty, needs: [] },
  fake_counterparty: { run: fakeCounterparty, needs: [] },
  gift_card_draining: { run: giftCardDraining, needs: [] },
  bust_out: { run: bustOut, needs: [] },
  first_party_abuse: { run: firstPartyAbuse, needs: [] },
  many_cards: { run: manyCards, needs: [] },
  structuring: { run: structuring, needs: [] },
} as const satisfies Record<string, { run: Attack; needs: readonly EventType[] }>;
