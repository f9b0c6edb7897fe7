import {
  DAY_MS,
  event,
  HOUR_MS,
  type Members,
  MINUTE_MS,
  type Person,
  pay,
  type Step,
  type World,
} from './unseen-world.ts';

export const DAYS = 10;
/** People of ordinary traffic: so many, in offices of which 30 work behind one address. */
export const PEOPLE = 250;
const OFFICE = 30;

/** At what time of day people are awake, mostly in the evening. */
const timeOfDay = ({ between, bell }: World): number =>
  Math.min(Math.max(16 + 3.5 * bell() * 1.5, 7), 23.5) * HOUR_MS + between(0, HOUR_MS / 2);

const amountFor = ({ bell, inCurrency }: World, person: Person, times = 1): number =>
  inCurrency(person.meanDollars * times * Math.exp(0.6 * bell()), person.currency);

const purchase = (world: World, person: Person, where: Members, times = 1): Members => ({
  user_id: person.id,
  amount: amountFor(world, person, times),
  currency: person.currency,
  ...where,
  payment_method: 'card',
  payment_fingerprint: person.card,
  counterparty_id: world.chance(0.85) ? world.oneOf(person.shops) : world.oneOf(world.shops),
});

/** A visit: mostly a login, sometimes mistyped before, then perhaps a purchase. */
const visit = (world: World, person: Person, at: number, where: Members, oddity?: string, times = 1): Step[] => {
  const more = oddity === undefined ? {} : { oddity };
  const who = { user_id: person.id, ...where };
  const steps: Step[] = [];
  if (world.chance(0.08)) steps.push(event(at - 20_000, { ...who, type: 'login', outcome: 'failed' }, more));
  if (world.chance(0.6)) steps.push(event(at, { ...who, type: 'login', outcome: 'succeeded' }, more));
  steps.push(pay(at + world.between(1, 9) * MINUTE_MS, purchase(world, person, where, times), more));
  if (world.chance(0.1))
    steps.push(pay(at + world.between(10, 20) * MINUTE_MS, purchase(world, person, where, 0.7), more));
  return steps;
};

const forgotten = (world: World, person: Person, at: number, where: Members): Step[] => {
  const oddity = 'forgotten password';
  const who = { user_id: person.id, ...where };
  const failed = (delay: number) => event(at + delay, { ...who, type: 'login', outcome: 'failed' }, { oddity });
  return [
    failed(0),
    failed(25_000),
    failed(50_000),
    event(at + 2 * MINUTE_MS, { ...who, type: 'password_reset' }, { oddity }),
    event(at + 4 * MINUTE_MS, { ...who, type: 'login', outcome: 'succeeded' }, { oddity }),
    pay(at + 9 * MINUTE_MS, purchase(world, person, where), { oddity }),
  ];
};

/** Ten days of one person, with whatever befalls them. */
const lifeOf = (world: World, person: Person, officeIp: string | undefined, days: number): Step[] => {
  const { chance, between, below, oneOf } = world;
  const steps: Step[] = [];
  const trip = chance(0.06) ? { from: between(3, 7), ip: world.lineIn(world.far(person.country)) } : undefined;
  const phoneDay = chance(0.06) ? between(2, DAYS) : Number.POSITIVE_INFINITY;
  const cardDay = chance(0.06) ? between(2, DAYS) : Number.POSITIVE_INFINITY;
  const moveDay = chance(0.03) ? between(2, DAYS) : Number.POSITIVE_INFINITY;
  let isPhoneOld = true;
  let isCardOld = true;
  let isMoved = false;
  for (let day = 0; day < days; day++) {
    // One day in ten is a holiday sale.
    const isPeak = day === 8;
    const wished = person.paymentsPerDay * (isPeak ? 3 : 1);
    const count = Math.floor(wished) + (chance(wished % 1) ? 1 : 0);
    for (let i = 0; i < count; i++) {
      const time = timeOfDay(world);
      const isWork = officeIp !== undefined && time > 9 * HOUR_MS && time < 18 * HOUR_MS;
      let oddity: string | undefined = isPeak ? 'holiday peak' : isWork ? 'office' : undefined;
      if (day > phoneDay && isPhoneOld) {
        isPhoneOld = false;
        person.devices = [world.device()];
        oddity = 'new phone';
      }
      if (day > cardDay && isCardOld) {
        isCardOld = false;
        person.card = world.card();
        oddity = 'new card';
      }
      if (day > moveDay && !isMoved) {
        isMoved = true;
        person.ip = world.lineIn(person.country);
        oddity = 'moved house';
      }
      const isAway = trip !== undefined && day >= trip.from && day < trip.from + 2;
      if (isAway) oddity = 'trip abroad';
      const ip_address = isAway ? trip.ip : isWork ? officeIp : chance(0.15) ? person.away : person.ip;
      const where = { ip_address, device_token: oneOf(person.devices) };
      const at = day * DAY_MS + time;
      if (chance(0.008)) steps.push(...forgotten(world, person, at, where));
      else if (chance(0.015)) steps.push(...visit(world, person, at, where, 'big purchase', between(5, 9)));
      else steps.push(...visit(world, person, at, where, oddity));
    }
    if (chance(0.2))
      steps.push(
        event(day * DAY_MS + timeOfDay(world), {
          user_id: person.id,
          ip_address: person.ip,
          device_token: person.devices[below(person.devices.length)],
          type: oneOf(['login', 'login', 'login', 'logout', 'address_change', 'payment_method_added']),
        }),
      );
  }
  return steps;
};

export const lives = (world: World, days = DAYS): Step[] => {
  const { people } = world;
  const officeIp = world.lineIn('DE');
  for (let i = OFFICE; i < people.length; i += 12) {
    const [one, other] = [people[i] as Person, people[i + 1] as Person];
    other.ip = one.ip;
    other.devices = one.devices;
  }
  return people.flatMap((person, i) => lifeOf(world, person, i < OFFICE ? officeIp : undefined, days));
};

/** Everything happens in ten minutes, as when a client sends a file as fast as it can: nobody has a past. */
export const rush = (world: World): Step[] =>
  world.people.flatMap((person) => {
    const count = 1 + world.below(4);
    const where = { ip_address: person.ip, device_token: person.devices[0] };
    return Array.from({ length: count }, () => {
      const at = world.between(0, 10 * MINUTE_MS);
      return world.chance(0.3)
        ? event(at, { user_id: person.id, ...where, type: 'login', outcome: 'succeeded' })
        : pay(at, purchase(world, person, where));
    });
  });

/** The first day of a shop: people sign up, then buy. */
export const openingDay = (world: World): Step[] =>
  world.people.flatMap((person) => {
    const at = timeOfDay(world);
    const where = { ip_address: person.ip, device_token: person.devices[0] };
    const signup = event(at, { user_id: person.id, ...where, type: 'signup', email: person.email });
    return [signup, ...visit(world, person, at + 3 * MINUTE_MS, where)];
  });

/** Numbers out of a hat, as a quick script makes them: no habits but those of the identifiers. */
export const hat = (world: World, isAddressKept: boolean): Step[] =>
  world.people.flatMap((person) => {
    const kept = world.anyPublicIp();
    return Array.from({ length: 4 + world.below(12) }, () =>
      pay(world.between(0, DAYS * DAY_MS), {
        user_id: person.id,
        amount: world.cents(world.between(1, 500)),
        currency: 'USD',
        ip_address: isAddressKept ? kept : world.anyPublicIp(),
        device_token: world.oneOf(person.devices),
        counterparty_id: world.oneOf(world.shops),
      }),
    );
  });
