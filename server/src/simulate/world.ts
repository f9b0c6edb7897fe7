import { EVENT_TYPES, type EventType } from '@portcullis/contract';
import { BUSINESS_PROFILES, type BusinessProfile, FIELDS, type Field, type WorldKind } from './businesses.ts';
import { ID_SHAPES, type MailHabit, makeDomain, makeIdMaker } from './names.ts';
import { COUNTRIES, type Country } from './networks.ts';
import { type Draw, makeDraw } from './random.ts';

const KINDS = Object.keys(BUSINESS_PROFILES) as (keyof typeof BUSINESS_PROFILES)[];

export interface Category {
  readonly name: string;
  /** Price level of the category, relative to the others. */
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

/** A random part of a list: each element with probability `share`. */
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
  // Most customers live in the first country.
  return { countries, weights: countries.map((_, i) => (i === 0 ? draw.between(1, 8) : draw.between(0.1, 1))) };
};

/** Draws the constant properties of a business: the fields and events its caller sends, its customers, its prices. */
export const drawWorld = (
  { seed, users, days, start, world: kind }: WorldOptions,
  neededEvents: readonly EventType[] = [],
) => {
  const draw = makeDraw(seed);
  const profiles = kind === 'mixed' ? KINDS.map((name) => BUSINESS_PROFILES[name]) : [BUSINESS_PROFILES[kind]];
  // A mixed world takes each property from a random kind of business.
  const profile = (): BusinessProfile => draw.pick(profiles);
  const sends = Object.fromEntries(
    FIELDS.map((field, i) => [field, draw.chance(profile().sends[i] as number)]),
  ) as Record<Field, boolean>;
  // Thorough callers send every field that is usual in their business.
  const isThorough = draw.chance(0.4);
  if (isThorough)
    for (const field of FIELDS) sends[field] ||= (profile().sends[FIELDS.indexOf(field)] as number) > 0.05;
  // With user and amount alone, no fraud could be detected.
  if (!sends.ip && !sends.device && !sends.fingerprint && !sends.counterparty) sends.ip = true;
  const sendsEvents = draw.chance(isThorough ? 0.5 + profile().events / 2 : profile().events);
  const allTypes = draw.chance(0.6);
  const events = new Set<EventType>(
    sendsEvents ? EVENT_TYPES.filter((type) => allTypes || type === 'login' || draw.chance(0.5)) : [],
  );
  for (const type of neededEvents) events.add(type);
  const { countries, weights } = drawCountries(draw);
  const home = countries[0] as Country;
  const [perUser, least] = profile().counterparties;
  const [rapidShare, machineShare] = profile().rapid;
  const categories: Category[] = someOf(draw, CATEGORIES, 0.6).map((name) => ({
    name,
    factor: name === 'gift_cards' ? draw.between(0.6, 2.5) : draw.logNormal(1, draw.between(0.2, 0.9)),
  }));
  if (categories.length === 0) categories.push({ name: 'goods', factor: 1 });
  const dollars = draw.logBetween(...profile().dollars);
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
    /** Share of items in which a field that this caller sends is missing. */
    missing: draw.chance(0.5) ? 0 : draw.logBetween(0.002, 0.1),
    /** Recurring bills carry neither address nor device. */
    billsWithoutSession: draw.chance(0.5),
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
    /** Share of payments to a counterparty that no customer ever paid before. */
    newPayeeShare: perUser > 0.5 && draw.chance(0.7) ? draw.logBetween(0.01, 0.15) : 0,
    dollars,
    dollarsOfUsersSpread: draw.between(0.2, 0.9),
    dollarsSpread: draw.logBetween(0.15, 1.1),
    rate: draw.logBetween(...profile().rate),
    rateSpread: draw.between(0.3, 1.1),
    rapidShare: rapidShare * draw.logBetween(0.3, 3),
    machineShare: machineShare * draw.logBetween(0.3, 3),
    smallShare: draw.chance(0.4) ? draw.between(0.02, 0.3) : 0.01,
    subscriptionShare: profile().subscriptions * draw.between(0.3, 1.5),
    billingAtMidnight: draw.chance(0.5),
    loyalty: draw.between(0.4, 0.95),
    /** Price list in dollars. Empty if prices vary freely. */
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
    /** Payout requests per user and day. */
    payouts: draw.chance(0.6) ? draw.logBetween(0.001, 0.04) : 0,
    /** Unusual events per user and day. */
    unusualEventsADay: draw.logBetween(0.004, 0.05),
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
    /** Some callers send the address of a proxy, which does not show where the user is. */
    isBehindProxy: draw.chance(0.08),
    vpnShare: draw.logBetween(0.01, 0.25),
    vpnAddresses: draw.whole(5, 120),
    /** Probability per day that logins fail for all customers. */
    outages: draw.chance(0.4) ? draw.logBetween(0.005, 0.05) : 0,
    /** Probability per day that many customers sign up at once. */
    crowds: draw.chance(0.5) ? draw.logBetween(0.01, 0.15) : 0,
    kiosks: draw.chance(0.25) ? draw.whole(1, 6) : 0,
    mail,
    /** Default share of fraud among all items. */
    fraudShare: draw.logBetween(0.003, 0.05),
    seeds: { people: draw.seedOf(), activity: draw.seedOf(), attacks: draw.seedOf() },
  };
};
export type World = ReturnType<typeof drawWorld>;
