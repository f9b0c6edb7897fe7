import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, ErrorBody, type Operation, operations, type Role } from '@portcullis/contract';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';
import { type App, makeApp } from '../src/app.ts';
import type { LocalCounters } from '../src/backend/counters-local.ts';
import type { RedisCounters } from '../src/backend/counters-redis.ts';
import { type Config, readConfig } from '../src/config.ts';
import type { WatchLoop } from '../src/http/shedding.ts';
import { makeLog } from '../src/log.ts';
import { afterEachFile, takeAll } from './after-file.ts';
import { storeEnv } from './shared-store.ts';

// The threads of the store are stripped of their types once for all tests, as they are when it is started by its own command.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/portcullis', import.meta.url));

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const START = Date.parse('2026-11-14T09:30:00.000Z');
export const iso = (time: number): string => new Date(time).toISOString();

/** A clock that stands still until a test moves it. */
export const makeClock = (start = START) => {
  let now = start;
  return {
    now: () => now,
    set: (time: number) => {
      now = time;
    },
    advance: (ms: number) => {
      now += ms;
    },
  };
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape; the schema check below types them.
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export interface Sent {
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

const checkError = Compile(ErrorBody);
const checkers = Object.values(operations as Record<string, Operation>).map((of) => ({
  of,
  pattern: new RegExp(`^${of.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  check: of.response === undefined ? undefined : Compile(of.response),
}));

/** Whatever comes back must be what the contract says: the resource, or the one error object. */
const expectContract = (method: string, path: string, reply: Reply): void => {
  expect(reply.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(reply.headers.get('x-api-version')).toMatch(/^\d{4}-\d\d-\d\d$/);
  if (method === 'HEAD') {
    expect(reply.text).toBe('');
    return;
  }
  if (reply.status >= 400) {
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    if (!checkError.Check(reply.json)) expect(checkError.Errors(reply.json)).toEqual([]);
    expect(reply.json.error.request_id).toBe(reply.headers.get('x-request-id'));
    return;
  }
  const plain = path.split('?', 1)[0] as string;
  const known = checkers.find(({ of, pattern }) => of.method === method && pattern.test(plain));
  if (known === undefined) return;
  expect(reply.status).toBe(known.of.status);
  for (const [, time] of reply.text.matchAll(/"\w+_at":"([^"]*)"/g)) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  if (known.of.status !== 204) expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  if (known.check === undefined) expect(reply.text).toBe('');
  else if (!known.check.Check(reply.json)) expect(known.check.Errors(reply.json)).toEqual([]);
};

export interface Service {
  readonly app: App;
  readonly url: string;
  readonly dataDir: string;
  readonly logs: string[];
  /** Makes a key; `account` defaults to one named `acme`. */
  readonly key: (of?: {
    role?: Role;
    environment?: Environment;
    account?: string;
    perMinute?: number;
  }) => Promise<string>;
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Reply>;
  readonly stop: () => Promise<void>;
}

export interface ServiceOptions {
  readonly clock?: () => number;
  readonly env?: Record<string, string>;
  readonly dataDir?: string;
  readonly cacheBytes?: number;
  readonly drainMs?: number;
  readonly exchangeMs?: number;
  readonly watchLoop?: WatchLoop;
  readonly logLevel?: string;
}

const running = new Set<() => Promise<void>>();
const folders = new Set<string>();
afterEachFile(async () => {
  await Promise.all(takeAll(running).map((stop) => stop()));
  for (const folder of takeAll(folders)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone after the tests of the file. */
export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-test-'));
  folders.add(folder);
  return folder;
};

/** The whole service on a real port and a real store in a folder of its own. */
export const startService = async (options: ServiceOptions = {}): Promise<Service> => {
  const dataDir = options.dataDir ?? makeFolder();
  const read = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: options.logLevel ?? 'debug',
    ...(await storeEnv(dataDir)),
    ...options.env,
  });
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  const config: Config = read;
  const logs: string[] = [];
  const app = await makeApp({
    config,
    log: makeLog(config.logLevel, { write: (line) => void logs.push(line) }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
    ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
    // The test runs in the same event loop: how late that is says nothing of the service.
    watchLoop: options.watchLoop ?? (() => () => {}),
    ...(options.exchangeMs === undefined ? {} : { exchangeMs: options.exchangeMs }),
  });
  const url = await app.listen();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= app.close());
  running.add(stop);

  const call = async (method: string, path: string, sent: Sent = {}): Promise<Reply> => {
    const body = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
    expectContract(method, path, reply);
    return reply;
  };

  const key: Service['key'] = async ({ role = 'admin', environment = 'sandbox', account = 'acme', perMinute } = {}) => {
    const limit = perMinute === undefined ? {} : { rate_limit_per_minute: perMinute };
    return (await app.keys.create(account, environment, { role, ...limit })).secret;
  };
  return { app, url, dataDir, logs, key, call, stop };
};

/** Calls with one key. */
export const client = (service: Service, key: string | undefined) => ({
  get: (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { key, headers }),
  post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.call('POST', path, { key, body, headers }),
  put: (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.call('PUT', path, { key, body, headers }),
  delete: (path: string) => service.call('DELETE', path, { key }),
  /** Screens a payment. */
  pay: (body: unknown, headers: Record<string, string> = {}) =>
    service.call('POST', '/v1/transactions/screen', { key, body, headers }),
  /** Screens an event. */
  act: (body: unknown, headers: Record<string, string> = {}) =>
    service.call('POST', '/v1/events', { key, body, headers }),
});
export type Client = ReturnType<typeof client>;

/** A payment that nothing speaks against, from a user of its own. */
export const payment = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  user_id: `user_${Math.random().toString(36).slice(2)}`,
  amount: 49.9,
  currency: 'EUR',
  ...more,
});

/** An event that nothing speaks against, of a user of its own. */
export const login = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  user_id: `user_${Math.random().toString(36).slice(2)}`,
  type: 'login',
  ...more,
});

/** A well-formed id that nothing has. */
export const unknownId = (prefix: string): string => `${prefix}_01m7ejnjyqetkazatznps5mye3`;

/** What a list of faults says, by field. */
export const faultsOf = (reply: Reply): Record<string, string> =>
  Object.fromEntries(
    (reply.json.error.details as { field: string; message: string }[]).map(({ field, message }) => [field, message]),
  );

/** A user's path, with everything but letters and digits escaped, dots too. */
export const profilePath = (userId: string): string =>
  `/v1/users/${[...new TextEncoder().encode(userId)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}/risk-profile`;

const readReply = (bytes: Buffer): Reply | undefined => {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: */, 2) as [string, string]));
  const body = bytes.subarray(end + 4);
  const length = headers.get('content-length');
  if (length !== null && body.length < Number(length)) return undefined;
  const text = body.toString('utf8');
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: Number(first.split(' ')[1]),
    headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
};

/** Sends the bytes as they are and answers with what came back, which must be the one error object if it is an error. */
export const sendRaw = (service: Service, bytes: string | Uint8Array): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(bytes));
    const finish = (): void => {
      const reply = readReply(received);
      if (reply === undefined) return;
      socket.destroy();
      try {
        expectContract('raw', '', reply);
        resolve(reply);
      } catch (error) {
        reject(error as Error);
      }
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.includes('\r\n\r\n')) finish();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`no whole answer, only ${JSON.stringify(received.toString())}`)));
  });

/** The file of the embedded store. */
export const databaseOf = (service: Service): string => join(service.dataDir, 'portcullis.db');
/** What the embedded store tells of the histories it has in memory. */
export const cacheOf = (service: Service) => (service.app.counters as LocalCounters).stats();
/** Waits until all that was counted is kept where a restart finds it. */
export const saved = (service: Service) => {
  const { counters } = service.app as { counters: Partial<RedisCounters> };
  const isSaved = counters.isIdle ?? (() => cacheOf(service).unsaved === 0);
  return expect.poll(isSaved, { timeout: 5000, interval: 20 }).toBe(true);
};
export const countersOf = (service: Service): string => join(service.dataDir, 'counters.db');

/** Addresses with a decision of their own. */
export const REVIEW_IP = '203.0.113.2';
export const BLOCK_IP = '203.0.113.3';
