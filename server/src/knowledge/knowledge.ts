import { type Knowledge, knownIndex, UNAVAILABLE } from '@portcullis/engine';
import type { Config } from '../config.ts';
import { isReserved, makeWords, parseAddress, spell } from './address.ts';
import { type AddressList, readAddressList } from './address-list.ts';
import { placeOf, readCountries } from './countries.ts';
import { domainOf, readEmailDomains } from './email-domains.ts';
import { type Finding, NOTHING, OUT_OF_ORDER, openIpDatabase } from './ip-database.ts';
import { asnOf, isHosting, isVpn, readNetworks } from './networks.ts';

export interface KnowledgeSource {
  /** Fills in all that is known of the address and e-mail of a request. Never throws, never waits. */
  look(request: { readonly ip_address?: string; readonly email?: string }, knowledge: Knowledge): void;
  /** What it looks things up in, for the log. */
  describe(): Readonly<Record<string, string>>;
}
export type KnowledgeSettings = Pick<Config, 'ipDatabase' | 'torExitList' | 'proxyList'>;

const TABLES = new URL('./tables/', import.meta.url);
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
} = knownIndex;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
};
const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
};

/** A source that was asked for: undefined when it is out of order, which was told then. */
interface Opened<Source> {
  readonly source: Source | undefined;
}
/** Two who were asked the same: one yes is enough, and "no" counts only when nobody failed to answer. */
const either = (a: number, b: number): number => {
  if (a === 1 || b === 1) return 1;
  if (a === UNAVAILABLE || b === UNAVAILABLE) return UNAVAILABLE;
  return a === 0 || b === 0 ? 0 : Number.NaN;
};

export const openKnowledge = (
  settings: KnowledgeSettings,
  warn: (message: string) => void,
  tables: URL = TABLES,
): KnowledgeSource => {
  const open = <Source>(what: string, remedy: string, read: () => Source): Opened<Source> => {
    try {
      return { source: read() };
    } catch (error) {
      warn(`${what} cannot be used: ${reasonOf(error)}. What it tells is unavailable to every decision. ${remedy}`);
      return { source: undefined };
    }
  };
  const builtIn = <Source>(name: string, read: (path: URL) => Source): Opened<Source> =>
    open(`The built-in table ${name}`, 'Install the service anew.', () => read(new URL(name, tables)));
  const chosen = <Source>(setting: string, path: string | undefined, read: (path: string) => Source) =>
    path === undefined
      ? undefined
      : open(`${setting} ${path}`, `Put a whole file there or unset ${setting}, and start again.`, () => read(path));
  const list = (setting: string, path: string | undefined): Opened<AddressList> | undefined =>
    chosen(setting, path, (file) => readAddressList(file, (fault) => warn(`${setting} ${file}: ${fault}.`)));

  const database = chosen('IP_DATABASE', settings.ipDatabase, openIpDatabase);
  const torList = list('TOR_EXIT_LIST', settings.torExitList);
  const proxyList = list('PROXY_LIST', settings.proxyList);
  // Where a database of one's own tells countries, or should and is broken, the built-in table is not even read.
  const countries =
    database === undefined || database.source?.hasCountries === false
      ? builtIn('countries.table', readCountries)
      : undefined;
  const networks = builtIn('networks.table', readNetworks);
  const domains = builtIn('emails.table', readEmailDomains);

  const words = makeWords();
  let toldOfRecord = false;
  const tellOfRecord = (reason: string): void => {
    if (toldOfRecord) return;
    toldOfRecord = true;
    warn(
      `IP_DATABASE ${settings.ipDatabase} has a record that cannot be used: ${reason}. What it should tell is unavailable ` +
        'to decisions on such addresses. Put a whole file there and start again; this is told once.',
    );
  };
  const consult = (family: 4 | 6, ip: string): Finding => {
    if (database === undefined) return NOTHING;
    if (database.source === undefined) return OUT_OF_ORDER;
    try {
      const found = database.source.find(family, spell(family, words, ip));
      if (found.isMalformed) tellOfRecord('a value is not of the kind or size it should be');
      return found;
    } catch (error) {
      tellOfRecord(reasonOf(error));
      return OUT_OF_ORDER;
    }
  };
  const listed = (opened: Opened<AddressList> | undefined, family: 4 | 6): number => {
    if (opened === undefined) return Number.NaN;
    if (opened.source === undefined) return UNAVAILABLE;
    return opened.source.has(family, words) ? 1 : 0;
  };

  const lookAtAddress = (ip: string, knowledge: Knowledge): void => {
    const family = parseAddress(ip, words);
    if (family === 0) return;
    const reserved = isReserved(family, words);
    knowledge[IP_RESERVED] = reserved ? 1 : 0;
    if (reserved) return;
    const found = consult(family, ip);

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
    knowledge[IP_PROXY] = either(found.proxy, listed(proxyList, family));
    knowledge[IP_TOR] = either(found.tor, listed(torList, family));
  };
  const lookAtEmail = (email: string, knowledge: Knowledge): void => {
    const domain = domainOf(email);
    if (domain === '') return;
    const { source } = domains;
    knowledge[EMAIL_DISPOSABLE] = source === undefined ? UNAVAILABLE : source.isDisposable(domain) ? 1 : 0;
    knowledge[EMAIL_FREE] = source === undefined ? UNAVAILABLE : source.isFree(domain) ? 1 : 0;
  };

  const saidOf = <Source>(opened: Opened<Source> | undefined, say: (source: Source) => string): string => {
    if (opened === undefined) return 'not set';
    return opened.source === undefined ? 'unavailable' : say(opened.source);
  };
  return {
    look({ ip_address, email }, knowledge) {
      knowledge.fill(Number.NaN);
      if (ip_address !== undefined) lookAtAddress(ip_address, knowledge);
      if (email !== undefined) lookAtEmail(email, knowledge);
    },
    describe: () => ({
      ...(database === undefined ? {} : { ip_database: saidOf(database, ({ type, built }) => `${type} of ${built}`) }),
      ...(countries === undefined ? {} : { countries: saidOf(countries, ({ built }) => `DB-IP Lite of ${built}`) }),
      networks: saidOf(networks, ({ built }) => `RouteViews, NRO and DB-IP Lite of ${built}`),
      email_domains: saidOf(domains, ({ built }) => `lists of ${built}`),
      tor_exits: saidOf(torList, ({ size }) => `${size} entries`),
      proxies: saidOf(proxyList, ({ size }) => `${size} entries`),
    }),
  };
};
