import { addressIn } from './addresses.ts';
import type { Customer, Place } from './customers.ts';
import { DAY_MS, type Extra, event, HOUR_MS, MINUTE_MS, type Payment, pay, type Session, type Step } from './steps.ts';

/** Days between changes of the address that a home gets from its provider. */
const LEASE_DAYS = 40;
const FAILED_LOGIN_SHARE = 0.04;

/** A time on that day, mostly in the hours in which the customer is awake. */
export const timeOn = ({ draw }: Place, { peakHour, country }: Customer, dayStart: number): number => {
  const hour = peakHour + 2.5 * draw.normal() - country.hoursFromUtc;
  return dayStart + (((hour % 24) + 24) % 24) * HOUR_MS;
};

export const mobileSession = ({ draw }: Place, customer: Customer): Session => ({
  device: customer.devices[0],
  ip: addressIn(draw, draw.pick(customer.carrierNetworks)),
});
export const homeSession = (_: Place, customer: Customer): Session => ({
  device: customer.devices[0],
  ip: customer.homeAddress,
});
/** A usual device of the customer, at home, at work or on the way. */
export const usualSession = (place: Place, customer: Customer): Session => {
  const { draw, business } = place;
  const luck = draw.random();
  if (luck < business.mobileShare) return mobileSession(place, customer);
  const device = draw.chance(0.75) ? customer.devices[0] : draw.pick(customer.devices);
  const isAtWork = luck < business.mobileShare + business.workShare;
  return { device, ip: isAtWork ? customer.workAddress : customer.homeAddress };
};

/** An ordinary purchase or transfer of this customer. */
export const usualPayment = ({ draw, business, payees }: Place, customer: Customer): Payment => ({
  dollars: draw.logNormal(customer.dollars, customer.spread),
  card: draw.chance(0.85) ? customer.cards[0] : draw.pick(customer.cards),
  payee: draw.chance(business.loyalty) ? draw.pickEarly(customer.payees) : draw.pick(payees),
  isRound: draw.chance(business.roundShare),
});

/** A login with the occasional mistyped password. Returns its steps and the time of the next one. */
export const logIn = (
  place: Place,
  at: number,
  customer: Customer,
  session: Session,
  extra: Extra = {},
): { readonly steps: Step[]; readonly next: number } => {
  const { draw } = place;
  const steps: Step[] = [];
  let next = at;
  while (draw.chance(FAILED_LOGIN_SHARE)) {
    steps.push(event(place, next, customer, session, 'login', { ...extra, outcome: 'failed' }));
    next += draw.between(4000, 30_000);
  }
  steps.push(event(place, next, customer, session, 'login', extra));
  return { steps, next: next + draw.between(20_000, 8 * MINUTE_MS) };
};

/** A visit with a payment, after a login if the business asks for one. */
export const buy = (
  place: Place,
  at: number,
  customer: Customer,
  session: Session,
  payment: Payment = usualPayment(place, customer),
  extra: Extra = {},
): Step[] => {
  if (!place.draw.chance(place.business.loginShare)) return [pay(place, at, customer, session, payment, extra)];
  const { steps, next } = logIn(place, at, customer, session, extra);
  return [...steps, pay(place, next, customer, session, payment, extra)];
};

/** The usual visits and payments of one customer on some days from `start` on. */
export const ordinaryDays = (
  place: Place,
  customer: Customer,
  start: number,
  days: number,
  extra: Extra = {},
): Step[] => {
  const { draw, business } = place;
  const steps: Step[] = [];
  for (let day = 0; day < days; day++) {
    if (draw.chance(1 / LEASE_DAYS)) customer.homeAddress = addressIn(draw, customer.homeNetwork);
    for (let i = draw.poisson(customer.perDay); i > 0; i--) {
      const at = timeOn(place, customer, start + day * DAY_MS);
      steps.push(...buy(place, at, customer, usualSession(place, customer), undefined, extra));
    }
    for (let i = draw.poisson(business.visitsPerDay); i > 0; i--) {
      const at = timeOn(place, customer, start + day * DAY_MS);
      steps.push(...logIn(place, at, customer, usualSession(place, customer), extra).steps);
    }
  }
  return steps;
};
