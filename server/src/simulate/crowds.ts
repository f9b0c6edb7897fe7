import { counterpartyOf, HOUR_MS, MINUTE_MS, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import { addressIn, type Country, poolIn } from './networks.ts';
import { DAY_MS, type Session } from './output.ts';
import { type Card, makePerson, type Person } from './people.ts';
import { priceOf, roundOf } from './prices.ts';
import { recordEvents } from './unusual-actions.ts';

interface SignUpOptions {
  readonly housemate?: Person | undefined;
  readonly from?: number;
  readonly ip?: string | undefined;
  readonly country?: Country;
}

/** Share of new customers of training worlds who must log in with the password they have just chosen. */
const FIRST_LOGIN_SHARE = 0.3;
/** The first login. A new password is often mistyped or already forgotten. Returns the time of the next action. */
const logInAfterSignUp = (simulation: Simulation, person: Person, session: Session, from: number): number => {
  const { draw, output } = simulation;
  let at = from + (draw.chance(0.6) ? draw.between(2000, 120_000) : draw.logBetween(2, 2000) * MINUTE_MS);
  for (let i = draw.chance(0.35) ? draw.whole(1, 4) : 0; i > 0; i--) {
    output.event(at, person, session, 'login', 'failed');
    at += draw.between(3000, 90_000);
  }
  if (draw.chance(0.1)) at = recordEvents(simulation, person, session, at, 'password_reset');
  output.event(at, person, session, 'login');
  return at + draw.between(4000, 240_000);
};

/** A new customer signs up and mostly buys at once. With `housemate`, both share a household. */
export const signUp = (
  simulation: Simulation,
  day: number,
  { housemate, from, ip, country }: SignUpOptions,
): Person => {
  const { world, town, draw, output } = simulation;
  const person = makePerson(world, town, draw, {
    ...(housemate === undefined ? {} : { housemate }),
    ...(country === undefined ? {} : { country }),
  });
  const at = from ?? timeOf(simulation, person, day);
  // Staff sign customers up on the device of the shop.
  const isAtKiosk = world.family === 'training' && town.kiosks.length > 0 && draw.chance(world.kioskShare);
  const usual = isAtKiosk ? draw.pick(town.kiosks) : sessionOf(simulation, person, at);
  // Some sign up away from home: at a stand, in a hotel, at a friend's.
  const signUpIp = !isAtKiosk && draw.chance(0.05) ? addressIn(draw, draw.pick(person.country.home)) : usual.ip;
  const session = { ...usual, ip: ip ?? signUpIp };
  let next = recordEvents(
    simulation,
    person,
    session,
    at,
    'signup',
    ...(draw.chance(0.6) ? (['payment_method_added'] as const) : []),
  );
  if (world.family === 'training' && draw.chance(FIRST_LOGIN_SHARE))
    next = logInAfterSignUp(simulation, person, session, next);
  if (world.verifiesCards && draw.chance(0.5)) {
    const amount = priceOf(world, draw, draw.between(0.1, 1.5), person.currency);
    output.pay(next, person, session, {
      amount,
      card: person.cards[0] as Card,
      counterparty: counterpartyOf(simulation, person),
    });
    next += draw.between(20_000, 200_000);
  }
  const factor = world.firstFactor * (draw.chance(0.2) ? draw.logBetween(2, 15) : 1);
  if (draw.chance(0.7)) payUsual(simulation, person, session, next, factor);
  for (let i = draw.chance(0.2) ? draw.whole(1, 4) : 0; i > 0; i--) {
    next += draw.logBetween(MINUTE_MS, 3 * HOUR_MS);
    payUsual(simulation, person, session, next, draw.chance(0.2) ? draw.logBetween(2, 10) : 1);
  }
  person.lastDay = day;
  return person;
};

/** Share of the days of training worlds on which many customers begin to pay somebody new. */
const NEW_PAYEE_SHARE = 0.03;
/** A collection, a relief fund or the ticket sale of a club: many customers pay one new payee once, mostly round sums. */
const payNewPayee = (simulation: Simulation, people: readonly Person[], begin: number): void => {
  const { world, town, draw, output } = simulation;
  const counterparty = town.newCounterparty();
  const lengthMs = draw.logBetween(1, 72) * HOUR_MS;
  const dollars = world.dollars * draw.logBetween(0.2, 3);
  const isRound = draw.chance(0.8);
  for (let i = Math.round(draw.logBetween(5, Math.max(6, Math.min(200, people.length * 0.2)))); i > 0; i--) {
    const person = draw.pick(people);
    const at = begin + draw.exponential(lengthMs / 2);
    const paid = dollars * draw.logBetween(0.4, 2.5);
    const amount = isRound ? roundOf(paid, person.currency) : priceOf(world, draw, paid, person.currency);
    output.pay(at, person, sessionOf(simulation, person, at), { amount, card: person.cards[0] as Card, counterparty });
  }
};

/** Unusual days for many legitimate customers at once: outages and group sign-ups. Returns the new customers. */
export const runCrowdEvents = (simulation: Simulation, people: readonly Person[], day: number): Person[] => {
  const { world, draw, output } = simulation;
  const begin = world.start + day * DAY_MS + draw.between(0, 22) * HOUR_MS;
  if (world.outages > 0 && draw.chance(world.outages)) {
    // The login fails for every visitor, who each retry a few times.
    const lengthMs = draw.logBetween(0.2, 3) * HOUR_MS;
    for (let i = Math.ceil(people.length * draw.logBetween(0.01, 0.1)); i > 0; i--) {
      const person = draw.pick(people);
      let at = begin + draw.random() * lengthMs;
      const session = sessionOf(simulation, person, at);
      for (let tries = draw.whole(1, 5); tries > 0; tries--) {
        output.event(at, person, session, 'login', 'failed');
        at += draw.logBetween(3000, 400_000);
      }
    }
  }
  if (world.family === 'training' && people.length > 0 && draw.chance(NEW_PAYEE_SHARE))
    payNewPayee(simulation, people, begin);
  const newcomers: Person[] = [];
  if (world.crowds > 0 && draw.chance(world.crowds)) {
    const country = draw.weighted(world.countries, world.countryWeights);
    // A company, a school or a fair shares one address; customers of an advertisement do not.
    const sharedIp = draw.chance(0.6) ? addressIn(draw, draw.pick(country.home)) : undefined;
    const count = Math.round(draw.logBetween(4, Math.max(8, Math.min(150, world.users * 0.05))));
    // A campus or a large company has a network of addresses.
    const network =
      world.family === 'training' && sharedIp !== undefined && draw.chance(0.4)
        ? poolIn(draw, draw.pick(country.home), count, 1)
        : undefined;
    const lengthMs = draw.logBetween(0.3, 8) * HOUR_MS;
    for (let i = 0; i < count; i++) {
      const at = begin + draw.random() * lengthMs;
      newcomers.push(signUp(simulation, day, { from: at, ip: network?.[i] ?? sharedIp }));
    }
  }
  return newcomers;
};
