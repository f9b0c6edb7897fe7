import { type Knowledge, knowledgeIndex, UNAVAILABLE } from '@portcullis/engine';
import { type Family, isReserved, makeWords, parseAddress, spell, type Words } from './address.ts';
import type { AddressList } from './address-list.ts';
import { placeOf } from './countries.ts';
import { domainOf } from './email-domains.ts';
import { type AddressFacts, ALL_UNAVAILABLE, ALL_UNKNOWN } from './ip-database.ts';
import { asnOf, isHosting, isVpn } from './networks.ts';
import {
  type KnowledgeSettings,
  type OpenedSource,
  openSources,
  reasonOf,
  SHIPPED_TABLES,
  type Sources,
  type Warn,
} from './sources.ts';

export type { KnowledgeSettings } from './sources.ts';

export interface KnowledgeSource {
  /** Fills in the facts of a request's address and e-mail. Never throws, never waits. */
  lookUp(request: { readonly ip_address?: string; readonly email?: string }, knowledge: Knowledge): void;
  /** The sources and their age, for the log. */
  describe(): Readonly<Record<string, string>>;
}

interface LookupState {
  readonly sources: Sources;
  readonly ipDatabasePath: string | undefined;
  readonly warn: Warn;
  /** The address of the current request; reused to avoid an allocation. */
  readonly words: Words;
  hasWarnedOfRecord: boolean;
}

const {
  ip_country: IP_COUNTRY,
  ip_latitude: IP_LATITUDE,
  ip_longitude: IP_LONGITUDE,
  ip_radius_km: IP_RADIUS_KM,
  asn: ASN,
  ip_hosting: IP_HOSTING,
  ip_vpn: IP_VPN,
  ip_proxy: IP_PROXY,
  ip_tor: IP_TOR,
  ip_reserved: IP_RESERVED,
  email_disposable: EMAIL_DISPOSABLE,
  email_free: EMAIL_FREE,
} = knowledgeIndex;

/** Combines the flags of two sources: one yes is enough, and "no" counts only if neither is unavailable. */
const either = (a: number, b: number): number => {
  if (a === 1 || b === 1) return 1;
  if (a === UNAVAILABLE || b === UNAVAILABLE) return UNAVAILABLE;
  return a === 0 || b === 0 ? 0 : Number.NaN;
};

const warnOfRecord = (state: LookupState, reason: string): void => {
  if (state.hasWarnedOfRecord) return;
  state.hasWarnedOfRecord = true;
  state.warn(
    `IP_DATABASE ${state.ipDatabasePath} has a record that cannot be used: ${reason}. Decisions on such addresses are ` +
      'made without its facts. Provide a valid file and restart. This warning is logged once.',
  );
};

const readDatabase = (state: LookupState, family: 4 | 6, ip: string): AddressFacts => {
  const { database } = state.sources;
  if (database === undefined) return ALL_UNKNOWN;
  if (database.source === undefined) return ALL_UNAVAILABLE;
  try {
    const facts = database.source.find(family, spell(family, state.words, ip));
    if (facts.isMalformed) warnOfRecord(state, 'a value has the wrong type or is out of range');
    return facts;
  } catch (error) {
    warnOfRecord(state, reasonOf(error));
    return ALL_UNAVAILABLE;
  }
};

const isListed = (list: OpenedSource<AddressList> | undefined, family: Family, words: Words): number => {
  if (list === undefined) return Number.NaN;
  if (list.source === undefined) return UNAVAILABLE;
  return list.source.has(family, words) ? 1 : 0;
};

const lookUpAddress = (state: LookupState, ip: string, knowledge: Knowledge): void => {
  const { words } = state;
  const { countries, networks, proxyList, torList } = state.sources;
  const family = parseAddress(ip, words);
  if (family === 0) return;
  const reserved = isReserved(family, words);
  knowledge[IP_RESERVED] = reserved ? 1 : 0;
  if (reserved) return;
  const found = readDatabase(state, family, ip);

  let { country } = found;
  if (Number.isNaN(country) && countries !== undefined)
    country = countries.source === undefined ? UNAVAILABLE : countries.source.countryAt(family, words);
  const { latitude, longitude, radiusKm } =
    Number.isNaN(found.latitude + found.longitude) && country !== UNAVAILABLE ? placeOf(country) : found;
  const isPlaceless = Number.isNaN(latitude) && country === UNAVAILABLE;
  knowledge[IP_COUNTRY] = country;
  knowledge[IP_LATITUDE] = isPlaceless ? UNAVAILABLE : latitude;
  knowledge[IP_LONGITUDE] = isPlaceless ? UNAVAILABLE : longitude;
  knowledge[IP_RADIUS_KM] = isPlaceless ? UNAVAILABLE : radiusKm;

  const network = networks.source?.networkAt(family, words);
  const hosting = network === undefined ? UNAVAILABLE : isHosting(network) ? 1 : 0;
  const vpn = network === undefined ? UNAVAILABLE : isVpn(network) ? 1 : 0;
  knowledge[ASN] = network === undefined ? UNAVAILABLE : network === 0 ? Number.NaN : asnOf(network);
  knowledge[IP_HOSTING] = Number.isNaN(found.hosting) ? (network === 0 ? Number.NaN : hosting) : found.hosting;
  knowledge[IP_VPN] = Number.isNaN(found.vpn) ? (network === 0 ? Number.NaN : vpn) : found.vpn;
  knowledge[IP_PROXY] = either(found.proxy, isListed(proxyList, family, words));
  knowledge[IP_TOR] = either(found.tor, isListed(torList, family, words));
};

const lookUpEmail = ({ source }: Sources['domains'], email: string, knowledge: Knowledge): void => {
  const domain = domainOf(email);
  if (domain === '') return;
  knowledge[EMAIL_DISPOSABLE] = source === undefined ? UNAVAILABLE : source.isDisposable(domain) ? 1 : 0;
  knowledge[EMAIL_FREE] = source === undefined ? UNAVAILABLE : source.isFree(domain) ? 1 : 0;
};

const describeSource = <Source>(
  opened: OpenedSource<Source> | undefined,
  describe: (source: Source) => string,
): string => {
  if (opened === undefined) return 'not set';
  return opened.source === undefined ? 'unavailable' : describe(opened.source);
};

const describeSources = ({ database, countries, networks, domains, torList, proxyList }: Sources) => ({
  ...(database === undefined
    ? {}
    : { ip_database: describeSource(database, ({ type, built }) => `${type} of ${built}`) }),
  ...(countries === undefined ? {} : { countries: describeSource(countries, ({ built }) => `DB-IP Lite of ${built}`) }),
  networks: describeSource(networks, ({ built }) => `RouteViews, NRO and DB-IP Lite of ${built}`),
  email_domains: describeSource(domains, ({ built }) => `lists of ${built}`),
  tor_exits: describeSource(torList, ({ size }) => `${size} entries`),
  proxies: describeSource(proxyList, ({ size }) => `${size} entries`),
});

export const openKnowledge = (
  settings: KnowledgeSettings,
  warn: Warn,
  tables: URL = SHIPPED_TABLES,
): KnowledgeSource => {
  const sources = openSources(settings, warn, tables);
  const state: LookupState = {
    sources,
    ipDatabasePath: settings.ipDatabase,
    warn,
    words: makeWords(),
    hasWarnedOfRecord: false,
  };
  return {
    lookUp({ ip_address, email }, knowledge) {
      knowledge.fill(Number.NaN);
      if (ip_address !== undefined) lookUpAddress(state, ip_address, knowledge);
      if (email !== undefined) lookUpEmail(sources.domains, email, knowledge);
    },
    describe: () => describeSources(sources),
  };
};
