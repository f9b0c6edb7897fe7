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
import type { Draw } from './random.ts';
import type { Category, World } from './world.ts';

export interface Counterparty {
  readonly id: string;
  readonly category: Category;
  /** End of the time in which it is compromised, and the share of its payments that are fraud until then. */
  compromisedUntil: number;
  compromisedShare: number;
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
  work: Access | undefined;
  vpnShare: number;
  /** Share of sessions without the stored device identifier: private windows, deleted cookies. */
  forgets: number;
  readonly paysForOthers: boolean;
  billing: PostalAddress;
  /** Addresses of work, parents and friends, to which some orders go. */
  readonly recipients: PostalAddress[];
  readonly giftShare: number;
  /** A second place with a device of its own: a carer, a partner's home, a second home. */
  second: SecondPlace | undefined;
  /** Median payment in dollars, before the factor of the category. */
  readonly dollars: number;
  readonly spread: number;
  readonly rate: number;
  readonly peakHour: number;
  readonly hours: number;
  readonly favourites: Counterparty[];
  subscriptions: readonly Subscription[];
  /** Network used abroad until that day. */
  trip: { readonly until: number; readonly access: Access } | undefined;
  /** No activity before that day. */
  quietUntil: number;
  lastDay: number;
}

export interface SecondPlace {
  readonly share: number;
  readonly device: string;
  readonly access: Access;
}

/** Colleagues share an address. Some also share the company's card or e-mail domain. */
export interface Office {
  readonly access: Access;
  readonly card: Card;
  readonly domain: string;
  readonly address: PostalAddress;
}

/** Places and shops that all people of a world share. Memory grows with the number of people, never with days. */
export const makeTown = (world: World, draw: Draw) => {
  const newCounterparty = (): Counterparty => ({
    id: world.newCounterpartyId(),
    category: draw.pick(world.categories),
    compromisedUntil: 0,
    compromisedShare: 0,
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
        address: makeAddress(draw, country.code),
      }));
      offices.set(country.code, list);
    }
    return draw.pickEarly(list);
  };
  // VPN exits are shared by legitimate customers and attackers.
  const providers = Array.from({ length: 5 }, () => draw.pick(draw.pick(HOSTING)));
  const vpn = pooledAccess(
    '',
    providers.flatMap((prefix) => poolIn(draw, prefix, Math.ceil(world.vpnAddresses / 5), 1 + draw.whole(0, 3))),
  );
  /** A new counterparty replaces a little known one, so that their number stays constant. */
  const openCounterparty = (): Counterparty => {
    const counterparty = newCounterparty();
    if (counterparties.length > 3)
      counterparties[draw.whole(counterparties.length >> 1, counterparties.length - 1)] = counterparty;
    return counterparty;
  };
  /** Devices that many people share: a tablet in a shop, a computer in a library. */
  const kiosks = Array.from({ length: world.kiosks }, () => ({
    device: world.newDevice(),
    ip: addressIn(draw, draw.pick((world.countries[0] as Country).home)),
  }));
  /** One of a few that are opened when they are first needed. */
  const oneOfFew = <T>(make: () => T): (() => T) => {
    const opened: T[] = [];
    return () => {
      if (opened.length === 0 || draw.chance(1 / (8 * opened.length))) opened.push(make());
      return draw.pick(opened);
    };
  };
  /** The gateway of a company in a data centre, with the card of the team. */
  const gateway = oneOfFew(() => {
    const prefix = draw.pick(draw.pick(HOSTING));
    return { access: pooledAccess('', poolIn(draw, prefix, draw.whole(1, 4), 1)), card: makeCard(world, draw) };
  });
  /** A computer that strangers use one after another, in a library, hotel or call shop. */
  const publicComputer = oneOfFew(() => ({
    device: world.newDevice(),
    ip: addressIn(draw, draw.pick((world.countries[0] as Country).home)),
  }));
  let wedding: PostalAddress | undefined;
  /** The address of a couple to which guests, who do not know each other, send presents. */
  const weddingAddress = (country: Country): PostalAddress => {
    if (wedding?.country !== country.code || draw.chance(0.08)) wedding = makeAddress(draw, country.code);
    return wedding;
  };
  return {
    counterparties,
    newCounterparty,
    openCounterparty,
    carrierOf,
    officeOf,
    vpn,
    kiosks,
    gateway,
    publicComputer,
    weddingAddress,
  };
};
export type Town = ReturnType<typeof makeTown>;

const METHODS = ['card', 'wallet', 'bank', 'crypto'] as const;
export const makeCard = (world: World, draw: Draw): Card => ({
  fingerprint: world.newFingerprint(),
  method: draw.weighted(METHODS, world.methods),
});

const habitOf = (world: World, draw: Draw): Habit => {
  const u = draw.random();
  if (u < world.machineShare) return 'machine';
  if (u < world.machineShare + world.rapidShare) return 'rapid';
  if (u < world.machineShare + world.rapidShare + world.smallShare) return 'small';
  return draw.chance(world.kind === 'marketplace' ? 0.08 : world.payeeShare) ? 'seller' : 'ordinary';
};
const RATE_OF: Record<Habit, readonly [number, number]> = {
  ordinary: [1, 1],
  seller: [0.6, 1],
  small: [2, 5],
  rapid: [6, 25],
  machine: [40, 200],
};

const listOf = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** The home line of a person. Some callers see a proxy instead, some people a computer in a data centre. */
const homeOf = (world: World, draw: Draw, country: Country, isHosted: boolean): Access => {
  if (isHosted) return fixedAccess(country.code, addressIn(draw, draw.pick(draw.pick(HOSTING))));
  const churn = draw.chance(0.5) ? 0 : world.homeChurn * draw.between(0.2, 2);
  return homeAccess(draw, world.isBehindProxy ? draw.pick(COUNTRIES) : country, world.v6Share, churn);
};

/** A second home or a carer. Both places use the account, in turn. */
export const makeSecondPlace = (world: World, draw: Draw, country: Country): SecondPlace => ({
  share: draw.between(0.1, 0.7),
  device: world.newDevice(),
  access: homeOf(world, draw, country, false),
});

/** People of one household: a family shares money and devices, tenants of a flat only the address. */
const shareHousehold = (world: World, draw: Draw, housemate: Person, devices: string[], cards: Card[]): void => {
  if (draw.chance(world.flatShare)) return;
  if (draw.chance(0.5)) devices[devices.length - 1] = housemate.devices[0] as string;
  if (draw.chance(0.5)) cards[0] = housemate.cards[0] as Card;
};

interface PersonOptions {
  readonly housemate?: Person;
  readonly country?: Country;
  readonly mail?: MailHabit;
  readonly ordinary?: boolean;
}

/** Any account holder, legitimate or not. `housemate` shares a household with the new person. */
export const makePerson = (world: World, town: Town, draw: Draw, options: PersonOptions = {}): Person => {
  const { housemate, mail = world.mail, ordinary = false } = options;
  const country = options.country ?? housemate?.country ?? draw.weighted(world.countries, world.countryWeights);
  const habit = ordinary ? 'ordinary' : habitOf(world, draw);
  const [low, high] = RATE_OF[habit];
  const rate = draw.logNormal(world.rate, world.rateSpread) * draw.between(low, high);
  const cardCount = draw.chance(world.manyCardsShare) ? draw.whole(3, 9) : draw.weighted([1, 2, 3], [7, 2, 1]);
  const cards = listOf(cardCount, () => makeCard(world, draw));
  const devices = listOf(draw.weighted([1, 2, 3], [5, 4, 1]), () => world.newDevice());
  if (housemate !== undefined) shareHousehold(world, draw, housemate, devices, cards);
  const dollars =
    draw.logNormal(world.dollars, world.dollarsOfUsersSpread) * (habit === 'small' ? draw.between(0.05, 0.4) : 1);
  const isMachine = habit === 'machine';
  const office = !isMachine && draw.chance(world.officeShare) ? town.officeOf(country) : undefined;
  if (office !== undefined && draw.chance(world.companyCardShare)) cards[draw.whole(0, cards.length - 1)] = office.card;
  const isExpat = draw.chance(world.expatShare);
  const billing = housemate?.billing ?? makeAddress(draw, isExpat ? draw.pick(COUNTRIES).code : country.code);
  const recipients = listOf(draw.weighted([0, 1, 2, 4], [3, 3, 2, 1]), () => makeAddress(draw, country.code));
  if (office !== undefined) recipients.push(office.address);
  const isRapid = isMachine || habit === 'rapid';
  return {
    id: world.newUserId(),
    email: makeEmail(draw, mail, office !== undefined && draw.chance(0.3) ? office.domain : undefined),
    country,
    currency: world.currency ?? country.currency,
    habit,
    devices,
    cards,
    home: housemate?.home ?? homeOf(world, draw, country, isMachine || draw.chance(world.hostedShare)),
    mobile: isMachine || draw.chance(0.2) ? undefined : pooledAccess(country.code, town.carrierOf(country)),
    work: office?.access,
    vpnShare: draw.chance(world.vpnShare) ? draw.between(0.1, 1) : 0,
    forgets: draw.chance(world.forgetfulShare) ? draw.between(0.1, 0.9) : 0,
    paysForOthers: draw.chance(isRapid ? Math.max(0.3, world.agentShare) : world.agentShare),
    billing,
    recipients,
    giftShare: world.giftShare * draw.between(0, 2),
    second: draw.chance(world.helperShare) ? makeSecondPlace(world, draw, country) : undefined,
    dollars,
    spread: world.dollarsSpread * draw.between(0.5, 1.5),
    rate: Math.min(rate, isMachine ? 400 : 60),
    peakHour: draw.chance(0.6) ? 12 + 2 * draw.normal() : 20 + 2 * draw.normal(),
    hours: draw.between(1.5, 5),
    favourites: listOf(draw.whole(1, 12), () => draw.pickEarly(town.counterparties)),
    subscriptions: draw.chance(world.subscriptionShare)
      ? listOf(draw.whole(1, 3), () => ({
          counterparty: draw.pickEarly(town.counterparties, 3),
          dollars: draw.logNormal(world.dollars * 0.5, 0.7),
          dayOfMonth: draw.chance(0.3) ? world.paydayDate : draw.whole(1, 28),
        }))
      : [],
    trip: undefined,
    quietUntil: 0,
    lastDay: -1,
  };
};
