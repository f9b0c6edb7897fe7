import { EVENT_TYPES, type EventType, inDollars } from '@portcullis/contract';
import { type Draw, makeDraw } from './draw.ts';
import { ID_SHAPES, type MailHabit, makeIdMaker } from './names.ts';
import { COUNTRIES, type Country } from './networks.ts';

/** Kinds of business. `mixed` is any of them, blended. */
export const WORLDS = ['shop', 'marketplace', 'bank', 'cards', 'digital', 'rapid', 'mixed'] as const;
export type WorldKind = (typeof WORLDS)[number];

export const MEMBERS = [
  'ip',
  'device',
  'method',
  'fingerprint',
  'counterparty',
  'email',
  'billing',
  'shipping',
] as const;
export type Member = (typeof MEMBERS)[number];

interface Temper {
  /** How likely a caller sends each member, in the order of MEMBERS. */
  readonly sends: readonly number[];
  readonly events: number;
  /** The median payment in dollars, from and to. */
  readonly dollars: readonly [number, number];
  /** Payments a day of the median user. */
  readonly rate: readonly [number, number];
  /** Counterparties for each user, and at least how many. */
  readonly counterparties: readonly [number, number];
  /** How many of the users pay very often, and how many are programs. */
  readonly rapid: readonly [number, number];
  readonly subscriptions: number;
}

const TEMPERS: Readonly<Record<Exclude<WorldKind, 'mixed'>, Temper>> = {
  shop: {
    sends: [0.9, 0.75, 0.8, 0.85, 0.35, 0.85, 0.75, 0.6],
    events: 0.75,
    dollars: [12, 160],
    rate: [0.02, 0.25],
    counterparties: [0, 1],
    rapid: [0.001, 0],
    subscriptions: 0.1,
  },
  marketplace: {
    sends: [0.9, 0.8, 0.8, 0.85, 0.95, 0.85, 0.6, 0.6],
    events: 0.85,
    dollars: [8, 90],
    rate: [0.04, 0.5],
    counterparties: [0.15, 60],
    rapid: [0.004, 0.001],
    subscriptions: 0.05,
  },
  bank: {
    sends: [0.85, 0.75, 0.8, 0.7, 0.97, 0.4, 0.1, 0.02],
    events: 0.85,
    dollars: [25, 250],
    rate: [0.1, 1.2],
    counterparties: [0.8, 150],
    rapid: [0.003, 0.001],
    subscriptions: 0.6,
  },
  cards: {
    sends: [0.15, 0.1, 0.5, 0.4, 0.97, 0.1, 0.15, 0.02],
    events: 0.1,
    dollars: [10, 80],
    rate: [0.4, 3],
    counterparties: [0.6, 100],
    rapid: [0.004, 0],
    subscriptions: 0.4,
  },
  digital: {
    sends: [0.9, 0.75, 0.8, 0.8, 0.4, 0.85, 0.3, 0.05],
    events: 0.8,
    dollars: [2, 25],
    rate: [0.08, 1.2],
    counterparties: [0.01, 1],
    rapid: [0.01, 0.001],
    subscriptions: 0.5,
  },
  rapid: {
    sends: [0.8, 0.6, 0.7, 0.7, 0.7, 0.5, 0.2, 0.1],
    events: 0.6,
    dollars: [3, 60],
    rate: [0.3, 3],
    counterparties: [0.05, 3],
    rapid: [0.08, 0.01],
    subscriptions: 0.4,
  },
};
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

/** Everything about a business that is drawn once: what its caller sends, who its customers are, how they pay. */
export const drawWorld = ({ seed, users, days, start, world: kind }: WorldOptions) => {
  const draw = makeDraw(seed);
  const tempers = kind === 'mixed' ? KINDS.map((name) => TEMPERS[name]) : [TEMPERS[kind]];
  // A mixed world takes each of its properties from some kind of business.
  const temper = (): Temper => draw.pick(tempers);
  const sends = Object.fromEntries(
    MEMBERS.map((member, i) => [member, draw.chance(temper().sends[i] as number)]),
  ) as Record<Member, boolean>;
  // A caller that sends nothing but user and amount gives nobody anything to go by.
  if (!sends.ip && !sends.device && !sends.fingerprint && !sends.counterparty) sends.ip = true;
  const sendsEvents = draw.chance(temper().events);
  const allTypes = draw.chance(0.6);
  const events = new Set<EventType>(
    sendsEvents ? EVENT_TYPES.filter((type) => allTypes || type === 'login' || draw.chance(0.5)) : [],
  );
  const { countries, weights } = drawCountries(draw);
  const home = countries[0] as Country;
  const [perUser, least] = temper().counterparties;
  const [rapidShare, machineShare] = temper().rapid;
  const categories: Category[] = someOf(draw, CATEGORIES, 0.6).map((name) => ({
    name,
    factor: name === 'gift_cards' ? draw.between(0.6, 2.5) : draw.logNormal(1, draw.between(0.2, 0.9)),
  }));
  if (categories.length === 0) categories.push({ name: 'goods', factor: 1 });
  const mail: MailHabit = { throwAwayShare: draw.logBetween(0.003, 0.06), ownDomainShare: draw.between(0.03, 0.3) };
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
    dollars: draw.logBetween(...temper().dollars),
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
    fixedPrices: draw.chance(0.3),
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
    /** How often anything out of the ordinary happens to a user, a day. */
    momentsADay: draw.logBetween(0.004, 0.03),
    bigPurchases: draw.logBetween(0.003, 0.03),
    newUsersADay: draw.logBetween(0.0005, 0.03),
    firstDayShare: draw.between(0.5, 1),
    quietShare: draw.between(0.02, 0.25),
    familyShare: draw.between(0, 0.25),
    officeShare: draw.between(0.02, 0.4),
    peoplePerOffice: draw.logBetween(3, 120),
    mobileShare: draw.between(0.1, 0.7),
    carrierAddresses: Math.round(draw.logBetween(4, 250)),
    v6Share: draw.chance(0.3) ? 0 : draw.between(0.05, 0.6),
    homeChurn: draw.logBetween(0.003, 0.4),
    vpnShare: draw.logBetween(0.005, 0.12),
    vpnAddresses: draw.whole(5, 120),
    mail,
    /** The part of all items that is fraud, where nobody asks for another. */
    fraudShare: draw.logBetween(0.003, 0.05),
    seeds: { people: draw.seedOf(), life: draw.seedOf(), crime: draw.seedOf() },
  };
};
export type World = ReturnType<typeof drawWorld>;

/** Currencies that have no small coins, or whose small coins nobody uses. */
const WHOLE = new Set(['JPY', 'KRW', 'VND', 'IDR', 'COP', 'NGN', 'PKR', 'ARS', 'KES']);

/** A price as shops write them. Thieves pay the same prices as everybody. */
export const priceOf = (world: World, draw: Draw, dollars: number, currency: string): number => {
  const units = dollars / inDollars(1, currency);
  if (WHOLE.has(currency)) {
    const step = units > 50_000 ? 500 : units > 1000 ? 10 : 1;
    return Math.max(step, Math.round(units / step) * step);
  }
  const style = draw.weighted([0, 1, 2, 3], world.priceWeights);
  if (style === 1) return Math.floor(units) + 0.99;
  if (style === 2 && units >= 2) return Math.round(units);
  if (style === 3 && units >= 2) return Math.round(units * 2) / 2 - (draw.chance(0.5) ? 0.05 : 0);
  return Math.max(0.01, Math.round(units * 100) / 100);
};

/** A round sum as people write it, about so many dollars. */
export const roundOf = (dollars: number, currency: string): number => {
  const units = dollars / inDollars(1, currency);
  let step = 1;
  while (step * 10 <= units) step *= 10;
  const fine = units / step >= 5 ? step / 2 : step / 4;
  return Math.max(1, Math.round(Math.round(units / fine) * fine));
};
