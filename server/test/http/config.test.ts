import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, isLoopback, readConfig } from '../../src/config.ts';
import { SETTINGS } from '../../src/settings-help.ts';
import { makeFolder } from '../fixtures/harness.ts';

const settings = (env: Record<string, string>): Config => {
  const read = readConfig(env);
  if ('errors' in read) throw new Error(read.errors.join('\n'));
  return read;
};
const errorsOf = (env: Record<string, string>): readonly string[] => {
  const read = readConfig(env);
  return 'errors' in read ? read.errors : [];
};

const TEST_KEY = `sk_test_${'a1B2'.repeat(8)}`;
const LIVE_KEY = `sk_live_${'a1B2'.repeat(8)}`;
const SECRET = Buffer.alloc(32, 7).toString('base64');
const readable = join(makeFolder(), 'ca.pem');
writeFileSync(readable, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
const noCertificate = join(makeFolder(), 'ca.pem');
writeFileSync(noCertificate, 'text');

describe('without settings', () => {
  test('the service listens on loopback, port 8080, with its data in ./data', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataDir: './data',
      apiKeys: [],
      secretKey: undefined,
      shared: undefined,
      role: 'all',
      logLevel: 'info',
      rateLimitPerMinute: undefined,
      maxConnections: 4000,
      maxConnectionsPerAddress: 256,
      maxFailedKeysPerMinute: 60,
      trustedProxies: [],
      auditStream: undefined,
      webhookAllowedNetworks: [],
      trainDaily: true,
      keptDays: { cases: undefined, labels: undefined, deliveries: 30 },
      ipDatabase: undefined,
      torExitList: undefined,
      proxyList: undefined,
      hosts: { sandbox: undefined, production: undefined },
      oidc: undefined,
    });
  });

  test('an empty setting counts as not set', () => {
    expect(readConfig(Object.fromEntries(SETTINGS.map(({ name }) => [name, ''])))).toEqual(readConfig({}));
  });

  test('other environment variables are ignored', () => {
    expect(readConfig({ PATH: '/bin', PORTS: 'x', HOME: '/' })).toEqual(readConfig({}));
  });
});

describe('a valid setting', () => {
  test.each([
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::1', { host: '::1' }],
    ['HOST', 'localhost', { host: 'localhost' }],
    ['HOST', 'screening.internal', { host: 'screening.internal' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATA_DIR', '/var/lib/portcullis', { dataDir: '/var/lib/portcullis' }],
    ['API_KEYS', TEST_KEY, { apiKeys: [TEST_KEY] }],
    ['API_KEYS', ` ${TEST_KEY} ,${LIVE_KEY},`, { apiKeys: [TEST_KEY, LIVE_KEY] }],
    ['SECRET_KEY', SECRET, { secretKey: Buffer.alloc(32, 7) }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['RATE_LIMIT_PER_MINUTE', '1', { rateLimitPerMinute: 1 }],
    ['RATE_LIMIT_PER_MINUTE', '10000000', { rateLimitPerMinute: 10_000_000 }],
    ['MAX_CONNECTIONS', '1', { maxConnections: 1 }],
    ['MAX_CONNECTIONS_PER_ADDRESS', '1000000', { maxConnectionsPerAddress: 1_000_000 }],
    ['MAX_FAILED_KEYS_PER_MINUTE', '5', { maxFailedKeysPerMinute: 5 }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, fd00::/8', { trustedProxies: ['10.0.0.0/8', 'fd00::/8'] }],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8', { webhookAllowedNetworks: ['10.0.0.0/8'] }],
    [
      'WEBHOOK_ALLOWED_NETWORKS',
      '10.0.0.0/8, fd00::/8 ,127.0.0.1/32',
      { webhookAllowedNetworks: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'] },
    ],
    ['WEBHOOK_CA_FILE', readable, { webhookCa: expect.stringContaining('BEGIN CERTIFICATE') }],
    ['IP_DATABASE', '/not/there.mmdb', { ipDatabase: '/not/there.mmdb' }],
    ['TOR_EXIT_LIST', '/not/there.txt', { torExitList: '/not/there.txt' }],
    ['PROXY_LIST', '/not/there.txt', { proxyList: '/not/there.txt' }],
    ['SANDBOX_HOST', 'Sandbox.Example.com', { hosts: { sandbox: 'sandbox.example.com', production: undefined } }],
    ['PRODUCTION_HOST', 'api.example.com', { hosts: { sandbox: undefined, production: 'api.example.com' } }],
    ['AUDIT_STREAM', 'file:/var/log/audit.jsonl', { auditStream: { path: '/var/log/audit.jsonl' } }],
    ['TRAIN_DAILY', 'on', { trainDaily: true }],
    ['TRAIN_DAILY', 'off', { trainDaily: false }],
    ['ROLE', 'all', {}],
  ])('%s=%s is accepted', (name, value, expected) => {
    expect(settings({ [name]: value })).toMatchObject(expected);
  });
});

describe('an invalid setting', () => {
  test.each([
    ['HOST', 'http://0.0.0.0', 'HOST must be'],
    ['HOST', '0.0.0.0:8080', 'HOST must be'],
    ['HOST', '300.1.1.1/8', 'HOST must be'],
    ['HOST', 'two words', 'HOST must be'],
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535, not "65536"'],
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535, not "-1"'],
    ['PORT', 'http', 'PORT must be a whole number from 0 to 65535, not "http"'],
    ['PORT', '80.5', 'PORT must be a whole number'],
    ['PORT', '0x50', 'PORT must be a whole number'],
    ['PORT', ' 80', 'PORT must be a whole number'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"'],
    ['RATE_LIMIT_PER_MINUTE', '0', 'RATE_LIMIT_PER_MINUTE must be a whole number from 1'],
    ['RATE_LIMIT_PER_MINUTE', 'many', 'RATE_LIMIT_PER_MINUTE must be a whole number from 1'],
    ['MAX_CONNECTIONS', '0', 'MAX_CONNECTIONS must be a whole number from 1'],
    ['MAX_CONNECTIONS_PER_ADDRESS', '-1', 'MAX_CONNECTIONS_PER_ADDRESS must be a whole number from 1'],
    ['MAX_FAILED_KEYS_PER_MINUTE', '1.5', 'MAX_FAILED_KEYS_PER_MINUTE must be a whole number from 1'],
    ['TRUSTED_PROXIES', '10.0.0.1', 'TRUSTED_PROXIES must be a comma-separated list of CIDR ranges'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0', 'WEBHOOK_ALLOWED_NETWORKS must be a comma-separated list of CIDR ranges'],
    [
      'WEBHOOK_ALLOWED_NETWORKS',
      '10.0.0.0/33',
      'WEBHOOK_ALLOWED_NETWORKS must be a comma-separated list of CIDR ranges',
    ],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8,internal', '"internal" is not one'],
    ['WEBHOOK_CA_FILE', '/does/not/exist.pem', 'WEBHOOK_CA_FILE must be a readable file'],
    ['WEBHOOK_CA_FILE', noCertificate, 'WEBHOOK_CA_FILE must be a readable file with certificates in PEM'],
    ['SANDBOX_HOST', 'https://sandbox.example.com', 'SANDBOX_HOST must be a host name'],
    ['SANDBOX_HOST', 'sandbox.example.com:443', 'SANDBOX_HOST must be a host name without a port'],
    ['PRODUCTION_HOST', '-bad-.example', 'PRODUCTION_HOST must be a host name'],
    ['AUDIT_STREAM', 'file:audit.jsonl', 'AUDIT_STREAM must be file: and an absolute path'],
    ['AUDIT_STREAM', 'udp://logs.example.com', 'UDP is not supported'],
    ['TRAIN_DAILY', 'yes', 'TRAIN_DAILY must be on or off, not "yes"'],
    ['ROLE', 'boss', 'ROLE must be all, api or worker, not "boss"'],
    ['ROLE', 'api', 'needs DATABASE_URL'],
    ['ROLE', 'worker', 'needs DATABASE_URL'],
    ['REDIS_URL', 'redis://localhost', 'REDIS_URL needs DATABASE_URL'],
  ])('%s=%s is reported with its name and what was expected', (name, value, message) => {
    const errors = errorsOf({ [name]: value });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(message);
    expect(errors[0]).toMatch(new RegExp(`^${name}`));
  });

  test.each([
    'sk_prod_abcdefghijklmnop',
    'abcdefghijklmnop',
    'sk_test_',
    'sk_test_short',
    'sk_test_with space in it',
    'SK_TEST_abcdefghijklmnop',
    `sk_test_${'ü'.repeat(32)}`,
  ])('an API key with an invalid prefix or character is reported by its position (%#)', (bad) => {
    const errors = errorsOf({ API_KEYS: `${TEST_KEY},${bad}` });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^API_KEYS\b.*key 2 .*sk_test_ or sk_live_/);
  });

  test('a duplicate API key is reported', () => {
    expect(errorsOf({ API_KEYS: `${TEST_KEY},${LIVE_KEY},${TEST_KEY}` })).toEqual([
      'API_KEYS must not contain a key twice',
    ]);
  });

  test.each([
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    Buffer.alloc(32, 1).toString('hex'),
    'secret',
    '!'.repeat(44),
  ])('a SECRET_KEY that is not 32 bytes in base64 is reported (%#)', (value) => {
    expect(errorsOf({ SECRET_KEY: value })).toEqual([
      expect.stringMatching(/^SECRET_KEY must be 32 bytes in base64.*openssl rand -base64 32/),
    ]);
  });

  test('equal host names of both environments are reported', () => {
    expect(errorsOf({ SANDBOX_HOST: 'api.example', PRODUCTION_HOST: 'API.example' })).toEqual([
      'SANDBOX_HOST and PRODUCTION_HOST must be different host names',
    ]);
  });
});

describe('a shared store', () => {
  const right = {
    DATABASE_URL: 'postgres://me:pw@db:5432/x?sslmode=require',
    REDIS_URL: 'redis://:pw@cache/1',
    SECRET_KEY: SECRET,
  };
  const shared = { databaseUrl: right.DATABASE_URL, redisUrl: right.REDIS_URL, redisPrefix: 'portcullis' };

  test('is accepted for any role', () => {
    expect(settings(right)).toMatchObject({ shared, role: 'all' });
    for (const role of ['api', 'worker']) expect(settings({ ...right, ROLE: role })).toMatchObject({ shared, role });
    expect(settings({})).toMatchObject({ shared: undefined, role: 'all' });
  });

  test('may have a key prefix in REDIS_URL, which is removed from the URL', () => {
    const REDIS_URL = 'rediss://cache:6380/?prefix=shop:eu';
    expect(settings({ ...right, REDIS_URL }).shared).toMatchObject({
      redisUrl: 'rediss://cache:6380/',
      redisPrefix: 'shop:eu',
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['no Redis', { REDIS_URL: '' }, 'DATABASE_URL needs REDIS_URL'],
    ['no PostgreSQL', { DATABASE_URL: '' }, 'REDIS_URL needs DATABASE_URL'],
    ['no SECRET_KEY', { SECRET_KEY: '' }, 'SECRET_KEY must be set with DATABASE_URL'],
    ['another database', { DATABASE_URL: 'mysql://me:pw@db/x' }, 'DATABASE_URL must be a URL such as postgres://'],
    ['a database without a host', { DATABASE_URL: 'postgres:///x' }, 'DATABASE_URL must be a URL such as'],
    [
      'a connection string that is not a URL',
      { DATABASE_URL: 'host=db password=pw' },
      'DATABASE_URL must be a URL such as',
    ],
    ['a REDIS_URL without a scheme', { REDIS_URL: 'cache:6379' }, 'REDIS_URL must be a URL such as redis://'],
    ['an invalid prefix', { REDIS_URL: 'redis://cache?prefix={a}' }, 'its optional ?prefix= has 1 to 64 letters'],
  ])('with %s is refused, and the error holds no password', (_, wrong, message) => {
    const errors = errorsOf({ ...right, ...wrong });
    expect(errors).toEqual([expect.stringContaining(message)]);
    expect(errors.join()).not.toContain('pw');
  });
});

describe('several errors', () => {
  const wrong = {
    HOST: 'http://x',
    PORT: 'x',
    API_KEYS: 'secret-value-1,secret-value-2',
    SECRET_KEY: 'secret-value-3',
    LOG_LEVEL: 'x',
    RATE_LIMIT_PER_MINUTE: 'x',
    WEBHOOK_ALLOWED_NETWORKS: 'x',
    WEBHOOK_CA_FILE: '/x/x',
    SANDBOX_HOST: 'x:1',
    PRODUCTION_HOST: 'x:2',
    ROLE: 'x',
    DATABASE_URL: 'mysql://user:secret-value-4@host/db',
    REDIS_URL: 'http://:secret-value-5@host',
  };

  test('are reported at once, each with the name of its setting', () => {
    const errors = errorsOf(wrong);
    for (const name of Object.keys(wrong))
      expect([name, errors.some((text) => text.startsWith(name))]).toEqual([name, true]);
    expect(errors.filter((text) => text.startsWith('API_KEYS'))).toHaveLength(2);
  });

  test('contain no secret', () => {
    expect(errorsOf(wrong).join('\n')).not.toContain('secret-value');
  });
});

describe('isLoopback', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.0.1', false],
    ['example.com', false],
    ['localhost.example.com', false],
  ])('HOST=%s: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
