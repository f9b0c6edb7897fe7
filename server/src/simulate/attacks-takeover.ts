import type { EventType } from '@portcullis/contract';
import { HOUR_MS, MINUTE_MS, sessionOf } from './actions.ts';
import type { Attack, Attacker } from './attacker.ts';
import { makeAddress } from './names.ts';
import { neighbourAddress } from './networks.ts';
import type { Session } from './output.ts';
import type { Card, Counterparty, Person } from './people.ts';

/** Takeovers of accounts: how thieves enter, what they do first, how long they wait, and what they steal. */

/** Steals from a taken-over account by payments, payouts or both. Returns the time after the last action. */
export const drainAccount = (attacker: Attacker, person: Person, session: Session, from: number, max = 6): number => {
  const { draw } = attacker;
  const pace = attacker.makePace(20_000, 8 * HOUR_MS);
  let at = from;
  attacker.setReason('takeover');
  attacker.leave(person, at);
  if (attacker.world.events.has('payout_request') && draw.chance(0.3)) {
    for (let i = draw.whole(1, 3); i > 0; i--) {
      attacker.event(at, person, attacker.tools.continueSession(session, person), 'payout_request');
      at += pace();
    }
    if (draw.chance(0.6)) return at;
  }
  const card = draw.chance(0.7) ? (person.cards[0] as Card) : attacker.newCard();
  if (card !== person.cards[0]) {
    attacker.event(at, person, session, 'payment_method_added');
    at += draw.between(5000, 120_000);
  }
  const shipping = attacker.dropFor(person);
  const shop = attacker.payee ?? (draw.chance(0.5) ? attacker.pickShop() : undefined);
  const round = attacker.isRound();
  for (let i = draw.whole(1, max); i > 0; i--) {
    attacker.pay(at, person, attacker.tools.continueSession(session, person), attacker.stolenDollars(person), {
      round,
      card,
      ...(shop === undefined ? {} : { counterparty: shop }),
      ...(shipping === undefined ? {} : { shipping }),
    });
    at += pace();
  }
  return at;
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

export const changeAll = (
  attacker: Attacker,
  person: Person,
  session: Session,
  from: number,
  types: readonly EventType[] = attacker.draw.pick(CHANGES),
): { at: number; session: Session } => {
  let at = from;
  for (const type of types) {
    attacker.event(at, person, session, type);
    at += attacker.draw.logBetween(5000, 20 * MINUTE_MS);
  }
  // The owner's own address stays in the caller's records; later items of the thief carry the changed one.
  return { at, session: types.includes('email_change') ? { ...session, email: attacker.ownEmail() } : session };
};

export const startWith = (attacker: Attacker, person: Person): number => {
  if (attacker.draw.chance(0.3)) return attacker.timeAfterOwner(person);
  return attacker.draw.chance(0.4) ? attacker.usualTimeOf(person, attacker.startsAt) : attacker.startsAt;
};

const FIRST_ACTS = ['nothing', 'login', 'failed', 'failed-login', 'visits', 'small', 'ordinary', 'changes'] as const;
const FIRST_ACT_WEIGHTS = [2, 3, 1, 2, 1, 1, 1, 3];

/** What a thief does before stealing: nothing, look, try passwords, buy something ordinary, or change the account. */
const act = (attacker: Attacker, person: Person, session: Session, from: number): { at: number; session: Session } => {
  const { draw } = attacker;
  const first = draw.weighted(FIRST_ACTS, FIRST_ACT_WEIGHTS);
  let at = from;
  const failed = first === 'failed' || first === 'failed-login' || (first === 'changes' && draw.chance(0.3));
  for (let i = failed ? draw.whole(1, 4) : 0; i > 0; i--) {
    attacker.event(at, person, session, 'login', 'failed');
    at += draw.between(2000, 90_000);
  }
  if (first === 'nothing' || first === 'failed') return { at, session };
  attacker.event(at, person, session, 'login');
  at += draw.between(10_000, 600_000);
  for (let i = first === 'visits' ? draw.whole(1, 4) : 0; i > 0; i--) {
    at += draw.logBetween(1, 48) * HOUR_MS;
    attacker.event(at, person, attacker.tools.continueSession(session, person), 'login');
  }
  if (first === 'small' || first === 'ordinary') {
    const factor = first === 'small' ? draw.logBetween(0.03, 0.3) : draw.logBetween(0.6, 1.5);
    attacker.pay(at, person, session, person.dollars * factor, { counterparty: attacker.pickShop() });
    return { at: at + draw.between(10_000, 900_000), session };
  }
  return first === 'changes' ? changeAll(attacker, person, session, at) : { at, session };
};

const takeOver = (attacker: Attacker, person: Person, from: number, max: number): number => {
  const acted = act(attacker, person, attacker.tools.startSession(person), from);
  const at = acted.at + attacker.wait();
  if (attacker.draw.chance(0.4)) attacker.event(at - 30_000, person, acted.session, 'login');
  return drainAccount(attacker, person, acted.session, at, max);
};

const accountTakeover: Attack = (attacker) => {
  const person = attacker.pickVictim();
  takeOver(attacker, person, startWith(attacker, person), attacker.draw.chance(0.15) ? 25 : 8);
};

/** One thief, account after account, with the same device, address for the goods, mailbox or payee. */
const serialTakeover: Attack = (attacker) => {
  const { draw } = attacker;
  const gapHours = draw.logBetween(0.2, 72);
  let at = attacker.startsAt;
  for (let i = draw.whole(2, Math.max(3, Math.min(12, attacker.limit >> 1))); i > 0; i--) {
    takeOver(attacker, attacker.pickVictim(), at, 4);
    at += draw.exponential(gapHours * HOUR_MS);
  }
};

/** Malware: the victim's own device, on the victim's own line or one nearby. */
const ownDeviceTakeover: Attack = (attacker) => {
  const { draw } = attacker;
  const person = attacker.pickVictim();
  let at = startWith(attacker, person);
  const own = sessionOf(attacker, person, at);
  const ip = draw.chance(0.5) ? own.ip : neighbourAddress(draw, person.home);
  const session: Session = { ...own, device: person.devices[0], ip: ip ?? own.ip };
  if (draw.chance(0.3)) attacker.event(at, person, session, 'login');
  at += draw.between(10_000, 600_000);
  // The goods or the money must go to somebody new.
  const shipping = attacker.dropFor(person) ?? makeAddress(draw, person.country.code);
  const payee: Counterparty = attacker.payee ?? attacker.newPayee();
  const pace = attacker.makePace(30_000, 6 * HOUR_MS);
  attacker.leave(person, at);
  for (let i = draw.whole(1, 5); i > 0; i--) {
    attacker.pay(at, person, session, person.dollars * draw.logBetween(1.5, 20), {
      counterparty: payee,
      round: attacker.isRound(),
      shipping,
    });
    at += pace();
  }
};

export const TAKEOVER_ATTACKS = {
  account_takeover: { run: accountTakeover, needs: [], reason: 'takeover' },
  serial_takeover: { run: serialTakeover, needs: [], reason: 'takeover' },
  own_device_takeover: { run: ownDeviceTakeover, needs: [], reason: 'takeover' },
} as const;
