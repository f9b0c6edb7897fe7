import type { Config } from '../config.ts';
import { type AddressList, readAddressList } from './address-list.ts';
import { type Countries, readCountries } from './countries.ts';
import { type EmailDomains, readEmailDomains } from './email-domains.ts';
import { type IpDatabase, openIpDatabase } from './ip-database.ts';
import { type Networks, readNetworks } from './networks.ts';

export type KnowledgeSettings = Pick<Config, 'ipDatabase' | 'torExitList' | 'proxyList'>;
export type Warn = (message: string) => void;

/** A configured source. `source` is undefined if it cannot be used; a warning was logged at the start. */
export interface OpenedSource<Source> {
  readonly source: Source | undefined;
}

/** The sources of all lookups; undefined for one that is not configured. */
export interface Sources {
  readonly database: OpenedSource<IpDatabase> | undefined;
  readonly countries: OpenedSource<Countries> | undefined;
  readonly networks: OpenedSource<Networks>;
  readonly domains: OpenedSource<EmailDomains>;
  readonly torList: OpenedSource<AddressList> | undefined;
  readonly proxyList: OpenedSource<AddressList> | undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
};

const open = <Source>(warn: Warn, name: string, remedy: string, read: () => Source): OpenedSource<Source> => {
  try {
    return { source: read() };
  } catch (error) {
    warn(`${name} cannot be used: ${reasonOf(error)}. Decisions are made without its facts. ${remedy}`);
    return { source: undefined };
  }
};

export const SHIPPED_TABLES = new URL('./tables/', import.meta.url);
/** Shipped tables that were read, by name. They are part of the installation: no running process replaces them. */
const shipped = new Map<string, unknown>();
const readOnce = <Source>(name: string, read: () => Source): Source => {
  if (!shipped.has(name)) shipped.set(name, read());
  return shipped.get(name) as Source;
};

/** Opens every configured source. An unusable source is reported through `warn` and never replaced by another. */
export const openSources = (settings: KnowledgeSettings, warn: Warn, tables: URL): Sources => {
  const openBuiltIn = <Source>(name: string, read: (path: URL) => Source): OpenedSource<Source> =>
    open(warn, `The built-in table ${name}`, 'Reinstall the service.', () => {
      const readFile = () => read(new URL(name, tables));
      return tables === SHIPPED_TABLES ? readOnce(name, readFile) : readFile();
    });
  const openSetting = <Source>(setting: string, path: string | undefined, read: (path: string) => Source) =>
    path === undefined
      ? undefined
      : open(warn, `${setting} ${path}`, `Provide a valid file or unset ${setting}, then restart.`, () => read(path));
  const openList = (setting: string, path: string | undefined): OpenedSource<AddressList> | undefined =>
    openSetting(setting, path, (file) => readAddressList(file, (problem) => warn(`${setting} ${file}: ${problem}.`)));

  const database = openSetting('IP_DATABASE', settings.ipDatabase, openIpDatabase);
  // With an IP_DATABASE that has countries, or cannot be used, the built-in table is not read at all.
  const needsCountries = database === undefined || database.source?.hasCountries === false;
  return {
    database,
    torList: openList('TOR_EXIT_LIST', settings.torExitList),
    proxyList: openList('PROXY_LIST', settings.proxyList),
    countries: needsCountries ? openBuiltIn('countries.table', readCountries) : undefined,
    networks: openBuiltIn('networks.table', readNetworks),
    domains: openBuiltIn('emails.table', readEmailDomains),
  };
};
