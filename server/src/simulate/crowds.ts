import { counterpartyOf, HOUR_MS, logIn, MINUTE_MS, payUsual, type Scene, sessionOf, timeOf } from './acts.ts';
import { DAY_MS } from './journal.ts';
import { tell } from './moments.ts';
import { addressIn } from './networks.ts';
import { type Card, makePerson, type Person } from './people.ts';
import { priceOf } from './prices.ts';

/** Someone new signs up and, mostly, buys at once: some big, some nothing. Offices and households bring each other. */
export const join = (
  scene: Scene,
  day: number,
  { like, from, ip }: { like?: Person | undefined; from?: number; ip?: string | undefined },
): Person => {
  const { world, town, draw, journal } = scene;
  const person = makePerson(world, town, draw, like === undefined ? {} : { like });
  const at = from ?? timeOf(scene, person, day);
  const usual = sessionOf(scene, person, at);
  // Some sign up at home and some at a stand, in a hotel, at a friend's: what they use then is not theirs.
  const borrowed = draw.chance(0.05) ? addressIn(draw, draw.pick(person.country.home)) : usual.ip;
  const session = { ...usual, ip: ip ?? borrowed };
  let next = tell(
    scene,
    person,
    session,
    at,
    'signup',
    ...(draw.chance(0.6) ? (['payment_method_added'] as const) : []),
  );
  if (world.verifiesCards && draw.chance(0.5)) {
    const amount = priceOf(world, draw, draw.between(0.1, 1.5), person.currency);
    journal.pay(next, person, session, {
      amount,
      card: person.cards[0] as Card,
      counterparty: counterpartyOf(scene, person),
    });
    next += draw.between(20_000, 200_000);
  }
  if (draw.chance(0.7)) payUsual(scene, person, session, next, draw.chance(0.2) ? draw.logBetween(2, 15) : 1);
  for (let i = draw.chance(0.2) ? draw.whole(1, 4) : 0; i > 0; i--) {
    next += draw.logBetween(MINUTE_MS, 3 * HOUR_MS);
    payUsual(scene, person, session, next, draw.chance(0.2) ? draw.logBetween(2, 10) : 1);
  }
  person.lastDay = day;
  return person;
};

/** Days that are unlike others for many honest people at once. Returns who came to stay. */
export const gather = (scene: Scene, people: readonly Person[], day: number): Person[] => {
  const { world, draw, journal } = scene;
  const begin = world.start + day * DAY_MS + draw.between(0, 22) * HOUR_MS;
  if (world.outages > 0 && draw.chance(world.outages)) {
    // The login is out of order: everybody who comes tries a few times.
    const lengthMs = draw.logBetween(0.2, 3) * HOUR_MS;
    for (let i = Math.ceil(people.length * draw.logBetween(0.01, 0.1)); i > 0; i--) {
      const person = draw.pick(people);
      let at = begin + draw.random() * lengthMs;
      const session = sessionOf(scene, person, at);
      for (let tries = draw.whole(1, 5); tries > 0; tries--) {
        journal.event(at, person, session, 'login', 'failed');
        at += draw.logBetween(3000, 400_000);
      }
    }
  }
  const newcomers: Person[] = [];
  if (world.crowds > 0 && draw.chance(world.crowds)) {
    const country = draw.weighted(world.countries, world.countryWeights);
    // A company, a school or a fair: one address, one hour. Or an advertisement: all over the place.
    const together = draw.chance(0.6) ? addressIn(draw, draw.pick(country.home)) : undefined;
    const count = Math.round(draw.logBetween(4, Math.max(8, Math.min(150, world.users * 0.05))));
    const lengthMs = draw.logBetween(0.3, 8) * HOUR_MS;
    for (let i = 0; i < count; i++) {
      const at = begin + draw.random() * lengthMs;
      newcomers.push(join(scene, day, { from: at, ip: together }));
    }
  }
  for (const kiosk of scene.town.kiosks) {
    for (let i = draw.poisson(4); i > 0; i--) {
      const person = draw.pick(people);
      const at = timeOf(scene, person, day);
      payUsual(scene, person, kiosk, draw.chance(0.3) ? logIn(scene, person, kiosk, at) : at);
    }
  }
  return newcomers;
};
