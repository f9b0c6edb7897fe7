import { HOUR_MS, logIn, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import type { SpecialDay } from './businesses.ts';
import { signUp } from './crowds.ts';
import { COUNTRIES, homeAccess, pooledAccess } from './networks.ts';
import { DAY_MS } from './output.ts';
import type { Person } from './people.ts';
import { recordEvents } from './unusual-actions.ts';

/**
 * Days on which a business looks unlike itself, for all customers at once. What looks like fraud for one customer is
 * ordinary on such a day. Each function returns the new customers.
 */
type RunDay = (simulation: Simulation, people: readonly Person[], day: number) => Person[];

/** A new version of the app gives every device a new identifier. */
const appUpdate: RunDay = ({ output, draw }, _, day) => {
  output.renewAll('device_token', day, draw.whole(0, 6));
  return [];
};

/** The business moves to another system: every customer has a new identifier, and looks new. */
const migration: RunDay = ({ output }, _, day) => {
  output.renewAll('user_id', day, 0);
  return [];
};

/** A new payment provider gives every card a new token. */
const tokenChange: RunDay = ({ output }, _, day) => {
  output.renewAll('payment_fingerprint', day, 0);
  return [];
};

/** A carrier renumbers its network: many homes have a new address. */
const carrierMove: RunDay = ({ draw, world }, people) => {
  const share = draw.between(0.1, 0.7);
  for (const person of people)
    if (person.habit !== 'machine' && draw.chance(share))
      person.home = homeAccess(draw, person.country, world.v6Share, world.homeChurn);
  return [];
};

const priceChange: RunDay = ({ today, draw }) => {
  today.prices *= draw.pick([draw.between(0.5, 0.9), draw.between(1.1, 2.5)]);
  return [];
};

/** Many customers travel at once, and stay for days. */
const holidayTravel: RunDay = ({ town, draw, world }, people, day) => {
  const share = draw.between(0.05, 0.35);
  for (const person of people) {
    if (person.trip !== undefined || !draw.chance(share)) continue;
    const country = draw.chance(0.6) ? draw.pick(COUNTRIES) : person.country;
    const access = draw.chance(0.5)
      ? pooledAccess(country.code, town.carrierOf(country))
      : homeAccess(draw, country, world.v6Share, 0.4);
    person.trip = { until: day + draw.whole(2, 16), access };
  }
  return [];
};

/** Presents for some days: larger sums, sent to other addresses. */
const giftSeason: RunDay = (simulation, _, day) => {
  const { today, draw, plan } = simulation;
  const factor = draw.between(3, 10);
  today.gifts *= factor;
  plan(day + draw.whole(3, 14), () => {
    today.gifts /= factor;
  });
  return [];
};

/** Everybody buys the same seats within the hour, on any device, with retries, and many sign up for it. */
const onSale: RunDay = (simulation, people, day) => {
  const { draw, world, output } = simulation;
  const begin = world.start + day * DAY_MS + draw.between(7, 20) * HOUR_MS;
  const lengthMs = draw.logBetween(0.1, 2) * HOUR_MS;
  const buyers = Math.ceil(people.length * draw.between(0.03, 0.15));
  for (let i = 0; i < buyers; i++) {
    const person = draw.pick(people);
    const at = begin + draw.exponential(lengthMs / 2);
    const session = sessionOf(simulation, person, at);
    const next = logIn(simulation, person, session, at);
    for (let orders = draw.weighted([0, 1, 2, 4], [2, 6, 2, 1]); orders > 0; orders--)
      payUsual(simulation, person, session, next + draw.exponential(lengthMs / 4), draw.weighted([1, 2, 4], [3, 4, 2]));
    // A second device in the queue, of the same account.
    if (draw.chance(0.2)) output.event(at, person, { ...session, device: world.newDevice() }, 'login');
  }
  return Array.from({ length: Math.round(buyers * draw.between(0.1, 0.6)) }, () =>
    signUp(simulation, day, { from: begin + draw.exponential(lengthMs / 2) }),
  );
};

/** News, a match, an epidemic or a disaster: most customers act, and strangers sign up from everywhere. */
const surge: RunDay = (simulation, people, day) => {
  const { draw, world, today, plan } = simulation;
  const factor = draw.logBetween(2, 8);
  today.busyness *= factor;
  plan(day + draw.whole(1, 3), () => {
    today.busyness /= factor;
  });
  const begin = world.start + day * DAY_MS;
  const newcomers = Math.round(Math.min(people.length, 400) * draw.between(0.02, 0.3));
  return Array.from({ length: newcomers }, () =>
    signUp(simulation, day, { from: begin + draw.random() * DAY_MS, country: draw.pick(COUNTRIES) }),
  );
};

/** After a leak elsewhere, the business asks its customers to choose new passwords. */
const forcedReset: RunDay = (simulation, people, day) => {
  const { draw } = simulation;
  const share = draw.between(0.1, 0.5);
  for (const person of people) {
    if (person.habit === 'machine' || day < person.quietUntil || !draw.chance(share)) continue;
    const at = timeOf(simulation, person, day) + draw.exponential(DAY_MS / 2);
    const session = sessionOf(simulation, person, at);
    const next = recordEvents(simulation, person, session, at, 'password_reset', 'login');
    if (draw.chance(0.3)) payUsual(simulation, person, session, next);
  }
  return [];
};

const RUN_DAYS: Readonly<Record<SpecialDay, RunDay>> = {
  app_update: appUpdate,
  migration,
  carrier_move: carrierMove,
  price_change: priceChange,
  holiday_travel: holidayTravel,
  gift_season: giftSeason,
  on_sale: onSale,
  surge,
  forced_reset: forcedReset,
  token_change: tokenChange,
};

export const runSpecialDays = (simulation: Simulation, people: readonly Person[], day: number): Person[] => {
  const newcomers: Person[] = [];
  for (const [kind, probability] of simulation.world.specialDays)
    if (simulation.draw.chance(probability)) newcomers.push(...RUN_DAYS[kind](simulation, people, day));
  return newcomers;
};
