import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, isLoopback, readConfig } from '../src/config.ts';
import { makeFolder } from './harness.ts';

const settings = (env: Record<string, string>): Config => {
  const read = readConfig(env);
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  return read;
};
const mistakes = (env: Record<string, string>): readonly string[] => {
  const read = readConfig(env);
  return 'mistakes' in read ? read.mistakes : [];
};

const TEST_KEY = `sk_test_${'a1B2'.repeat(8)}`;
const LIVE_KEY = `sk_live_${'a1B2'.repeat(8)}`;
const SECRET = Buffer.alloc(32, 7).toString('base64');
const readable = join(makeFolder(), 'ca.pem');
writeFileSync(readable, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
const noCertificate = join(makeFolder(), 'ca.pem');
writeFileSync(noCertificate, 'text');

describe('without any setting', () => {
  test('it serves on loopback alone, port 8080, with its data beside it', () => {
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
      webhookAllowedNetworks: [],
      trainDaily: true,
      ipDatabase: undefined,
      torExitList: undefined,
      proxyList: undefined,
      hosts: { sandbox: undefined, production: undefined },
    });
  });

  test('one that is empty is one that is not set', () => {
    const names = [
      'HOST',
      'PORT',
      'DATA_DIR',
      'API_KEYS',
      'SECRET_KEY',
      'LOG_LEVEL',
      'RATE_LIMIT_PER_MINUTE',
      'WEBHOOK_ALLOWED_NETWORKS',
      'WEBHOOK_CA_FILE',
      'SANDBOX_HOST',
      'PRODUCTION_HOST',
      'TRAIN_DAILY',
      'ROLE',
      'DATABASE_URL',
      'REDIS_URL',
      'IP_DATABASE',
      'TOR_EXIT_LIST',
      'PROXY_LIST',
    ];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}));
  });

  test('settings of other programs are none of its business', () => {
    expect(readConfig({ PATH: '/bin', PORTS: 'x', HOME: '/' })).toEqual(readConfig({}));
  });
});

describe('a setting that is right', () => {
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
    ['TRAIN_DAILY', 'on', { trainDaily: true }],
    ['TRAIN_DAILY', 'off', { trainDaily: false }],
    ['ROLE', 'all', {}],
  ])('%s=%s is taken', (name, value, expected) => {
    expect(settings({ [name]: value })).toMatchObject(expected);
  });
});

describe('a setting that is wrong', () => {
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
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0', 'WEBHOOK_ALLOWED_NETWORKS must be CIDRs'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/33', 'WEBHOOK_ALLOWED_NETWORKS must be CIDRs'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8,internal', '"internal" is none'],
    ['WEBHOOK_CA_FILE', '/does/not/exist.pem', 'WEBHOOK_CA_FILE must be a readable file'],
    ['WEBHOOK_CA_FILE', noCertificate, 'WEBHOOK_CA_FILE must be a readable file with certificates in PEM'],
    ['SANDBOX_HOST', 'https://sandbox.example.com', 'SANDBOX_HOST must be a host name'],
    ['SANDBOX_HOST', 'sandbox.example.com:443', 'SANDBOX_HOST must be a host name without a port'],
    ['PRODUCTION_HOST', '-bad-.example', 'PRODUCTION_HOST must be a host name'],
    ['TRAIN_DAILY', 'yes', 'TRAIN_DAILY must be on or off, not "yes"'],
    ['ROLE', 'boss', 'ROLE must be all, api or worker, not "boss"'],
    ['ROLE', 'api', 'needs DATABASE_URL'],
    ['ROLE', 'worker', 'needs DATABASE_URL'],
    ['REDIS_URL', 'redis://localhost', 'REDIS_URL needs DATABASE_URL'],
  ])('%s=%s is named, with what would be right', (name, value, said) => {
    const found = mistakes({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(said);
    expect(found[0]).toMatch(new RegExp(`^${name}`));
  });

  test.each([
    'sk_prod_abcdefghijklmnop',
    'abcdefghijklmnop',
    'sk_test_',
    'sk_test_short',
    'sk_test_with space in it',
    'SK_TEST_abcdefghijklmnop',
    `sk_test_${'ü'.repeat(32)}`,
  ])('an API key without a valid prefix or letters is named by its place (%#)', (bad) => {
    const found = mistakes({ API_KEYS: `${TEST_KEY},${bad}` });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^API_KEYS\b.*key 2 .*sk_test_ or sk_live_/);
  });

  test('an API key that is there twice is', () => {
    expect(mistakes({ API_KEYS: `${TEST_KEY},${LIVE_KEY},${TEST_KEY}` })).toEqual([
      'API_KEYS must not name a key twice',
    ]);
  });

  test.each([
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    Buffer.alloc(32, 1).toString('hex'),
    'secret',
    '!'.repeat(44),
  ])('a SECRET_KEY that is not 32 bytes in base64 is (%#)', (value) => {
    expect(mistakes({ SECRET_KEY: value })).toEqual([
      expect.stringMatching(/^SECRET_KEY must be 32 bytes in base64.*openssl rand -base64 32/),
    ]);
  });

  test('two environments on one host are', () => {
    expect(mistakes({ SANDBOX_HOST: 'api.example', PRODUCTION_HOST: 'API.example' })).toEqual([
      'SANDBOX_HOST and PRODUCTION_HOST must differ',
    ]);
  });
});

describe('a store that processes share', () => {
  const right = {
    DATABASE_URL: 'postgres://me:pw@db:5432/x?sslmode=require',
    REDIS_URL: 'redis://:pw@cache/1',
    SECRET_KEY: SECRET,
  };
  const shared = { databaseUrl: right.DATABASE_URL, redisUrl: right.REDIS_URL, redisPrefix: 'portcullis' };

  test('is taken as it is, for any role', () => {
    expect(settings(right)).toMatchObject({ shared, role: 'all' });
    for (const role of ['api', 'worker']) expect(settings({ ...right, ROLE: role })).toMatchObject({ shared, role });
    expect(settings({})).toMatchObject({ shared: undefined, role: 'all' });
  });

  test('may have a prefix for its keys in Redis, which Redis is not told of', () => {
    const REDIS_URL = 'rediss://cache:6380/?prefix=shop:eu';
    expect(settings({ ...right, REDIS_URL }).shared).toMatchObject({
      redisUrl: 'rediss://cache:6380/',
      redisPrefix: 'shop:eu',
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['no Redis', { REDIS_URL: '' }, 'DATABASE_URL needs REDIS_URL'],
    ['no PostgreSQL', { DATABASE_URL: '' }, 'REDIS_URL needs DATABASE_URL'],
    ['no key of its own', { SECRET_KEY: '' }, 'SECRET_KEY must be set with DATABASE_URL'],
    ['another database', { DATABASE_URL: 'mysql://me:pw@db/x' }, 'DATABASE_URL must be a URL such as postgres://'],
    ['a database without a host', { DATABASE_URL: 'postgres:///x' }, 'DATABASE_URL must be a URL such as'],
    ['words', { DATABASE_URL: 'host=db password=pw' }, 'DATABASE_URL must be a URL such as'],
    ['something else than Redis', { REDIS_URL: 'cache:6379' }, 'REDIS_URL must be a URL such as redis://'],
    ['a prefix that would not do', { REDIS_URL: 'redis://cache?prefix={a}' }, 'with a prefix of 1 to 64 letters'],
  ])('with %s is refused, without its password', (_, wrong, said) => {
    const found = mistakes({ ...right, ...wrong });
    expect(found).toEqual([expect.stringContaining(said)]);
    expect(found.join()).not.toContain('pw');
  });
});

describe('many mistakes', () => {
  const wrong = {
    HOST: 'http://x',
    PORT: 'x',
    API_KEYS: 'tell-nobody-1,tell-nobody-2',
    SECRET_KEY: 'tell-nobody-3',
    LOG_LEVEL: 'x',
    RATE_LIMIT_PER_MINUTE: 'x',
    WEBHOOK_ALLOWED_NETWORKS: 'x',
    WEBHOOK_CA_FILE: '/x/x',
    SANDBOX_HOST: 'x:1',
    PRODUCTION_HOST: 'x:2',
    ROLE: 'x',
    DATABASE_URL: 'mysql://user:tell-nobody-4@host/db',
    REDIS_URL: 'http://:tell-nobody-5@host',
  };

  test('are all listed at once, by name', () => {
    const found = mistakes(wrong);
    for (const name of Object.keys(wrong))
      expect([name, found.some((text) => text.startsWith(name))]).toEqual([name, true]);
    expect(found.filter((text) => text.startsWith('API_KEYS'))).toHaveLength(2);
  });

  test('are told without any secret', () => {
    expect(mistakes(wrong).join('\n')).not.toContain('tell-nobody');
  });
});

describe('whether only this machine can reach it', () => {
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
