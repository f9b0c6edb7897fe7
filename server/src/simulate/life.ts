import { HOUR_MS, logIn, MINUTE_MS, payUsual, type Scene, sessionOf, timeOf } from './acts.ts';
import { DAY_MS } from './journal.ts';
import { happen } from './moments.ts';
import type { Card, Person } from './people.ts';
import { roundOf } from './prices.ts';

const visit = (scene: Scene, person: Person, day: number, payments: number): void => {
  const { world, draw, journal } = scene;
  let at = timeOf(scene, person, day);
  const session = sessionOf(scene, person, at);
  if (draw.chance(payments > 0 ? world.loginBefore : 1)) at = logIn(scene, person, session, at);
  for (let i = 0; i < payments; i++) {
    payUsual(scene, person, session, at);
    at += draw.exponential(draw.chance(0.5) ? 40_000 : 600_000) + 2000;
  }
  if (world.logouts > 0 && draw.chance(world.logouts)) journal.event(at, person, session, 'logout');
};

/** Programs and people who pay all day: at a steady pace, for hours, often the same few amounts. */
const payAllDay = (scene: Scene, person: Person, day: number, payments: number): void => {
  const { draw, world } = scene;
  const hours = person.habit === 'machine' ? (draw.chance(0.5) ? 24 : draw.between(0.2, 8)) : draw.between(5, 11);
  const begin = hours === 24 ? world.start + day * DAY_MS : timeOf(scene, person, day);
  const gap = (hours * HOUR_MS) / payments;
  const regular = person.habit === 'machine' ? 0.05 : 0.8;
  let session = sessionOf(scene, person, begin);
  for (let i = 0; i < payments; i++) {
    const at = begin + (i + regular * draw.random()) * gap;
    if (draw.chance(0.1)) session = sessionOf(scene, person, at);
    payUsual(scene, person, session, at);
  }
};

const payBills = (scene: Scene, person: Person, day: number, date: number): void => {
  const { world, draw, journal } = scene;
  for (const { counterparty, dollars, dayOfMonth } of person.subscriptions) {
    if (dayOfMonth !== date) continue;
    const at = world.billingAtMidnight
      ? world.start + day * DAY_MS + draw.exponential(8 * MINUTE_MS)
      : timeOf(scene, person, day);
    const session = world.billsBare ? { device: undefined, ip: undefined } : sessionOf(scene, person, at);
    const amount = Math.max(1, Math.floor(roundOf(dollars, person.currency)));
    journal.pay(at, person, session, { amount, card: person.cards[0] as Card, counterparty });
  }
};

/** One day of one honest person. `factor` is what sort of day it is for everybody. */
export const liveDay = (scene: Scene, person: Person, day: number, date: number, factor: number): void => {
  const { world, draw, journal } = scene;
  if (person.subscriptions.length > 0) payBills(scene, person, day, date);
  if (day < person.quietUntil) return;
  if (person.trip !== undefined && day >= person.trip.until) person.trip = undefined;
  const payments = draw.poisson(person.rate * factor);
  if (payments > 0) person.lastDay = day;
  if (person.habit === 'machine' || (person.habit === 'rapid' && payments > 3)) {
    if (payments > 0) payAllDay(scene, person, day, payments);
  } else {
    for (let rest = payments; rest > 0; ) {
      const together = draw.chance(0.75) ? 1 : Math.min(rest, draw.whole(1, 4));
      visit(scene, person, day, together);
      rest -= together;
    }
    if (world.events.size > 0 && draw.chance(Math.min(0.8, person.rate * world.browsing))) visit(scene, person, day, 0);
    if (draw.chance(person.habit === 'seller' ? 0.1 : world.payouts)) {
      const at = timeOf(scene, person, day);
      journal.event(at, person, sessionOf(scene, person, at), 'payout_request');
    }
  }
  if (draw.chance(world.momentsADay)) happen(scene, person, day);
};
