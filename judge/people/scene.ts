import { START } from '../world/background.ts';
import type { Business } from '../world/businesses.ts';
import type { Country } from '../world/countries.ts';
import { type Customer, makePlace, type Place } from '../world/customers.ts';
import { buy, logIn, ordinaryDays, timeOn, usualPayment } from '../world/ordinary-days.ts';
import { DAY_MS, event, MINUTE_MS, type Payment, pay, type Session, type Step } from '../world/steps.ts';

/** Days of history before the situation, and days of the whole scene. */
export const HISTORY_DAYS = 50;
export const SCENE_DAYS = 78;
export const SITUATION_AT = START + HISTORY_DAYS * DAY_MS;

const TAG = { tag: 'counted' } as const;

/** People of one business who come into an unusual situation on the day `SITUATION_AT`. */
export const makeScene = (business: Business, seed: number, payees: readonly string[]) => {
  const place: Place = makePlace(business, seed, payees);
  const { draw } = place;
  const history: Step[] = [];
  const counted: Step[] = [];
  return {
    place,
    draw,
    business,
    /** A customer with ordinary days until the situation begins, or until `until`. */
    established: (days = HISTORY_DAYS, until = SITUATION_AT, country?: Country): Customer => {
      const customer = place.newCustomer(country);
      history.push(...ordinaryDays(place, customer, until - days * DAY_MS, days));
      return customer;
    },
    /** Adds steps before the situation. They do not count. */
    addHistory: (...steps: readonly Step[]): void => void history.push(...steps),
    /** A payment without a login. */
    pays: (at: number, who: Customer, session: Session, payment: Payment = usualPayment(place, who)): void =>
      void counted.push(pay(place, at, who, session, payment, TAG)),
    /** A visit with a payment, with a login if this business asks for one. */
    buys: (at: number, who: Customer, session: Session, payment?: Payment): void =>
      void counted.push(...buy(place, at, who, session, payment, TAG)),
    logsIn: (at: number, who: Customer, session: Session): number => {
      const { steps, next } = logIn(place, at, who, session, TAG);
      counted.push(...steps);
      return next;
    },
    does: (at: number, who: Customer, session: Session, type: Parameters<typeof event>[4], outcome?: 'failed'): void =>
      void counted.push(event(place, at, who, session, type, outcome === undefined ? TAG : { ...TAG, outcome })),
    /** A usual time of day of this person, `day` days after the situation began. */
    timeOf: (who: Customer, day: number): number => timeOn(place, who, SITUATION_AT + day * DAY_MS),
    /** An ordinary payment, but with `factor` times the usual amount. */
    payment: (who: Customer, factor: number, more: Partial<Payment> = {}): Payment => {
      const usual = usualPayment(place, who);
      return { ...usual, dollars: who.dollars * factor * draw.logNormal(1, 0.25), ...more };
    },
    minutes: (low: number, high: number): number => draw.between(low, high) * MINUTE_MS,
    steps: (): Step[] => [...history, ...counted],
  };
};
export type Scene = ReturnType<typeof makeScene>;

/** A population of ordinary people in an unusual but honest situation. */
export interface Situation {
  readonly name: string;
  /** The businesses in which people of this kind are customers. */
  readonly businesses: readonly string[];
  /** Lets the situation happen in a scene. */
  readonly happen: (scene: Scene) => void;
}

export const repeat = (times: number, task: (i: number) => void): void => {
  for (let i = 0; i < times; i++) task(i);
};
