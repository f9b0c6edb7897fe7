import type { Draw } from './draw.ts';
import { type MailHabit, makeAddress, makeDomain, makeEmail, type PostalAddress } from './names.ts';
import {
  type Access,
  addressIn,
  COUNTRIES,
  type Country,
  fixedAccess,
  HOSTING,
  homeAccess,
  pooledAccess,
  poolIn,
} from './networks.ts';
import type { Category, World } from './world.ts';

export interface Counterparty {
  readonly id: string;
  readonly category: Category;
  /** While it is in the hands of thieves, and how many of those who pay there are then robbed. */
  badUntil: number;
  badShare: number;
}
export interface Card {
  readonly fingerprint: string;
  readonly method: 'card' | 'bank' | 'wallet' | 'crypto';
}
export interface Subscription {
  readonly counterparty: Counterparty;
  readonly dollars: number;
  readonly dayOfMonth: number;
}
export type Habit = 'ordinary' | 'small' | 'rapid' | 'machine' | 'seller';
export interface Person {
  readonly id: string;
  email: string;
  readonly country: Country;
  readonly currency: string;
  readonly habit: Habit;
  devices: string[];
  cards: Card[];
  home: Access;
  readonly mobile: Access | undefined;
  readonly work: Access | undefined;
  readonly vpnShare: number;
  readonly paysForOthers: boolean;
  billing: PostalAddress;
  /** The mean of the logarithm is that of this. */
  readonly dollars: number;
  readonly spread: number;
  readonly rate: number;
  readonly peakHour: number;
  readonly hours: number;
  readonly favourites: Counterparty[];
  readonly subscriptions: readonly Subscription[];
  /** Somewhere else until that day. */
  trip: { readonly until: number; readonly access: Access } | undefined;
  /** Does nothing before that day. */
  quietUntil: number;
  lastDay: number;
}

/** Colleagues share an address, some of them the company's card or its e-mail domain. */
export interface Office {
  readonly access: Access;
  readonly card: Card;
  readonly domain: string;
}

/** The places and shops that all people of a world share. Grows with the people, never with the days. */
export const makeTown = (world: World, draw: Draw) => {
  const newCounterparty = (): Counterparty => ({
    id: world.newCounterpartyId(),
    category: draw.pick(world.categories),
    badUntil: 0,
    badShare: 0,
  });
  const counterparties = Array.from({ length: world.counterparties }, newCounterparty);
  const carriers = new Map<string, string[][]>();
  const carrierOf = (country: Country): string[] => {
    let pools = carriers.get(country.code);
    if (pools === undefined) {
      const size = world.carrierAddresses;
      pools = country.mobile.map((prefix) => poolIn(draw, prefix, size, 1 + Math.floor(size / 60)));
      carriers.set(country.code, pools);
    }
    return draw.pick(pools);
  };
  const offices = new Map<string, Office[]>();
  const officeOf = (country: Country): Office => {
    let list = offices.get(country.code);
    if (list === undefined) {
      const share = (world.users * world.officeShare) / world.peoplePerOffice / world.countries.length;
      list = Array.from({ length: Math.max(1, Math.round(share)) }, () => ({
        access: fixedAccess(country.code, addressIn(draw, draw.pick(country.home))),
        card: makeCard(world, draw),
        domain: makeDomain(draw),
      }));
      offices.set(country.code, list);
    }
    return draw.pickEarly(list);
  };
  // What many honest people use together with those who hide: exits of virtual private networks.
  const providers = Array.from({ length: 5 }, () => draw.pick(draw.pick(HOSTING)));
  const vpn = pooledAccess(
    '',
    providers.flatMap((prefix) => poolIn(draw, prefix, Math.ceil(world.vpnAddresses / 5), 1 + draw.whole(0, 3))),
  );
  /** A new counterparty takes the place of one that few know, so that their number stays. */
  const openCounterparty = (): Counterparty => {
    const made = newCounterparty();
    if (counterparties.length > 3)
      counterparties[draw.whole(counterparties.length >> 1, counterparties.length - 1)] = made;
    return made;
  };
  /** Where many order on one device: a tablet in a shop, a computer in a library. */
  const kiosks = Array.from({ length: world.kiosks }, () => ({
    device: world.newDevice(),
    ip: addressIn(draw, draw.pick((world.countries[0] as Country).home)),
  }));
  return { counterparties, newCounterparty, openCounterparty, carrierOf, officeOf, vpn, kiosks };
};
export type Town = ReturnType<typeof makeTown>;

const METHODS = ['card', 'wallet', 'bank', 'crypto'] as const;
export const makeCard = (world: World, draw: Draw): Card => ({
  fingerprint: world.newFingerprint(),
  method: world.kind === 'bank' ? draw.weighted(METHODS, [3, 1, 6, 0.1]) : draw.weighted(METHODS, [10, 3, 1, 0.2]),
});

const habitOf = (world: World, draw: Draw): Habit => {
  const u = draw.random();
  if (u < world.machineShare) return 'machine';
  if (u < world.machineShare + world.rapidShare) return 'rapid';
  if (u < world.machineShare + world.rapidShare + world.smallShare) return 'small';
  return world.kind === 'marketplace' && draw.chance(0.08) ? 'seller' : 'ordinary';
};
const RATE_OF: Record<Habit, readonly [number, number]> = {
  ordinary: [1, 1],
  seller: [0.6, 1],
  small: [2, 5],
  rapid: [6, 25],
  machine: [40, 200],
};

/** Anybody with an account, honest or not. `like` shares a household with them. */
export const makePerson = (
  world: World,
  town: Town,
  draw: Draw,
  { like, mail = world.mail, ordinary = false }: { like?: Person; mail?: MailHabit; ordinary?: boolean } = {},
): Person => {
  const country = like?.country ?? draw.weighted(world.countries, world.countryWeights);
  const habit = ordinary ? 'ordinary' : habitOf(world, draw);
  const [low, high] = RATE_OF[habit];
  const rate = draw.logNormal(world.rate, world.rateSpread) * draw.between(low, high);
  const cards = Array.from({ length: draw.weighted([1, 2, 3], [7, 2, 1]) }, () => makeCard(world, draw));
  const devices = Array.from({ length: draw.weighted([1, 2, 3], [5, 4, 1]) }, () => world.newDevice());
  if (like !== undefined && draw.chance(0.5)) devices[devices.length - 1] = like.devices[0] as string;
  if (like !== undefined && draw.chance(0.5)) cards[0] = like.cards[0] as Card;
  const dollars =
    draw.logNormal(world.dollars, world.dollarsOfUsersSpread) * (habit === 'small' ? draw.between(0.05, 0.4) : 1);
  const machine = habit === 'machine';
  const favourites = Array.from({ length: draw.whole(1, 12) }, () => draw.pickEarly(town.counterparties));
  const office = !machine && draw.chance(world.officeShare) ? town.officeOf(country) : undefined;
  if (office !== undefined && draw.chance(0.15)) cards[cards.length - 1] = office.card;
  const homeChurn = draw.chance(0.5) ? 0 : world.homeChurn * draw.between(0.2, 2);
  return {
    id: world.newUserId(),
    email: makeEmail(draw, mail, office !== undefined && draw.chance(0.3) ? office.domain : undefined),
    country,
    currency: world.currency ?? country.currency,
    habit,
    devices,
    cards,
    home: machine
      ? fixedAccess(country.code, addressIn(draw, draw.pick(draw.pick(HOSTING))))
      : (like?.home ?? homeAccess(draw, world.scattered ? draw.pick(COUNTRIES) : country, world.v6Share, homeChurn)),
    mobile: machine || draw.chance(0.2) ? undefined : pooledAccess(country.code, town.carrierOf(country)),
    work: office?.access,
    vpnShare: draw.chance(world.vpnShare) ? draw.between(0.1, 1) : 0,
    paysForOthers: habit === 'machine' || habit === 'rapid' ? draw.chance(0.3) : draw.chance(0.002),
    billing: like?.billing ?? makeAddress(draw, country.code),
    dollars,
    spread: world.dollarsSpread * draw.between(0.5, 1.5),
    rate: Math.min(rate, machine ? 400 : 60),
    peakHour: draw.chance(0.6) ? 12 + 2 * draw.normal() : 20 + 2 * draw.normal(),
    hours: draw.between(1.5, 5),
    favourites,
    subscriptions: draw.chance(world.subscriptionShare)
      ? Array.from({ length: draw.whole(1, 3) }, () => ({
          counterparty: draw.pickEarly(town.counterparties, 3),
          dollars: draw.logNormal(world.dollars * 0.5, 0.7),
          dayOfMonth: draw.chance(0.3) ? 1 : draw.whole(1, 28),
        }))
      : [],
    trip: undefined,
    quietUntil: 0,
    lastDay: -1,
  };
};
