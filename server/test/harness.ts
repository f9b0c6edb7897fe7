import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, ErrorBody, type Operation, operations, type Role } from '@portcullis/contract';
import { Compile } from 'typebox/compile';
import { afterAll, expect } from 'vitest';
import { type App, makeApp } from '../src/app.ts';
import { type Config, readConfig } from '../src/config.ts';
import { makeLog } from '../src/log.ts';

export const DAY_MS = 24 * 3_600_000;

/** A clock that stands still until a test moves it. */
export const makeClock = (start = Date.parse('2026-11-14T09:30:00.000Z')) => {
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
type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

interface Sent {
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
  if (reply.status >= 400) {
    expect(checkError.Errors(reply.json)).toEqual([]);
    expect(reply.json.error.request_id).toBe(reply.headers.get('x-request-id'));
    return;
  }
  const plain = path.split('?', 1)[0] as string;
  const known = checkers.find(({ of, pattern }) => of.method === method && pattern.test(plain));
  if (known === undefined) return;
  expect(reply.status).toBe(known.of.status);
  if (known.check === undefined) expect(reply.text).toBe('');
  else expect(known.check.Errors(reply.json)).toEqual([]);
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
  readonly logLevel?: string;
}

/** The whole service on a real port and a real store in a folder of its own. */
export const startService = async (options: ServiceOptions = {}): Promise<Service> => {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'portcullis-test-'));
  const read = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: options.logLevel ?? 'debug', ...options.env });
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  const config: Config = read;
  const logs: string[] = [];
  const app = await makeApp({
    config,
    log: makeLog(config.logLevel, { write: (line) => void logs.push(line) }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
  });
  const url = await app.listen();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= app.close());
  afterAll(async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

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
      json: isJson ? JSON.parse(text) : undefined,
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

/** A payment that nothing speaks against, from a user of its own. */
export const payment = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  user_id: `user_${Math.random().toString(36).slice(2)}`,
  amount: 49.9,
  currency: 'EUR',
  ...more,
});

/** Addresses with a decision of their own. */
export const REVIEW_IP = '203.0.113.2';
export const BLOCK_IP = '203.0.113.3';
