import type { EventType } from '@portcullis/contract';
import { HOUR_MS, MINUTE_MS, sessionOf } from './actions.ts';
import { type Attack, type Attacker, randomHours } from './attacker.ts';
import { makeAddress } from './names.ts';
import { DAY_MS, type Session } from './output.ts';
import type { Card, Person } from './people.ts';

/**
 * Attacks with every property drawn by itself: accounts, cards, devices, payees, addresses, steps, amounts and pace. They show what
 * becomes of attacks that nobody has named yet. They occur only where they are requested by name.
 */

/** New accounts, accounts of customers, or accounts opened weeks before. */
type Accounts = 'new' | 'stolen' | 'prepared';

const STEPS_OF: Readonly<Record<Accounts, readonly EventType[]>> = {
  new: ['login', 'payment_method_added', 'address_change', 'phone_change', 'email_change'],
  prepared: ['login', 'payment_method_added', 'password_change', 'address_change'],
  stolen: [
    'login',
    'password_reset',
    'password_change',
    'email_change',
    'phone_change',
    'mfa_change',
    'address_change',
    'payment_method_added',
  ],
};

/** What the attacker does with each account. */
const drawPlan = ({ draw }: Attacker, accounts: Accounts) => ({
  failures: accounts === 'stolen' && draw.chance(0.3) ? draw.whole(1, 12) : 0,
  steps: Array.from({ length: draw.weighted([0, 1, 2, 3], [2, 3, 2, 1]) }, () => draw.pick(STEPS_OF[accounts])),
  waits: draw.chance(0.5),
  logsInAgain: draw.chance(0.3),
  payouts: draw.chance(0.15) ? draw.whole(1, 4) : 0,
});

/** One for all accounts, one of a few, one per account, or one per use. */
const makeChoice = <T>({ draw }: Attacker, make: () => T): ((account: Person) => T) => {
  const style = draw.weighted(['one', 'few', 'account', 'use'] as const, [3, 2, 3, 1]);
  if (style === 'use') return make;
  if (style === 'account') {
    const made = new Map<Person, T>();
    return (account) => {
      const value = made.get(account) ?? make();
      made.set(account, value);
      return value;
    };
  }
  const list = Array.from({ length: style === 'one' ? 1 : draw.whole(2, 6) }, make);
  return () => draw.pick(list);
};

/** The amount of each payment of an account, by its number. Few attacks pay usual amounts and nothing else. */
const makeAmounts = (attacker: Attacker): ((person: Person, number: number) => number) => {
  const { draw, world } = attacker;
  const style = draw.weighted(
    ['same', 'usual', 'tiny', 'rising', 'falling', 'large', 'stolen'] as const,
    [3, 2, 1, 1, 1, 2, 4],
  );
  const fixed = world.dollars * draw.logBetween(0.1, 8);
  const step = draw.between(1.05, 1.6);
  const [lowest, highest] = [draw.logBetween(0.05, 1), draw.logBetween(2, 10)];
  if (style === 'same') return () => fixed;
  if (style === 'usual') return (person) => draw.logNormal(person.dollars, person.spread);
  if (style === 'tiny') return () => draw.logBetween(0.2, 5);
  if (style === 'rising') return (person, number) => person.dollars * Math.min(60, lowest * step ** number);
  if (style === 'falling') return (person, number) => person.dollars * Math.max(0.1, highest / step ** number);
  if (style === 'large') return (person) => Math.max(person.dollars, world.dollars) * draw.logBetween(2, 20);
  return (person) => attacker.stolenDollars(person);
};

/** Makes the payments of the attack: one call pays once. */
const makePayments = (attacker: Attacker, isStolen: boolean) => {
  const { draw, world } = attacker;
  const usesOwnCard = draw.chance(isStolen ? 0.7 : 0.35);
  const cardOf = makeChoice(attacker, attacker.pickStolenCard);
  const hasPayee = draw.chance(0.3);
  const payeeOf = makeChoice(attacker, () =>
    hasPayee ? (attacker.payee ?? attacker.newPayee()) : attacker.pickShop(),
  );
  const newAddress = () => makeAddress(draw, draw.pick(world.countries).code);
  const addressFor = draw.chance(0.5) ? makeChoice(attacker, newAddress) : undefined;
  const amountOf = makeAmounts(attacker);
  return (at: number, person: Person, session: Session, number: number): void => {
    const shipping = addressFor?.(person);
    attacker.pay(at, person, session, amountOf(person, number), {
      card: usesOwnCard ? (person.cards[0] as Card) : cardOf(person),
      counterparty: payeeOf(person),
      ...(shipping === undefined ? {} : { shipping }),
    });
  };
};

const attackWith = (attacker: Attacker, accounts: Accounts): void => {
  const { draw, tools, limit } = attacker;
  const isStolen = accounts === 'stolen';
  const { failures, steps, waits, logsInAgain, payouts } = drawPlan(attacker, accounts);
  // One attack must not be most of the fraud of a small world.
  const eventsEach = failures + steps.length + payouts + 1;
  const wanted = draw.weighted([1, draw.whole(2, 5), draw.whole(6, 60)], [3, 3, 2]);
  const count = Math.max(1, Math.min(wanted, Math.floor(limit / eventsEach)));
  const people = Array.from({ length: count }, () => (isStolen ? attacker.pickVictim() : attacker.newAccount()));
  const pays = payouts === 0 || draw.chance(0.4);
  const paymentsEach = pays ? Math.max(1, Math.round(attacker.drawCount(Math.max(3, count), 12 * count) / count)) : 0;
  const pay = makePayments(attacker, isStolen);
  const sharedSession = count > 1 && draw.chance(0.3) ? tools.startSession() : undefined;
  const usesOwners = isStolen && sharedSession === undefined && draw.chance(0.15);
  const pace = attacker.makePace(1500, draw.logBetween(MINUTE_MS, 20 * HOUR_MS));
  const gap = attacker.makePace(2000, draw.logBetween(10 * MINUTE_MS, 3 * DAY_MS));
  let start = attacker.startsAt;
  for (const person of people) {
    let at = start;
    let session: Session = sharedSession ?? (usesOwners ? sessionOf(attacker, person, at) : tools.startSession(person));
    const next = (): Session => (usesOwners ? session : tools.continueSession(session, person));
    if (!isStolen) {
      attacker.event(at, person, session, 'signup');
      at += accounts === 'prepared' ? randomHours(draw, 24 * 30) : draw.logBetween(5000, 5 * HOUR_MS);
    }
    for (let i = failures; i > 0; i--) {
      attacker.event(at, person, session, 'login', 'failed');
      at += draw.logBetween(1000, 10 * MINUTE_MS);
    }
    for (const type of steps) {
      attacker.event(at, person, session, type);
      at += draw.logBetween(4000, 30 * MINUTE_MS);
    }
    if (isStolen && steps.includes('email_change')) session = { ...session, email: attacker.ownEmail() };
    if (waits) at += attacker.wait();
    if (logsInAgain) attacker.event(at - 20_000, person, session, 'login');
    if (isStolen) attacker.leave(person, at);
    for (let i = payouts; i > 0; i--) {
      attacker.event(at, person, next(), 'payout_request');
      at += pace();
    }
    for (let number = 0; number < paymentsEach; number++) {
      pay(at, person, next(), number);
      at += pace();
    }
    start += gap();
  }
};

const composedTakeover: Attack = (attacker) => attackWith(attacker, 'stolen');

const composedFraud: Attack = (attacker) => {
  const { draw } = attacker;
  if (draw.chance(0.4)) attacker.setReason('other');
  attackWith(attacker, draw.chance(0.8) ? 'new' : 'prepared');
};

export const COMPOSED_ATTACKS = {
  composed_takeover: { run: composedTakeover, needs: [], reason: 'takeover' },
  composed_fraud: { run: composedFraud, needs: [], reason: 'stolen_card' },
} as const;
