import { HOUR_MS, MINUTE_MS, sessionOf, timeOf } from './actions.ts';
import type { Attack } from './attacker.ts';
import { makeAddress } from './names.ts';
import { DAY_MS, type Session } from './output.ts';
import type { Person } from './people.ts';

/** Attacks that occur in judging worlds only, unless they are requested by name. No model was trained on them. */

/** A fake shop sells to honest buyers and orders here for them: stolen cards, ordinary orders, many addresses. */
const triangulation: Attack = (attacker) => {
  const { draw, tools } = attacker;
  const accounts: Person[] = Array.from({ length: draw.whole(1, 4) }, attacker.newAccount);
  let at = attacker.startsAt;
  const pace = attacker.makePace(30 * MINUTE_MS, 15 * HOUR_MS);
  for (let i = attacker.drawCount(5, 60); i > 0; i--) {
    const person = draw.pick(accounts);
    attacker.pay(at, person, tools.startSession(person), person.dollars * draw.logBetween(0.7, 2.5), {
      card: attacker.pickStolenCard(),
      shipping: makeAddress(draw, person.country.code),
      counterparty: attacker.pickShop(),
    });
    at += pace();
  }
};

/** An employee or agent acts on the accounts of customers, from a workplace, in working hours. */
const agentFraud: Attack = (attacker) => {
  const { draw, world } = attacker;
  const office = attacker.tools.startSession();
  const payee = attacker.payee ?? attacker.newPayee();
  let day = attacker.day;
  for (let i = attacker.drawCount(4, 40); i > 0; i--) {
    const person = attacker.pickVictim();
    const hour = 9 + draw.random() * 8 - person.country.offsetHours;
    const at = world.start + day * DAY_MS + (((hour % 24) + 24) % 24) * HOUR_MS;
    if (draw.chance(0.2))
      attacker.event(
        at - MINUTE_MS,
        person,
        office,
        draw.pick(['address_change', 'phone_change', 'email_change', 'other']),
      );
    if (world.events.has('payout_request') && draw.chance(0.4)) attacker.event(at, person, office, 'payout_request');
    else attacker.pay(at, person, office, person.dollars * draw.logBetween(0.8, 6), { counterparty: payee });
    attacker.leave(person, at);
    day += draw.poisson(0.8);
  }
};

/** A caller persuades the victim to share the screen: own device and line, a login, then rising sums to a stranger. */
const remoteAccess: Attack = (attacker) => {
  const { draw } = attacker;
  const person = attacker.pickVictim();
  let at = timeOf(attacker, person, attacker.day);
  const session: Session = sessionOf(attacker, person, at);
  const payee = attacker.payee ?? attacker.newPayee();
  attacker.event(at, person, session, 'login');
  if (draw.chance(0.4)) attacker.event(at + MINUTE_MS, person, session, 'mfa_change');
  let factor = draw.logBetween(1, 4);
  for (let i = draw.whole(2, 6); i > 0; i--) {
    at += draw.logBetween(2 * MINUTE_MS, HOUR_MS);
    attacker.pay(at, person, session, person.dollars * factor, { counterparty: payee, round: attacker.isRound() });
    factor *= draw.between(1.2, 2.5);
  }
  attacker.leave(person, at);
};

/** Customers recruited as mules: years of ordinary life, then one busy week of sums to strangers. */
const recruitedMules: Attack = (attacker) => {
  const { draw } = attacker;
  const payees = Array.from({ length: draw.whole(1, 3) }, attacker.newPayee);
  for (let n = draw.whole(2, 6); n > 0; n--) {
    const person = attacker.pickVictim();
    let at = attacker.startsAt + draw.random() * 3 * DAY_MS;
    for (let i = draw.whole(2, 6); i > 0; i--) {
      attacker.pay(at, person, sessionOf(attacker, person, at), person.dollars * draw.logBetween(2, 12), {
        counterparty: draw.pick(payees),
        round: attacker.isRound(),
      });
      at += draw.logBetween(1, 40) * HOUR_MS;
    }
  }
};

/** Card testing that looks like customers: a new account for each card, usual sums, a usual pace. */
const quietCardTesting: Attack = (attacker) => {
  const { draw, tools, world } = attacker;
  const shop = attacker.pickShop();
  const kit = tools.startSession();
  const pace = attacker.makePace(MINUTE_MS, 5 * HOUR_MS);
  let at = attacker.startsAt;
  for (let i = attacker.drawCount(6, 80); i > 0; i--) {
    const person = attacker.newAccount();
    const session = tools.continueSession(kit, person);
    if (draw.chance(0.5)) attacker.event(at - 40_000, person, session, 'signup');
    attacker.pay(at, person, session, world.dollars * draw.logBetween(0.15, 1), {
      card: attacker.newCard(),
      counterparty: shop,
      round: attacker.isRound(),
    });
    at += pace();
  }
};

/** A child, partner or flatmate pays from the shared home with a device of their own. */
const householdMisuse: Attack = (attacker) => {
  const { draw, world } = attacker;
  const person = attacker.pickVictim();
  const device = world.newDevice();
  let at = timeOf(attacker, person, attacker.day);
  for (let i = draw.whole(2, 8); i > 0; i--) {
    const session = { ...sessionOf(attacker, person, at), device };
    attacker.pay(at, person, session, person.dollars * draw.logBetween(0.5, 6), { counterparty: attacker.pickShop() });
    at += draw.logBetween(5 * MINUTE_MS, 30 * HOUR_MS);
  }
};

export const JUDGING_ATTACKS = {
  triangulation: { run: triangulation, needs: [], reason: 'stolen_card' },
  agent_fraud: { run: agentFraud, needs: [], reason: 'other' },
  remote_access: { run: remoteAccess, needs: [], reason: 'takeover', payees: true },
  recruited_mules: { run: recruitedMules, needs: [], reason: 'mule', payees: true },
  quiet_card_testing: { run: quietCardTesting, needs: [], reason: 'card_testing' },
  household_misuse: { run: householdMisuse, needs: [], reason: 'other', weight: 0.4 },
} as const;
