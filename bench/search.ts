import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScreeningList } from '@portcullis/contract';
import { makeProgress } from '../server/src/runtime/progress-bar.ts';
import { callApi } from './api.ts';
import { closedLoop, openLoop, type Target } from './load.ts';
import { type Server, startServer } from './process.ts';
import { makeSharedStore } from './shared-store.ts';
import { makeTraffic } from './traffic.ts';

/** Time of each kind of search while screenings arrive. */
export interface SearchCost {
  readonly store: string;
  readonly stored: number;
  readonly arrivals: number;
  /** Screenings answered per second: without searches, and beside them. */
  readonly alonePerSecond: number;
  readonly besidePerSecond: number;
  readonly aloneP99Ms: number;
  readonly besideP99Ms: number;
  readonly searches: readonly {
    readonly name: string;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly failed: number;
  }[];
}

const ARRIVALS = 500;
const ROUND_MS = 30_000;
const FILL_CHUNK = 5_000;
/** The traffic that fills the store. Its payments are searched for. */
const FILL_SEED = 1;
const POLL_MS = 500;
const SAMPLES = 200;
const PORTCULLIS = fileURLToPath(new URL('../server/bin/portcullis.js', import.meta.url));

type Sample = Readonly<Record<'user_id' | 'ip_address' | 'payment_fingerprint' | 'counterparty_id', string>>;
const list = (query: string): string => `/screenings?limit=50&${query}`;

/** The searches of people who work with cases. Most have an index; an amount, a country and a group have none. */
const SEARCHES: readonly (readonly [name: string, path: (of: Sample) => string])[] = [
  ['newest', () => list('')],
  ['of a user', (of) => list(`user_id=${of.user_id}`)],
  ['of an address', (of) => list(`ip_address=${of.ip_address}`)],
  ['of a card', (of) => list(`payment_fingerprint=${of.payment_fingerprint}`)],
  ['of a large shop', (of) => list(`counterparty_id=${of.counterparty_id}`)],
  ['reviewed', () => list('decision=review')],
  ['with a signal', () => list('signal=new_device')],
  ['with a large amount', () => list('usd_min=160')],
  ['of a country, with a score', () => list('country=NO&score_min=30')],
  ['nothing found', () => list('usd_min=1000000')],
  ['groups by country', () => '/screenings/groups?by=country'],
  ['groups by address', () => '/screenings/groups?by=ip_address&decision=block'],
  ['search box', (of) => `/search?q=${of.user_id}`],
  ['users', () => '/users?limit=50'],
  ['users by the start of the id', (of) => `/users?limit=50&q=${of.user_id.slice(0, -2)}`],
  ['timeline', (of) => `/users/${of.user_id}/timeline`],
  ['usual', (of) => `/users/${of.user_id}/usual`],
  ['links to depth two', (of) => `/links?of=user:${of.user_id}&hops=2`],
  ['decisions by day', () => '/stats/decisions'],
  ['scores', () => '/stats/scores'],
  ['signals', () => '/stats/signals'],
  ['cases by day', () => '/stats/cases'],
];

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] as number;

/** Waits until the index includes a screening that is made now. */
const untilSearchable = async (target: Target): Promise<void> => {
  const user_id = `newest_${Date.now()}`;
  await callApi(target, 'POST', '/transactions/screen', { user_id, amount: 10, currency: 'EUR' });
  for (;;) {
    const { screenings } = await callApi<ScreeningList>(target, 'GET', list(`user_id=${user_id}`));
    if (screenings.length > 0) return;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
};

/** One person searches, one request after the other, until `isOver`. */
const searchUntil = async (target: Target, samples: readonly Sample[], isOver: () => boolean) => {
  const searches = SEARCHES.map(([name, path]) => ({ name, path, times: [] as number[], failed: 0 }));
  for (let turn = 0; !isOver(); turn++)
    for (const search of searches) {
      const began = performance.now();
      await callApi(target, 'GET', search.path(samples[turn % samples.length] as Sample)).catch(() => search.failed++);
      search.times.push(performance.now() - began);
    }
  return searches.map(({ name, times, failed }) => ({
    name,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    failed,
  }));
};

/**
 * Payments of users who are in the store, screened once more. The clock runs so fast that the only payment of a user may
 * be past its retention by now, and a search for that user would fail.
 */
const screenSamples = async (target: Target): Promise<Sample[]> => {
  const nextStored = makeTraffic(FILL_SEED);
  const samples = Array.from({ length: SAMPLES }, () => JSON.parse(nextStored()) as Sample);
  for (const sample of samples) await callApi(target, 'POST', '/transactions/screen', sample);
  return samples;
};

const measureOn = async (
  store: string,
  { target }: Server,
  stored: number,
  settle?: () => Promise<void>,
): Promise<SearchCost> => {
  const samples = await screenSamples(target);
  await untilSearchable(target);
  await settle?.();
  const next = makeTraffic(8);
  const alone = await openLoop(target, ARRIVALS, next, ROUND_MS);
  let isOver = false;
  const [beside, searches] = await Promise.all([
    openLoop(target, ARRIVALS, next, ROUND_MS).finally(() => {
      isOver = true;
    }),
    searchUntil(target, samples, () => isOver),
  ]);
  return {
    store,
    stored,
    arrivals: ARRIVALS,
    alonePerSecond: (alone.requests - alone.errors) / alone.seconds,
    besidePerSecond: (beside.requests - beside.errors) / beside.seconds,
    aloneP99Ms: alone.p99Ms,
    besideP99Ms: beside.p99Ms,
    searches,
  };
};

const copyTo = (directory: string, env: Readonly<Record<string, string>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const { DATABASE_URL = '', REDIS_URL = '', SECRET_KEY = '' } = env;
    const args = [PORTCULLIS, 'copy', '--to', DATABASE_URL, '--redis', REDIS_URL];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, DATA_DIR: directory, SECRET_KEY },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`portcullis copy ended with ${code}.`))));
  });

const measureServer = async (
  store: string,
  env: Readonly<Record<string, string>>,
  stored: number,
  settle?: () => Promise<void>,
): Promise<SearchCost> => {
  const server = await startServer('./service-server.ts', env);
  try {
    return await measureOn(store, server, stored, settle);
  } finally {
    await server.stop();
  }
};

/** Measures the searches on a data folder with stored screenings, then on a copy of it in PostgreSQL and Redis. */
export async function* measureSearch(directory: string, stored: number): AsyncGenerator<SearchCost> {
  yield await measureServer('embedded', { DATA_DIR: directory }, stored);
  const shared = await makeSharedStore();
  if (shared === undefined) return;
  try {
    await copyTo(directory, shared.env);
    yield await measureServer('PostgreSQL', shared.env, stored, shared.settle);
  } finally {
    await shared.drop();
  }
}

/** Fills a new data folder with screenings. */
const fill = async (directory: string, stored: number): Promise<void> => {
  const server = await startServer('./service-server.ts', { DATA_DIR: directory });
  const progress = makeProgress(`storing ${stored.toLocaleString('en')}`, stored);
  const next = makeTraffic(FILL_SEED);
  for (let done = 0; done < stored; done += FILL_CHUNK) {
    await closedLoop(server.target, 64, next, { requests: Math.min(FILL_CHUNK, stored - done) });
    progress.at(done);
  }
  progress.end();
  await server.stop();
};

// `node bench/search.ts 1000000 FOLDER` keeps the folder, so that a second run need not fill it. A third argument, `embedded`,
// leaves out PostgreSQL.
if (import.meta.main) {
  const [count = '1000000', kept, last] = process.argv.slice(2);
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'portcullis-bench-search-'));
  try {
    if (!existsSync(join(directory, 'portcullis.db'))) await fill(directory, Number(count));
    for await (const cost of measureSearch(directory, Number(count))) {
      process.stdout.write(`${JSON.stringify(cost, undefined, 2)}\n`);
      if (cost.store === last) break;
    }
  } finally {
    if (kept === undefined) rmSync(directory, { recursive: true, force: true });
  }
}
