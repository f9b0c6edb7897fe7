import { EVENT_TYPES, type EventType } from '@portcullis/contract';
import { MEMBERS, type Member, TEMPERS, type Temper, type WorldKind } from './businesses.ts';
import { type Draw, makeDraw } from './draw.ts';
import { ID_SHAPES, type MailHabit, makeDomain, makeIdMaker } from './names.ts';
import { COUNTRIES, type Country } from './networks.ts';

const KINDS = Object.keys(TEMPERS) as (keyof typeof TEMPERS)[];

export interface Category {
  readonly name: string;
  /** What things cost there, compared with the rest. */
  readonly factor: number;
}
const CATEGORIES =
  'grocery fuel travel electronics fashion home health toys games food gift_cards services tickets books'.split(' ');

export interface WorldOptions {
  readonly seed: number;
  readonly users: number;
  readonly days: number;
  /** The first day, in epoch milliseconds. */
  readonly start: number;
  readonly world: WorldKind;
}

/** One of several, or each of a part of them. */
const someOf = <T>(draw: Draw, list: readonly T[], share: number): T[] => list.filter(() => draw.chance(share));

const drawCountries = (draw: Draw): { countries: Country[]; weights: number[] } => {
  const count = draw.weighted([1, 2, 4, 8, 16], [4, 3, 2, 1, 1]);
  const countries: Country[] = [];
  while (countries.length < count) {
    const country = draw.weighted(
      COUNTRIES,
      COUNTRIES.map(({ weight }) => weight),
    );
    if (!countries.includes(country)) countries.push(country);
  }
  // The first is home to most.
  return { countries, weights: countries.map((_, i) => (i === 0 ? draw.between(1, 8) : draw.between(0.1, 1))) };
};

/** Everything about a business that is drawn once: what its caller sends (the events needed at least), who its customers are, how they pay. */
export const drawWorld = (
  { seed, users, days, start, world: kind }: WorldOptions,
  needed: readonly EventType[] = [],
) => {
  const draw = makeDraw(seed);
  const tempers = kind === 'mixed' ? KINDS.map((name) => TEMPERS[name]) : [TEMPERS[kind]];
  // A mixed world takes each of its properties from some kind of business.
  const temper = (): Temper => draw.pick(tempers);
  const sends = Object.fromEntries(
    MEMBERS.map((member, i) => [member, draw.chance(temper().sends[i] as number)]),
  ) as Record<Member, boolean>;
  // Those who took the trouble send everything.
  const isThorough = draw.chance(0.4);
  if (isThorough)
    for (const member of MEMBERS) sends[member] ||= (temper().sends[MEMBERS.indexOf(member)] as number) > 0.05;
  // A caller that sends nothing but user and amount gives nobody anything to go by.
  if (!sends.ip && !sends.device && !sends.fingerprint && !sends.counterparty) sends.ip = true;
  const sendsEvents = draw.chance(isThorough ? 0.5 + temper().events / 2 : temper().events);
  const allTypes = draw.chance(0.6);
  const events = new Set<EventType>(
    sendsEvents ? EVENT_TYPES.filter((type) => allTypes || type === 'login' || draw.chance(0.5)) : [],
  );
  for (const type of needed) events.add(type);
  const { countries, weights } = drawCountries(draw);
  const home = countries[0] as Country;
  const [perUser, least] = temper().counterparties;
  const [rapidShare, machineShare] = temper().rapid;
  const categories: Category[] = someOf(draw, CATEGORIES, 0.6).map((name) => ({
    name,
    factor: name === 'gift_cards' ? draw.between(0.6, 2.5) : draw.logNormal(1, draw.between(0.2, 0.9)),
  }));
  if (categories.length === 0) categories.push({ name: 'goods', factor: 1 });
  const dollars = draw.logBetween(...temper().dollars);
  const mail: MailHabit = {
    only: draw.chance(0.12) ? Array.from({ length: draw.whole(1, 3) }, () => makeDomain(draw)) : [],
    throwAwayShare: draw.logBetween(0.003, 0.06),
    ownDomainShare: draw.between(0.03, 0.3),
  };
  return {
    kind,
    users,
    days,
    start,
    draw,
    sends,
    events,
    /** How often a member that is sent is missing all the same. */
    missing: draw.chance(0.5) ? 0 : draw.logBetween(0.002, 0.1),
    /** Billing by a program names neither address nor device. */
    billsBare: draw.chance(0.5),
    metadata: someOf(draw, ['category', 'channel', 'order_id'] as const, 0.4),
    onlyCountry: draw.chance(0.4),
    granularityMs: draw.chance(0.15) ? 1000 : 1,
    newUserId: makeIdMaker(
      draw,
      draw.pick(ID_SHAPES),
      draw.pick(['user_', 'u', 'cus', 'C', 'acct']),
      draw.whole(1, 90_000),
    ),
    newDevice: makeIdMaker(draw, draw.pick(['prefixed', 'hex', 'uuid', 'letters']), 'dvc', 0),
    newFingerprint: makeIdMaker(
      draw,
      draw.pick(ID_SHAPES),
      draw.pick(['pm', 'card', 'fp', 'tok']),
      draw.whole(1, 90_000),
    ),
    newCounterpartyId: makeIdMaker(
      draw,
      draw.pick(ID_SHAPES),
      draw.pick(['shop', 'm', 'T', 'payee']),
      draw.whole(1, 9000),
    ),
    countries,
    countryWeights: weights,
    currency: draw.chance(0.5) ? home.currency : draw.chance(0.5) ? draw.pick(['USD', 'EUR']) : undefined,
    categories,
    counterparties: Math.max(
      Math.round(least * draw.logBetween(0.5, 3)),
      Math.round(users * perUser * draw.logBetween(0.3, 2)),
      1,
    ),
    newCounterpartiesADay: draw.logBetween(0.0003, 0.01),
    /** How often someone is paid who was never paid by anybody before. */
    strangers: perUser > 0.5 && draw.chance(0.7) ? draw.logBetween(0.01, 0.15) : 0,
    dollars,
    dollarsOfUsersSpread: draw.between(0.2, 0.9),
    dollarsSpread: draw.logBetween(0.15, 1.1),
    rate: draw.logBetween(...temper().rate),
    rateSpread: draw.between(0.3, 1.1),
    rapidShare: rapidShare * draw.logBetween(0.3, 3),
    machineShare: machineShare * draw.logBetween(0.3, 3),
    smallShare: draw.chance(0.4) ? draw.between(0.02, 0.3) : 0.01,
    subscriptionShare: temper().subscriptions * draw.between(0.3, 1.5),
    billingAtMidnight: draw.chance(0.5),
    loyalty: draw.between(0.4, 0.95),
    /** What there is to buy, where that is the same few things for all; in parts of what the user likes to pay otherwise. */
    prices: draw.chance(0.25)
      ? Array.from({ length: draw.whole(3, 40) }, () => draw.logNormal(dollars, 1.1)).sort((a, b) => a - b)
      : [],
    priceWeights: [draw.between(0.2, 3), draw.between(0, 2), draw.between(0, 1), draw.between(0, 1)],
    weekend: draw.between(0.5, 1.6),
    payday: draw.chance(0.5) ? draw.between(1.1, 2) : 1,
    paydayDate: draw.pick([1, 15, 25, 28]),
    saleDays: draw.chance(0.5) ? draw.between(0.01, 0.05) : 0,
    saleFactor: draw.between(1.5, 6),
    night: draw.between(0.02, 0.3),
    loginBefore: draw.between(0.2, 1),
    browsing: draw.logBetween(0.02, 1.5),
    logouts: draw.chance(0.4) ? draw.between(0.05, 0.5) : 0,
    typos: draw.logBetween(0.01, 0.12),
    retries: draw.logBetween(0.004, 0.06),
    verifiesCards: draw.chance(0.35),
    /** How often a user asks for money to be paid out, a day. */
    payouts: draw.chance(0.6) ? draw.logBetween(0.001, 0.04) : 0,
    /** How often anything out of the ordinary happens to a user, a day. */
    momentsADay: draw.logBetween(0.004, 0.05),
    newUsersADay: draw.logBetween(0.001, 0.05),
    firstDayShare: draw.between(0.5, 1),
    quietShare: draw.between(0.02, 0.25),
    familyShare: draw.between(0, 0.25),
    officeShare: draw.between(0.02, 0.4),
    peoplePerOffice: draw.logBetween(3, 120),
    mobileShare: draw.between(0.1, 0.7),
    carrierAddresses: Math.round(draw.logBetween(4, 250)),
    v6Share: draw.chance(0.3) ? 0 : draw.between(0.05, 0.6),
    homeChurn: draw.logBetween(0.003, 1),
    /** Some callers send the address of whatever stands between: it says nothing of where the user is. */
    scattered: draw.chance(0.08),
    vpnShare: draw.logBetween(0.01, 0.25),
    vpnAddresses: draw.whole(5, 120),
    /** Days on which nobody gets in, many come at once, or a company signs up its people. */
    outages: draw.chance(0.4) ? draw.logBetween(0.005, 0.05) : 0,
    crowds: draw.chance(0.5) ? draw.logBetween(0.01, 0.15) : 0,
    kiosks: draw.chance(0.25) ? draw.whole(1, 6) : 0,
    mail,
    /** The part of all items that is fraud, where nobody asks for another. */
    fraudShare: draw.logBetween(0.003, 0.05),
    seeds: { people: draw.seedOf(), life: draw.seedOf(), crime: draw.seedOf() },
  };
};
export type World = ReturnType<typeof drawWorld>;
