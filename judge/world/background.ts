import { addressIn, homeNetwork, hostingNetwork } from './addresses.ts';
import { COUNTRIES } from './countries.ts';
import type { Customer, Place } from './customers.ts';
import { ordinaryDays } from './ordinary-days.ts';
import { DAY_MS, event, MINUTE_MS, pay, type Step } from './steps.ts';

/** The first day of every world of the judge: a Monday. */
export const START = Date.UTC(2026, 0, 5);

/** Share of payments that are made with stolen cards, as in an ordinary business. */
const STOLEN_CARD_SHARE = 0.004;

/** A thief signs up, adds a stolen card and buys a few times within the hour. */
const stolenCardSpree = (place: Place, at: number): Step[] => {
  const { draw } = place;
  const country = draw.chance(0.5) ? draw.pick(COUNTRIES) : undefined;
  const thief = country === undefined ? place.newCustomer() : place.newCustomer(country);
  const network = draw.chance(0.3) ? hostingNetwork(draw) : homeNetwork(draw, thief.country, thief.city);
  const session = { device: thief.devices[0], ip: addressIn(draw, network) };
  const extra = { fraud: 'stolen_card' } as const;
  const steps = [event(place, at, thief, session, 'signup', extra)];
  let next = at + draw.between(1, 6) * MINUTE_MS;
  for (let i = draw.whole(1, 4); i > 0; i--) {
    const payment = { dollars: draw.logNormal(2 * place.business.dollars, 0.6), card: place.newCard() };
    steps.push(pay(place, next, thief, session, { ...payment, payee: draw.pick(place.payees) }, extra));
    next += draw.between(1, 15) * MINUTE_MS;
  }
  return steps;
};

/** Established customers with their ordinary days, newcomers, and a little fraud with stolen cards. */
export const makeBackground = (place: Place, days: number): { customers: Customer[]; steps: Step[] } => {
  const { draw, business, newCustomer } = place;
  const customers = Array.from({ length: business.customers }, () => newCustomer());
  const steps = customers.flatMap((customer) => ordinaryDays(place, customer, START, days));
  const newcomers = draw.poisson((business.customers * days) / 300);
  for (let i = 0; i < newcomers; i++) {
    const customer = newCustomer();
    const first = draw.whole(0, days - 1);
    const session = { device: customer.devices[0], ip: customer.homeAddress };
    steps.push(event(place, START + first * DAY_MS, customer, session, 'signup'));
    steps.push(...ordinaryDays(place, customer, START + first * DAY_MS, days - first));
  }
  const sprees = draw.poisson((business.customers * days * business.perDay * STOLEN_CARD_SHARE) / 2.5);
  for (let i = 0; i < sprees; i++) steps.push(...stolenCardSpree(place, START + draw.between(0, days) * DAY_MS));
  return { customers, steps };
};
