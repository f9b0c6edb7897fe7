import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type Environment, KEY_PREFIXES } from '@portcullis/contract/values';
import ipaddr from 'ipaddr.js';
import { DESTINATION_EXPECTED, type Destination, readDestination } from './audit-destination.ts';
import { type OidcSettings, readOidc } from './oidc-settings.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly apiKeys: readonly string[];
  /** Undefined: created and stored under `dataDir`. */
  readonly secretKey: Buffer | undefined;
  /** The store that several processes share. Undefined: the embedded store under `dataDir`, for one process. */
  readonly shared:
    | { readonly databaseUrl: string; readonly redisUrl: string; readonly redisPrefix: string }
    | undefined;
  readonly role: Role;
  readonly logLevel: string;
  readonly rateLimitPerMinute: number | undefined;
  readonly maxConnections: number;
  /** Connections of one client without a valid key. */
  readonly maxConnectionsPerAddress: number;
  readonly maxFailedKeysPerMinute: number;
  /** Networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Where every audit entry is handed over to. */
  readonly auditStream: Destination | undefined;
  readonly webhookAllowedNetworks: readonly string[];
  /** PEM of additional certificate authorities for webhook endpoints. */
  readonly webhookCa: string | undefined;
  /** A model file. The service does not start when it cannot be read. Undefined: the shipped model. */
  readonly modelFile: string | undefined;
  /** Whether accounts with enough new labels are trained once a day. */
  readonly trainDaily: boolean;
  /** How many days records are kept; undefined: without a limit. */
  readonly keptDays: {
    readonly cases: number | undefined;
    readonly labels: number | undefined;
    readonly deliveries: number;
  };
  /** Lookup files. A file that cannot be read is logged at the start, and its facts are unavailable. */
  readonly ipDatabase: string | undefined;
  readonly torExitList: string | undefined;
  readonly proxyList: string | undefined;
  readonly hosts: Readonly<Record<Environment, string | undefined>>;
  /** The provider of the single sign-on. */
  readonly oidc: OidcSettings | undefined;
}

const SCREENINGS_KEPT_DAYS = 90;
const MAX_KEPT_DAYS = 36_500;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** A process answers requests (`api`), runs jobs (`worker`), or both (`all`). */
export const PROCESS_ROLES = ['all', 'api', 'worker'] as const;
type Role = (typeof PROCESS_ROLES)[number];

const DEFAULT_PREFIX = 'portcullis';
const PREFIX = /^[\w:-]{1,64}$/;
/** Undefined for a text that is not a URL of these schemes, or a URL without a host. */
const urlOf = (text: string | undefined, ...schemes: string[]): URL | undefined => {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return schemes.includes(url.protocol) && url.hostname !== '' ? url : undefined;
};

/** The expectations in error messages, for settings and command line options. */
export const POSTGRES_EXPECTED = 'must be a URL such as postgres://user:password@host:5432/portcullis';
export const REDIS_EXPECTED =
  'must be a URL such as redis://:password@host:6379, or rediss:// for TLS; its optional ?prefix= has 1 to 64 letters, digits, colons, underscores or hyphens';
export const isPostgres = (text: string | undefined): text is string =>
  urlOf(text, 'postgres:', 'postgresql:') !== undefined;
/** The address of Redis and the prefix of our keys in it; undefined for an invalid URL. */
export const readRedis = (
  text: string | undefined,
): { readonly redisUrl: string; readonly redisPrefix: string } | undefined => {
  const url = urlOf(text, 'redis:', 'rediss:');
  const redisPrefix = url?.searchParams.get('prefix') ?? DEFAULT_PREFIX;
  if (url === undefined || !PREFIX.test(redisPrefix)) return undefined;
  url.searchParams.delete('prefix');
  return { redisUrl: url.href, redisPrefix };
};

/** Weaker keys can be guessed. They are accepted for local trials, with a warning at the start. */
export const STRONG_KEY = /^sk_(?:test|live)_[0-9A-Za-z]{32,}$/;
const KEY = new RegExp(`^(?:${Object.values(KEY_PREFIXES).join('|')})[0-9A-Za-z_-]{8,200}$`);
const HOSTNAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

const isCidr = (text: string): boolean => {
  try {
    ipaddr.parseCIDR(text);
    return true;
  } catch {
    return false;
  }
};
const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const parts = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Reads the settings. Returns all errors at once, each with the name of its setting and without secret values. */
export const readConfig = (
  env: Readonly<Record<string, string | undefined>>,
): Config | { readonly errors: readonly string[] } => {
  const errors: string[] = [];
  const get = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const check = <T>(name: string, value: T, valid: boolean, expected: string): T => {
    if (!valid) errors.push(`${name} ${expected}`);
    return value;
  };
  const wholeNumber = (name: string, min: number, max: number): number | undefined => {
    const text = get(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return check(
      name,
      value,
      value >= min && value <= max,
      `must be a whole number from ${min} to ${max}, not "${text}"`,
    );
  };
  const hostname = (name: string): string | undefined => {
    const text = get(name);
    return check(
      name,
      text?.toLowerCase(),
      text === undefined || HOSTNAME.test(text),
      `must be a host name without a port, not "${text}"`,
    );
  };
  /**
   * Both URLs or neither: with histories of its own, a process would miss the screenings of the others.
   * Errors leave out both URLs, because they contain passwords.
   */
  const sharedStore = (): Config['shared'] => {
    const [database, redis] = [get('DATABASE_URL'), get('REDIS_URL')];
    if (database === undefined && redis === undefined) return undefined;
    if (database === undefined)
      errors.push('REDIS_URL needs DATABASE_URL: histories in Redis belong to records in PostgreSQL');
    if (redis === undefined)
      errors.push('DATABASE_URL needs REDIS_URL: processes that share records must share histories');
    if (database !== undefined && get('SECRET_KEY') === undefined)
      errors.push(
        'SECRET_KEY must be set with DATABASE_URL, to the same value for all processes; create one with: openssl rand -base64 32',
      );
    const read = readRedis(redis);
    check('DATABASE_URL', database, database === undefined || isPostgres(database), POSTGRES_EXPECTED);
    check('REDIS_URL', redis, redis === undefined || read !== undefined, REDIS_EXPECTED);
    return { databaseUrl: database ?? '', redisUrl: '', redisPrefix: '', ...read };
  };
  const host = get('HOST') ?? '127.0.0.1';
  check('HOST', host, isIP(host) !== 0 || HOSTNAME.test(host), `must be an IP address or a host name, not "${host}"`);
  const apiKeys = parts(get('API_KEYS'));
  apiKeys.forEach((key, index) => {
    check(
      'API_KEYS',
      key,
      KEY.test(key),
      `: key ${index + 1} must be sk_test_ or sk_live_ followed by 8 to 200 letters, digits, underscores or hyphens (at least 32 random ones outside trials)`,
    );
  });
  check('API_KEYS', apiKeys, new Set(apiKeys).size === apiKeys.length, 'must not contain a key twice');
  const networks = (name: string): string[] => {
    const list = parts(get(name));
    for (const network of list) {
      check(
        name,
        network,
        isCidr(network),
        `must be a comma-separated list of CIDR ranges such as 10.0.0.0/8; "${network}" is not one`,
      );
    }
    return list;
  };
  const webhookAllowedNetworks = networks('WEBHOOK_ALLOWED_NETWORKS');
  const trustedProxies = networks('TRUSTED_PROXIES');
  const secretText = get('SECRET_KEY');
  const secretKey = secretText === undefined ? undefined : Buffer.from(secretText, 'base64');
  check(
    'SECRET_KEY',
    secretKey,
    secretKey === undefined || secretKey.length === 32,
    'must be 32 bytes in base64; create one with: openssl rand -base64 32',
  );
  const logLevel = get('LOG_LEVEL') ?? 'info';
  check(
    'LOG_LEVEL',
    logLevel,
    LOG_LEVELS.includes(logLevel),
    `must be one of ${LOG_LEVELS.join(', ')}, not "${logLevel}"`,
  );
  const caFile = get('WEBHOOK_CA_FILE');
  const webhookCa = caFile === undefined ? undefined : readText(caFile);
  check(
    'WEBHOOK_CA_FILE',
    caFile,
    caFile === undefined || webhookCa?.includes('-----BEGIN CERTIFICATE-----') === true,
    `must be a readable file with certificates in PEM format; "${caFile}" is not`,
  );
  const streamText = get('AUDIT_STREAM');
  const auditStream = streamText === undefined ? undefined : readDestination(streamText);
  check('AUDIT_STREAM', auditStream, streamText === undefined || auditStream !== undefined, DESTINATION_EXPECTED);
  const trainDaily = get('TRAIN_DAILY') ?? 'on';
  check('TRAIN_DAILY', trainDaily, ['on', 'off'].includes(trainDaily), `must be on or off, not "${trainDaily}"`);
  const role = (get('ROLE') ?? 'all') as Role;
  check('ROLE', role, PROCESS_ROLES.includes(role), `must be all, api or worker, not "${role}"`);
  if ((role === 'api' || role === 'worker') && get('DATABASE_URL') === undefined)
    errors.push(`ROLE=${role} needs DATABASE_URL: the embedded store is for a single process with ROLE=all`);
  const shared = sharedStore();
  const hosts = { sandbox: hostname('SANDBOX_HOST'), production: hostname('PRODUCTION_HOST') };
  if (hosts.sandbox !== undefined && hosts.sandbox === hosts.production) {
    errors.push('SANDBOX_HOST and PRODUCTION_HOST must be different host names');
  }
  const oidc = readOidc(get, errors);
  const port = wholeNumber('PORT', 0, 65_535) ?? 8080;
  const rateLimitPerMinute = wholeNumber('RATE_LIMIT_PER_MINUTE', 1, 10_000_000);
  const maxConnections = wholeNumber('MAX_CONNECTIONS', 1, 1_000_000) ?? 4000;
  const maxConnectionsPerAddress = wholeNumber('MAX_CONNECTIONS_PER_ADDRESS', 1, 1_000_000) ?? 256;
  const maxFailedKeysPerMinute = wholeNumber('MAX_FAILED_KEYS_PER_MINUTE', 1, 10_000_000) ?? 60;
  // Not before the screening, which is kept for 90 days: its decision refers to them.
  const cases = wholeNumber('CASES_KEPT_DAYS', SCREENINGS_KEPT_DAYS, MAX_KEPT_DAYS);
  const labels = wholeNumber('LABELS_KEPT_DAYS', SCREENINGS_KEPT_DAYS, MAX_KEPT_DAYS);
  // Not before the last attempt, and before an endpoint that fails is disabled.
  const deliveries = wholeNumber('DELIVERIES_KEPT_DAYS', 7, 365) ?? 30;
  if (errors.length > 0) return { errors };
  return {
    host,
    port,
    dataDir: get('DATA_DIR') ?? './data',
    apiKeys,
    secretKey,
    shared,
    role,
    logLevel,
    rateLimitPerMinute,
    maxConnections,
    maxConnectionsPerAddress,
    maxFailedKeysPerMinute,
    trustedProxies,
    auditStream,
    webhookAllowedNetworks,
    webhookCa,
    modelFile: get('MODEL_FILE'),
    trainDaily: trainDaily === 'on',
    keptDays: { cases, labels, deliveries },
    ipDatabase: get('IP_DATABASE'),
    torExitList: get('TOR_EXIT_LIST'),
    proxyList: get('PROXY_LIST'),
    hosts,
    oidc,
  };
};

/** Whether only this machine can reach the service. Then webhooks may be sent to this machine too. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
