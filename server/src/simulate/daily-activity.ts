import { HOUR_MS, logIn, MINUTE_MS, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import { makeEmail } from './names.ts';
import { DAY_MS } from './output.ts';
import type { Card, Person } from './people.ts';
import { roundOf } from './prices.ts';
import { startTrip } from './unusual-actions.ts';
import { runUnusualEvent } from './unusual-events.ts';

/** Share of visits without a payment in which the customer changes a setting. */
const SETTINGS_SHARE = 0.03;
const SETTINGS = ['password_change', 'email_change', 'phone_change', 'address_change', 'mfa_change', 'other'] as const;

const visit = (simulation: Simulation, person: Person, day: number, payments: number): void => {
  const { world, draw, output } = simulation;
  let at = timeOf(simulation, person, day);
  const { kiosks } = simulation.town;
  const session =
    kiosks.length > 0 && draw.chance(world.kioskShare) ? draw.pick(kiosks) : sessionOf(simulation, person, at);
  if (draw.chance(payments > 0 ? world.loginBefore : 1)) at = logIn(simulation, person, session, at);
  for (let i = 0; i < payments; i++) {
    payUsual(simulation, person, session, at);
    at += draw.exponential(draw.chance(0.5) ? 40_000 : 600_000) + 2000;
  }
  if (payments === 0 && draw.chance(SETTINGS_SHARE)) {
    const type = draw.pick(SETTINGS);
    output.event(at, person, session, type);
    if (type === 'email_change') person.email = makeEmail(draw, world.mail);
  }
  if (world.logouts > 0 && draw.chance(world.logouts)) output.event(at, person, session, 'logout');
};

/** Payments of programs and of people who pay all day, at a steady pace. */
const payAllDay = (simulation: Simulation, person: Person, day: number, payments: number): void => {
  const { draw, world } = simulation;
  const hours = person.habit === 'machine' ? (draw.chance(0.5) ? 24 : draw.between(0.2, 8)) : draw.between(5, 11);
  const begin = hours === 24 ? world.start + day * DAY_MS : timeOf(simulation, person, day);
  const gap = (hours * HOUR_MS) / payments;
  const jitter = person.habit === 'machine' ? 0.05 : 0.8;
  let session = sessionOf(simulation, person, begin);
  for (let i = 0; i < payments; i++) {
    const at = begin + (i + jitter * draw.random()) * gap;
    if (draw.chance(0.1)) session = sessionOf(simulation, person, at);
    payUsual(simulation, person, session, at);
  }
};

const payBills = (simulation: Simulation, person: Person, day: number, date: number): void => {
  const { world, draw, output, today } = simulation;
  for (const { counterparty, dollars, dayOfMonth } of person.subscriptions) {
    if (dayOfMonth !== date) continue;
    const at = world.billingAtMidnight
      ? world.start + day * DAY_MS + draw.exponential(8 * MINUTE_MS)
      : timeOf(simulation, person, day);
    const session = world.billsWithoutSession
      ? { device: undefined, ip: undefined }
      : sessionOf(simulation, person, at);
    const amount = Math.max(1, Math.floor(roundOf(dollars * today.prices, person.currency)));
    output.pay(at, person, session, { amount, card: person.cards[0] as Card, counterparty });
  }
};

const SEEN_PER_PAYMENT = 6;
/** One day of one legitimate customer. `factor` is how busy this day of the week and month is for all customers. */
export const simulateDay = (
  simulation: Simulation,
  person: Person,
  day: number,
  date: number,
  factor: number,
): void => {
  const { world, draw, output, today } = simulation;
  if (person.subscriptions.length > 0) payBills(simulation, person, day, date);
  if (day < person.quietUntil) return;
  if (person.trip !== undefined && day >= person.trip.until) person.trip = undefined;
  const payments = draw.poisson(person.rate * factor * today.busyness);
  if (payments > 0) person.lastDay = day;
  if (person.habit === 'machine' || (person.habit === 'rapid' && payments > 3)) {
    if (payments > 0) payAllDay(simulation, person, day, payments);
  } else {
    for (let remaining = payments; remaining > 0; ) {
      const paymentsNow = draw.chance(0.75) ? 1 : Math.min(remaining, draw.whole(1, 4));
      visit(simulation, person, day, paymentsNow);
      remaining -= paymentsNow;
    }
    if (world.events.size > 0 && draw.chance(Math.min(0.8, person.rate * world.browsing)))
      visit(simulation, person, day, 0);
    if (draw.chance(person.habit === 'seller' ? 0.1 : world.payouts)) {
      const at = timeOf(simulation, person, day);
      output.event(at, person, sessionOf(simulation, person, at), 'payout_request');
    }
  }
  // Only what happens on a visit is seen: a customer of one visit a month shows few of these events.
  const u = draw.random();
  if (u < world.unusualEventsADay * Math.min(1, person.rate * SEEN_PER_PAYMENT))
    runUnusualEvent(simulation, person, day);
  else if (person.trip === undefined && u > 1 - world.travelShare) startTrip(simulation, person, day);
};
