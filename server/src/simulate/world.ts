import { EVENT_TYPES, type EventType } from '@portcullis/contract/values';
import {
  type BusinessProfile,
  type Family,
  FIELDS,
  type Field,
  familyOf,
  JUDGING_DAYS,
  type JudgingKind,
  SPECIAL_DAYS,
  type SpecialDay,
  type WorldKind,
} from './businesses.ts';
import { JUDGING_PROFILES } from './businesses-judging.ts';
import { TRAINING_PROFILES } from './businesses-training.ts';
import { ID_SHAPES, type MailHabit, makeDomain, makeIdMaker } from './names.ts';
import { COUNTRIES, type Country } from './networks.ts';
import { type Draw, makeDraw } from './random.ts';
import { JUDGING_RANGES, type Ranges, TRAINING_RANGES } from './ranges.ts';

/** The profiles from which a kind of business takes its properties. A mixed world takes them from training kinds only. */
const profilesOf = (kind: WorldKind): readonly BusinessProfile[] => {
  if (kind === 'mixed') return Object.values(TRAINING_PROFILES);
  return [familyOf(kind) === 'judging' ? JUDGING_PROFILES[kind as JudgingKind] : TRAINING_PROFILES[kind as 'shop']];
};

const DEFAULT_METHODS = [10, 3, 1, 0.2] as const;

/** Probability per day of each special day. Any business may have one of those of its family now and then. */
const drawSpecialDays = (draw: Draw, family: Family, profile: BusinessProfile): Map<SpecialDay, number> => {
  const days = new Map<SpecialDay, number>();
  for (const kind of SPECIAL_DAYS) {
    const isRare = draw.chance(0.2) && (family === 'judging' || !JUDGING_DAYS.includes(kind));
    const probability = (profile.days?.[kind] ?? 0) * draw.between(0.5, 1.5) + (isRare ? draw.between(0.005, 0.02) : 0);
    if (probability > 0) days.set(kind, probability);
  }
  return days;
};

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
  const family = familyOf(kind);
  const profiles = profilesOf(kind);
  const profile = (): BusinessProfile => draw.pick(profiles);
  const usualRanges = family === 'judging' ? JUDGING_RANGES : TRAINING_RANGES;
  const drawn = (name: keyof Ranges): number => {
    const range = profile().ranges?.[name];
    return draw.logBetween(...(range ?? usualRanges[name]));
  };
  const isOwn = (name: keyof Ranges): boolean => profiles.length === 1 && profiles[0]?.ranges?.[name] !== undefined;
  const sends = Object.fromEntries(
    FIELDS.map((field, i) => [field, draw.chance(profile().sends[i] as number)]),
  ) as Record<Field, boolean>;
  // Thorough callers send every field that is usual in their business.
  const isThorough = draw.chance(family === 'judging' ? 0.75 : 0.5);
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
    throwAwayShare: drawn('throwAwayShare'),
    ownDomainShare: drawn('ownDomainShare'),
    plusShare: drawn('plusShare'),
  };
  return {
    kind,
    family,
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
    newPayeeShare: isOwn('newPayeeShare') || (perUser > 0.5 && draw.chance(0.7)) ? drawn('newPayeeShare') : 0,
    methods: profile().methods ?? DEFAULT_METHODS,
    dollars,
    dollarsOfUsersSpread: drawn('dollarsOfUsersSpread'),
    dollarsSpread: drawn('dollarsSpread'),
    rate: draw.logBetween(...profile().rate),
    rateSpread: drawn('rateSpread'),
    rapidShare: rapidShare * draw.logBetween(0.3, 3),
    machineShare: machineShare * draw.logBetween(0.3, 3),
    payeeShare: isOwn('payeeShare') || draw.chance(0.3) ? drawn('payeeShare') : 0,
    smallShare: draw.chance(0.4) ? draw.between(0.02, 0.3) : 0.01,
    subscriptionShare: profile().subscriptions * draw.between(0.3, 1.5),
    billingAtMidnight: draw.chance(0.5),
    loyalty: drawn('loyalty'),
    roundShare: drawn('roundShare'),
    firstFactor: drawn('firstFactor'),
    /** Price list in dollars. Empty if prices vary freely. */
    prices: draw.chance(drawn('listedShare'))
      ? Array.from({ length: draw.whole(3, 40) }, () => draw.logNormal(dollars, 1.1)).sort((a, b) => a - b)
      : [],
    priceWeights: [draw.between(0.2, 3), draw.between(0, 2), draw.between(0, 1), draw.between(0, 1)],
    weekend: drawn('weekend'),
    payday: isOwn('payday') || draw.chance(0.5) ? drawn('payday') : 1,
    paydayDate: draw.pick([1, 15, 25, 28]),
    saleDays: draw.chance(0.5) ? draw.between(0.01, 0.05) : 0,
    saleFactor: draw.between(1.5, 6),
    specialDays: drawSpecialDays(draw, family, profile()),
    night: drawn('night'),
    loginBefore: drawn('loginBefore'),
    browsing: drawn('browsing'),
    logouts: draw.chance(0.4) ? draw.between(0.05, 0.5) : 0,
    typos: drawn('typos'),
    retries: drawn('retries'),
    verifiesCards: draw.chance(0.35),
    payouts: isOwn('payouts') || draw.chance(0.6) ? drawn('payouts') : 0,
    unusualEventsADay: drawn('unusualEventsADay'),
    newUsersADay: drawn('newUsersADay'),
    travelShare: drawn('travelShare'),
    firstDayShare: draw.between(0.5, 1),
    quietShare: draw.between(0.02, 0.25),
    familyShare: drawn('familyShare'),
    flatShare: drawn('flatShare'),
    officeShare: drawn('officeShare'),
    peoplePerOffice: drawn('peoplePerOffice'),
    companyCardShare: drawn('companyCardShare'),
    helperShare: drawn('helperShare'),
    expatShare: drawn('expatShare'),
    agentShare: drawn('agentShare'),
    manyCardsShare: drawn('manyCardsShare'),
    giftShare: drawn('giftShare'),
    forgetfulShare: drawn('forgetfulShare'),
    awayShare: drawn('awayShare'),
    mobileShare: drawn('mobileShare'),
    carrierAddresses: Math.round(drawn('carrierAddresses')),
    v6Share: draw.chance(0.3) ? 0 : drawn('v6Share'),
    homeChurn: drawn('homeChurn'),
    /** Some callers send the address of a proxy, which does not show where the user is. */
    isBehindProxy: draw.chance(0.08),
    vpnShare: drawn('vpnShare'),
    vpnAddresses: Math.round(drawn('vpnAddresses')),
    hostedShare: drawn('hostedShare'),
    /** Probability per day that logins fail for all customers. */
    outages: draw.chance(0.4) ? draw.logBetween(0.005, 0.05) : 0,
    /** Probability per day that many customers sign up at once. */
    crowds: draw.chance(0.5) ? draw.logBetween(0.01, 0.15) : 0,
    kiosks: isOwn('kiosks') || draw.chance(0.25) ? Math.round(drawn('kiosks')) : 0,
    kioskShare: drawn('kioskShare'),
    mail,
    respellShare: drawn('respellShare'),
    fraudShare: drawn('fraudShare'),
    patienceDays: drawn('patienceDays'),
    returnShare: drawn('returnShare'),
    /** Share of fraud labels with a reason. Many callers give none. */
    reasonShare: draw.chance(0.6) ? drawn('reasonShare') : 0,
    wrongReasonShare: draw.between(0, 0.1),
    seeds: { people: draw.seedOf(), activity: draw.seedOf(), attacks: draw.seedOf() },
  };
};
export type World = ReturnType<typeof drawWorld>;
