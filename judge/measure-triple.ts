import { type ReadOptions, readSteps, replay } from './replay.ts';
import type { Serve } from './served.ts';
import { makeThief, stepsOfTakeover, TAKEOVERS, type Takeover } from './takeover-thief.ts';
import { addressIn, homeNetwork } from './world/addresses.ts';
import { makeBackground, START } from './world/background.ts';
import type { Business } from './world/businesses.ts';
import { type Customer, makePlace, type Place } from './world/customers.ts';
import { type Established, findEstablished } from './world/established.ts';
import { homeSession } from './world/ordinary-days.ts';
import { DAY_MS, event, HOUR_MS, MINUTE_MS, pay, type Session, type Step } from './world/steps.ts';

const DAYS = 100;
const THEFTS_FROM = 40;
const THEFTS_DAYS = 10;
const LABEL_DELAY_MS = 7 * DAY_MS;
const DISPUTES = 5;
const DISPUTERS_FROM = START + 20 * DAY_MS;

/** Who made a counted item. */
export type Who = string;
export const NEXT_ESTABLISHED: Who = "thief's device on the next established account";
export const NEXT_NEW: Who = "thief's device on a new account";
export const VICTIM: Who = 'victim afterwards, payments';
export const VICTIM_EVENTS: Who = 'victim afterwards, logins and changes';
export const OTHERS: Who = 'other customers, payments';
export const disputerAfter = (disputes: number): Who => `customer after ${disputes} known disputes, payments`;

export interface TripleCount {
  readonly world: string;
  readonly who: Who;
  items: number;
  flagged: number;
  blocked: number;
}

/** The first theft of a thief, on an established account. */
const firstTheft = (place: Place, victim: Established, takeover: Takeover, at: number) => {
  const { draw } = place;
  const thief = makeThief(place, takeover, victim.customer, victim.usualDollars, at);
  const steps = stepsOfTakeover(
    place,
    thief,
    draw.chance(0.8) ? 'login' : 'nothing',
    draw.between(1, 60) * MINUTE_MS,
    '',
  );
  const more = Array.from({ length: draw.whole(0, 2) }, (_, i) => {
    const payment = { dollars: victim.usualDollars * draw.logBetween(0.7, 6), payee: thief.payee };
    return pay(place, at + (i + 1) * draw.between(3, 40) * MINUTE_MS, victim.customer, thief.session, payment, {
      fraud: 'takeover',
    });
  });
  return { thief, steps: [...steps, ...more].map(({ tag: _, ...step }) => step as Step) };
};

/** The same device on the next account, after the first theft was reported. */
const nextTheft = (place: Place, device: Session['device'], ip: string, target: Established, at: number): Step[] => {
  const { draw } = place;
  const { customer, usualDollars } = target;
  const session = { device, ip };
  const payment = {
    dollars: usualDollars * draw.logBetween(0.8, 5),
    payee: place.business.method === 'card' ? draw.pick(place.payees) : place.newPayee(),
  };
  const login = draw.chance(0.8) ? [event(place, at - 5 * MINUTE_MS, customer, session, 'login')] : [];
  return [...login, pay(place, at, customer, session, payment, { fraud: 'takeover', tag: NEXT_ESTABLISHED })];
};
const nextNewAccount = (place: Place, device: Session['device'], ip: string, at: number): Step[] => {
  const { draw, business } = place;
  const account = place.newCustomer();
  const session = { device, ip };
  const payment = { dollars: draw.logNormal(1.5 * business.dollars, 0.5), payee: draw.pick(place.payees) };
  return [
    event(place, at - 10 * MINUTE_MS, account, session, 'signup'),
    pay(place, at, account, session, payment, { fraud: 'stolen_card', tag: NEXT_NEW }),
  ];
};

/** A chain of thefts with one device. The victim goes on living; half of them reset their password the next day. */
const makeChain = (place: Place, victim: Established, next: Established, i: number) => {
  const { draw } = place;
  const takeovers = TAKEOVERS.filter(({ device }) => device === 'new');
  const stolenAt = START + (THEFTS_FROM + draw.between(0, THEFTS_DAYS)) * DAY_MS;
  const { thief, steps } = firstTheft(place, victim, takeovers[i % takeovers.length] as Takeover, stolenAt);
  const { country, city } = victim.customer;
  const { device, ip } = thief.session;
  const nextIp = draw.chance(0.5) ? ip : addressIn(draw, homeNetwork(draw, country, (city + 1) % 3));
  const nextAt = stolenAt + LABEL_DELAY_MS + draw.between(0.5, 6) * DAY_MS;
  const chain =
    i % 2 === 0 ? nextTheft(place, device, nextIp, next, nextAt) : nextNewAccount(place, device, nextIp, nextAt);
  const reset = draw.chance(0.5)
    ? [
        event(
          place,
          stolenAt + draw.between(5, 40) * HOUR_MS,
          victim.customer,
          homeSession(place, victim.customer),
          'password_reset',
        ),
      ]
    : [];
  return { stolenAt, steps: [...steps, ...chain, ...reset] };
};

/** Disputes of one customer's own payments on separate days, and the tags of all their payments after the first. */
const disputeOwn = (steps: readonly Step[], { id }: Customer): Step[] => {
  const disputedAt: number[] = [];
  let turn = 0;
  return steps.map((step) => {
    if (step.fields.user_id !== id || step.fields.kind !== 'transaction' || step.at < DISPUTERS_FROM) return step;
    const known = disputedAt.filter((at) => at + LABEL_DELAY_MS <= step.at).length;
    const isNewDay = (disputedAt.at(-1) ?? 0) < step.at - DAY_MS;
    const isDisputed = disputedAt.length < DISPUTES && isNewDay && turn++ % 2 === 0;
    if (isDisputed) disputedAt.push(step.at);
    return {
      ...step,
      ...(isDisputed ? { fraud: 'first_party' as const } : {}),
      ...(known > 0 ? { tag: disputerAfter(known) } : {}),
    };
  });
};

export const measureTriple = (
  business: Business,
  seed: number,
  people: number,
  serve: Serve,
  options: ReadOptions,
): TripleCount[] => {
  const place = makePlace(business, seed);
  const { customers, steps: ordinary } = makeBackground(place, DAYS);
  const established = findEstablished(customers, ordinary, START + (THEFTS_FROM - 1) * DAY_MS);
  const [victims, nexts] = [established.slice(0, people), established.slice(people, 2 * people)];
  const chains = victims.map((victim, i) => makeChain(place, victim, nexts[i] as Established, i));
  const stolenAt = new Map(victims.map(({ customer }, i) => [customer.id, chains[i]?.stolenAt ?? 0]));
  const robbed = new Set([...stolenAt.keys(), ...nexts.map(({ customer }) => customer.id)]);
  const disputers = established
    .slice(2 * people)
    .toSorted((a, b) => b.payments - a.payments)
    .slice(0, people);
  let steps = ordinary.toSorted((a, b) => a.at - b.at);
  for (const { customer } of disputers) steps = disputeOwn(steps, customer);
  const isDisputer = new Set(disputers.map(({ customer }) => customer.id));
  const known = new Set(established.map(({ customer }) => customer.id));
  const tagOf = ({ at, fields, tag, fraud }: Step): Who | undefined => {
    const id = fields.user_id as string;
    const isPayment = fields.kind === 'transaction';
    if (tag !== undefined || fraud !== undefined || isDisputer.has(id)) return tag;
    if (at > (stolenAt.get(id) ?? Number.POSITIVE_INFINITY)) return isPayment ? VICTIM : VICTIM_EVENTS;
    return isPayment && known.has(id) && !robbed.has(id) && at > START + THEFTS_FROM * DAY_MS ? OTHERS : undefined;
  };
  const tagged = [...steps, ...chains.flatMap((chain) => chain.steps)].map(({ tag: _, ...step }, i, all) => {
    const tag = tagOf(all[i] as Step);
    return tag === undefined ? step : { ...step, tag };
  });
  const world = `${business.name}-${seed}`;
  const counts = new Map<Who, TripleCount>();
  replay(serve, readSteps(tagged, options), LABEL_DELAY_MS, (who, item, facts) => {
    const { decision } = serve(item, facts);
    const count = counts.get(who) ?? { world, who, items: 0, flagged: 0, blocked: 0 };
    counts.set(who, count);
    count.items++;
    if (decision !== 'allow') count.flagged++;
    if (decision === 'block') count.blocked++;
  });
  return [...counts.values()];
};
