import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  DEFAULT_POLICY,
  decide,
  FACTS_VERSION,
  type Facts,
  hash53,
  knownIndex,
  makeFacts,
  makeKnowledge,
  makeRandom,
  type Profile,
  packFacts,
  packVerdict,
  type Subject,
  subjectOf,
} from '@portcullis/engine';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import type { Backend, Statement } from '../src/backend/backend.ts';
import type { Counters } from '../src/backend/counters.ts';
import { openRedisCounters, type RedisCounters, type RedisCountersOptions } from '../src/backend/counters-redis.ts';
import type { Missed } from '../src/backend/redis-missed.ts';
import { openSqlite } from '../src/backend/sqlite.ts';
import { saidBy } from '../src/backend/stored-history.ts';
import { deviceIn, placeDevice } from '../src/devices/devices.ts';
import { makeIds, seqOf } from '../src/ids.ts';
import { keep } from '../src/labels/keep.ts';
import { insertLabel } from '../src/labels/store.ts';
import { normalizeEvent, normalizeTransaction } from '../src/screening/normalize.ts';
import { insertScreening, type ScreeningRow } from '../src/screening/store.ts';
import { makeFolder } from './harness.ts';
import type { Step } from './traffic.ts';

export const SHARED_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

const ping = (url: string): Promise<boolean> => {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: 1000, retryStrategy: () => null });
  client.on('error', () => {});
  return client
    .connect()
    .then(() => true)
    .catch(() => false)
    .finally(() => client.disconnect());
};
/** Whether there is a Redis to test with; says so in one line where there is none. */
export const redisAnswers = async (): Promise<boolean> => {
  const answers = await ping(SHARED_URL);
  if (!answers) process.stderr.write('skipped: no Redis answers at 127.0.0.1:6379\n');
  return answers;
};
/** Whether a Redis of one's own can be started. */
export const hasRedisServer = (): boolean => {
  const found = spawnSync('redis-server', ['--version']).status === 0;
  if (!found) process.stderr.write('skipped: redis-server is not installed\n');
  return found;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Servers of a cluster talk to each other on a port ten thousand above their own. */
const freePortBelow = async (most: number): Promise<number> => {
  const port = await freePort();
  return port < most ? port : freePortBelow(most);
};

/** A Redis of the test's own, which it may stop, pause and start again. */
export const startRedis = async (more: readonly string[] = []) => {
  const port = await freePortBelow(55_000);
  const dir = makeFolder();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...more];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    while (!(await ping(url))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const stop = (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> =>
    new Promise((resolve) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  await start();
  onTestFinished(() => stop());
  return { port, url, start, stop, signal: (name: NodeJS.Signals) => child?.kill(name), dir: join(dir) };
};
export type OwnRedis = Awaited<ReturnType<typeof startRedis>>;

/** Removes what a test left behind in a Redis that others use too. */
export const removeKeys = async (url: string, prefix: string): Promise<void> => {
  const client = new Redis(url);
  for await (const keys of client.scanStream({ match: `${prefix}:*`, count: 1000 }))
    if (keys.length > 0) await client.del(...(keys as string[]));
  client.disconnect();
};
export const anyPrefix = (): string => `test-${randomBytes(6).toString('hex')}`;

/** Who remembers what Redis was not told, as it would be noted in a store that all processes share. */
export const makeNotes = () => {
  const until = new Map<string, number>();
  let processes = 0;
  return {
    until,
    of: (process = `process ${++processes}`): Missed => ({
      note: async (aliveUntil) => until.set(process, aliveUntil),
      clear: async () => until.delete(process),
      ended: async (now) => [...until].filter(([, at]) => at < now).map(([name]) => name),
      forget: async (name) => until.delete(name),
    }),
  };
};

export interface Opened {
  readonly counters: RedisCounters;
  readonly warnings: string[];
  readonly faults: string[];
  readonly recoveries: string[];
}
export const openCounters = async (
  url: string,
  prefix: string,
  more: Partial<RedisCountersOptions> = {},
): Promise<Opened> => {
  const faults: string[] = [];
  const recoveries: string[] = [];
  const warnings: string[] = [];
  const counters = await openRedisCounters({
    url,
    prefix,
    limitMs: 10_000,
    hasStored: async () => false,
    missed: makeNotes().of(),
    onWarning: (message) => void warnings.push(message),
    onFault: (message) => void faults.push(message),
    onRecovered: (message) => void recoveries.push(message),
    ...more,
  });
  onTestFinished(() => counters.close());
  return { counters, faults, recoveries, warnings };
};
export const isIdle = async (...all: readonly RedisCounters[]): Promise<void> => {
  while (!all.every((counters) => counters.isIdle())) await new Promise((resolve) => setImmediate(resolve));
};

const hash = (text: string, below: number): number => hash53(text) % below;
/** What a server could have found out about an address. */
const knowledgeOf = (ip: string | undefined) => {
  const knowledge = makeKnowledge();
  if (ip === undefined || hash(ip, 5) === 0) return knowledge;
  knowledge[knownIndex.ip_country] = 30 + hash(ip, 4);
  knowledge[knownIndex.asn] = 64_500 + hash(ip, 3);
  knowledge[knownIndex.ip_latitude] = hash(ip, 60);
  knowledge[knownIndex.ip_longitude] = hash(ip, 90);
  knowledge[knownIndex.ip_radius_km] = 10;
  knowledge[knownIndex.email_free] = 0;
  return knowledge;
};
export const subjectAt = ({ path, body }: Step, at: number): Subject => {
  const type = path === '/v1/events' ? 'event' : 'transaction';
  const request =
    type === 'event'
      ? normalizeEvent(structuredClone(body) as never, [])
      : normalizeTransaction(structuredClone(body) as never, []);
  const knowledge = knowledgeOf(request.ip_address);
  const device = request.device_token === undefined ? undefined : deviceIn(request.device_token);
  if (device !== undefined) placeDevice(device, request, knowledge, at);
  return subjectOf(type, request, at, knowledge);
};

/** A row that no commit holds: the batch it is in fails. */
const REFUSED: Statement = { sql: 'DELETE FROM screenings WHERE seq = -1', params: [], must: 1 };

export interface Screened {
  readonly tenant: number;
  readonly row: ScreeningRow;
  inForce?: { fraud: boolean; at: number };
}

/** The counters of one machine, with the store they are a fold over, and others that are handed the same. */
export const makeOracle = (directory = makeFolder()) => {
  const store = openSqlite({ directory });
  onTestFinished(() => store.backend.close());
  let now = Date.UTC(2026, 4, 1);
  const newId = makeIds(() => now);
  const screened: Screened[] = [];

  const countedBy = async (
    counters: Counters,
    item: { tenant: number; subject: Subject; id: string },
    write: (facts: Facts) => Promise<unknown>,
  ) => {
    const { tenant, subject, id } = item;
    let seen = makeFacts();
    const { verdict, stored } = await counters.count(tenant, subject, seqOf(id), (facts) => {
      seen = facts.slice();
      const decided = { verdict: decide(DEFAULT_POLICY, subject, facts), stored: write(facts) };
      decided.stored.catch(() => {});
      return decided;
    });
    return { facts: seen, verdict, stored };
  };
  return {
    backend: store.backend as Backend,
    local: store.counters,
    screened,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    newSeq: () => seqOf(newId()),
    /** Counts a step here and there. Answers with what both knew before it. */
    screen: async (
      tenant: number,
      step: Step,
      other: Counters,
      fails = false,
    ): Promise<[here: Facts, there: Facts]> => {
      const subject = subjectAt(step, now);
      const id = newId();
      const here = await countedBy(store.counters, { tenant, subject, id }, (facts) => {
        const row: ScreeningRow = {
          id,
          type: subject.type,
          screened_at: subject.at,
          request: JSON.stringify(subject.request),
          verdict: packVerdict(decide(DEFAULT_POLICY, subject, facts)),
          ruleset_version: '1',
          facts_version: FACTS_VERSION,
          facts: packFacts(facts),
        };
        if (!fails) screened.push({ tenant, row });
        return store.backend.write([insertScreening(tenant, row), ...(fails ? [REFUSED] : [])]);
      });
      const there = await countedBy(other, { tenant, subject, id }, () => here.stored);
      await here.stored.catch(() => {});
      return [here.facts, there.facts];
    },
    /** Says something of an item, here and there. */
    label: async (item: Screened, fraud: boolean, other: Counters, fails = false): Promise<void> => {
      const { tenant, row, inForce } = item;
      const repeats = inForce?.fraud === fraud;
      const counted = {
        counted_at: repeats ? inForce.at : now,
        replaced_at: repeats ? null : (inForce?.at ?? null),
        repeats: repeats ? 1 : 0,
      } as const;
      const id = newId();
      const label = {
        seq: seqOf(id),
        id,
        screening_id: row.id,
        subject_type: row.type,
        label: fraud ? 'fraud' : 'legitimate',
        origin: 'api',
        source: 'test',
        author: 'test',
        notes: null,
        occurred_at: null,
        labelled_at: now,
      } as const;
      const said = saidBy({ ...label, ...counted });
      const unit = [insertLabel(tenant, seqOf(row.id), label, counted, keep(row)), ...(fails ? [REFUSED] : [])];
      const written = store.counters.label(tenant, row, said, label.seq, () => store.backend.write(unit));
      const there = other.label(tenant, row, said, label.seq, () => written);
      await Promise.allSettled([written, there]);
      if (!fails && !repeats) item.inForce = { fraud, at: now };
    },
    /** What is told of a user, here and there. */
    user: async (tenant: number, userId: string, other: Counters): Promise<[here: unknown, there: unknown]> => {
      const told = async (counters: Counters): Promise<{ profile: Profile | undefined; facts: Facts }> => {
        const facts = makeFacts();
        return { profile: await counters.user(tenant, userId, now, facts), facts };
      };
      return [await told(store.counters), await told(other)];
    },
  };
};
export type Oracle = ReturnType<typeof makeOracle>;

/** Few users, so that what is remembered of each grows long. */
export const crowded = (step: Step, users: number): Step => ({
  ...step,
  body: { ...step.body, user_id: `user_${hash(String(step.body.user_id), users)}` },
});
export { makeRandom };
