import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type Environment, KEY_PREFIXES } from '@portcullis/contract';
import ipaddr from 'ipaddr.js';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly apiKeys: readonly string[];
  /** Undefined: made and kept under `dataDir`. */
  readonly secretKey: Buffer | undefined;
  /** Where several processes keep all they have in common. Undefined: the embedded store under `dataDir`, for one process. */
  readonly shared:
    | { readonly databaseUrl: string; readonly redisUrl: string; readonly redisPrefix: string }
    | undefined;
  readonly role: Role;
  readonly logLevel: string;
  readonly rateLimitPerMinute: number | undefined;
  readonly webhookAllowedNetworks: readonly string[];
  /** PEM of certificate authorities that endpoints may have theirs from. */
  readonly webhookCa: string | undefined;
  /** A file; one that cannot be read is a reason not to start. Undefined: the one that ships. */
  readonly modelFile: string | undefined;
  /** Whether a model is trained by itself for accounts that label enough. */
  readonly trainDaily: boolean;
  /** Files; one that cannot be read is told of at start, and what it would tell is unavailable. */
  readonly ipDatabase: string | undefined;
  readonly torExitList: string | undefined;
  readonly proxyList: string | undefined;
  readonly hosts: Readonly<Record<Environment, string | undefined>>;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** What a process does: answer callers, do all that nobody waits for, or both. */
export const PROCESS_ROLES = ['all', 'api', 'worker'] as const;
type Role = (typeof PROCESS_ROLES)[number];

const DEFAULT_PREFIX = 'portcullis';
const PREFIX = /^[\w:-]{1,64}$/;
/** Undefined when it is none of those schemes, or names no host. */
const urlOf = (text: string | undefined, ...schemes: string[]): URL | undefined => {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return schemes.includes(url.protocol) && url.hostname !== '' ? url : undefined;
};

/** What each is told to be where it is not. */
export const POSTGRES_EXPECTED = 'must be a URL such as postgres://user:password@host:5432/portcullis';
export const REDIS_EXPECTED =
  'must be a URL such as redis://:password@host:6379, or rediss:// for TLS, with a prefix of 1 to 64 letters, digits, colons or hyphens if any';
export const isPostgres = (text: string | undefined): text is string =>
  urlOf(text, 'postgres:', 'postgresql:') !== undefined;
/** Where Redis is, and what keys in it begin with; undefined when it is no such URL. */
export const readRedis = (
  text: string | undefined,
): { readonly redisUrl: string; readonly redisPrefix: string } | undefined => {
  const url = urlOf(text, 'redis:', 'rediss:');
  const redisPrefix = url?.searchParams.get('prefix') ?? DEFAULT_PREFIX;
  if (url === undefined || !PREFIX.test(redisPrefix)) return undefined;
  url.searchParams.delete('prefix');
  return { redisUrl: url.href, redisPrefix };
};

/** A key someone can type is one someone can guess; short ones are taken for local trials, and warned of at start. */
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

/** Reads the settings; every mistake is listed, by name, without the value of one that may be secret. */
export const readConfig = (
  env: Readonly<Record<string, string | undefined>>,
): Config | { readonly mistakes: readonly string[] } => {
  const mistakes: string[] = [];
  const get = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const check = <T>(name: string, value: T, valid: boolean, expected: string): T => {
    if (!valid) mistakes.push(`${name} ${expected}`);
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
  /** Both or neither: histories of one process would not know of what the others screen. Their passwords are never told. */
  const sharedStore = (): Config['shared'] => {
    const [database, redis] = [get('DATABASE_URL'), get('REDIS_URL')];
    if (database === undefined && redis === undefined) return undefined;
    if (database === undefined)
      mistakes.push('REDIS_URL needs DATABASE_URL: histories in Redis go with records in PostgreSQL');
    if (redis === undefined)
      mistakes.push('DATABASE_URL needs REDIS_URL: processes that share records must share histories');
    if (database !== undefined && get('SECRET_KEY') === undefined)
      mistakes.push(
        'SECRET_KEY must be set with DATABASE_URL, the same for all processes; make one with: openssl rand -base64 32',
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
      `: key ${index + 1} must be sk_test_ or sk_live_ and then 8 or more letters and digits (32 random ones outside trials)`,
    );
  });
  check('API_KEYS', apiKeys, new Set(apiKeys).size === apiKeys.length, 'must not name a key twice');
  const networks = parts(get('WEBHOOK_ALLOWED_NETWORKS'));
  for (const network of networks) {
    check(
      'WEBHOOK_ALLOWED_NETWORKS',
      network,
      isCidr(network),
      `must be CIDRs such as 10.0.0.0/8, comma separated; "${network}" is none`,
    );
  }
  const secretText = get('SECRET_KEY');
  const secretKey = secretText === undefined ? undefined : Buffer.from(secretText, 'base64');
  check(
    'SECRET_KEY',
    secretKey,
    secretKey === undefined || secretKey.length === 32,
    'must be 32 bytes in base64; make one with: openssl rand -base64 32',
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
    `must be a readable file with certificates in PEM, which "${caFile}" is not`,
  );
  const trainDaily = get('TRAIN_DAILY') ?? 'on';
  check('TRAIN_DAILY', trainDaily, ['on', 'off'].includes(trainDaily), `must be on or off, not "${trainDaily}"`);
  const role = (get('ROLE') ?? 'all') as Role;
  check('ROLE', role, PROCESS_ROLES.includes(role), `must be all, api or worker, not "${role}"`);
  if ((role === 'api' || role === 'worker') && get('DATABASE_URL') === undefined)
    mistakes.push(`ROLE=${role} needs DATABASE_URL: the embedded store serves one process, ROLE=all`);
  const shared = sharedStore();
  const hosts = { sandbox: hostname('SANDBOX_HOST'), production: hostname('PRODUCTION_HOST') };
  if (hosts.sandbox !== undefined && hosts.sandbox === hosts.production) {
    mistakes.push('SANDBOX_HOST and PRODUCTION_HOST must differ');
  }
  const port = wholeNumber('PORT', 0, 65_535) ?? 8080;
  const rateLimitPerMinute = wholeNumber('RATE_LIMIT_PER_MINUTE', 1, 10_000_000);
  if (mistakes.length > 0) return { mistakes };
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
    webhookAllowedNetworks: networks,
    webhookCa,
    modelFile: get('MODEL_FILE'),
    trainDaily: trainDaily === 'on',
    ipDatabase: get('IP_DATABASE'),
    torExitList: get('TOR_EXIT_LIST'),
    proxyList: get('PROXY_LIST'),
    hosts,
  };
};

/** Whether only this machine can reach us: then webhooks may reach it too. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
