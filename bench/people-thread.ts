import { parentPort, workerData } from 'node:worker_threads';

/**
 * People who work in the console, in a thread of their own, so that reading their responses does not delay the requests
 * that are measured. Each follows the feed, has the figures of the overview in a second tab, and works through cases.
 */
export interface PeopleLoad {
  readonly port: number;
  /** The cookie of the session of each person. */
  readonly cookies: readonly string[];
  readonly secondsPerCase: number;
}
export interface PeopleResult {
  readonly requests: number;
  readonly failed: number;
  readonly resolved: number;
  readonly events: number;
  readonly seconds: number;
}

const { port, cookies, secondsPerCase } = workerData as PeopleLoad;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** How often the console reads the figures, the state of the service, and the number of open cases. */
const FIGURES_MS = 30_000;
const SERVICE_MS = 5_000;
const OPEN_MS = 60_000;
const startedAt = performance.now();
const counts = { requests: 0, failed: 0, resolved: 0, events: 0 };
const over = new AbortController();

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const send = (cookie: string, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: {
      cookie,
      'sec-fetch-site': 'same-origin',
      'x-portcullis-environment': 'sandbox',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: over.signal,
  });

/** Undefined if the request failed. Another person may have been faster, which is no failure. */
const call = async (cookie: string, method: string, path: string, body?: unknown): Promise<string | undefined> => {
  counts.requests++;
  try {
    const response = await send(cookie, method, path, body);
    const text = await response.text();
    if (response.ok) return text;
    if (response.status !== 404 && response.status !== 409) counts.failed++;
  } catch {
    if (!over.signal.aborted) counts.failed++;
  }
  return undefined;
};

const follow = async (cookie: string): Promise<void> => {
  const response = await send(cookie, 'GET', '/feed?topics=cases,reviews,blocks');
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? [])
    counts.events += decoder.decode(chunk, { stream: true }).split('\ndata:').length - 1;
};

/** The clock of the service runs fast: its time is that of the newest case that was taken. */
let serviceNow = Date.now();
/** The range of the overview: a week by hour, up to the end of this hour. */
const range = (): string => {
  const end = Math.ceil(serviceNow / HOUR_MS) * HOUR_MS;
  return `from=${new Date(end - 7 * DAY_MS).toISOString()}&until=${new Date(end).toISOString()}`;
};
const readFigures = async (cookie: string): Promise<void> => {
  const week = range();
  for (const path of [
    `decisions?${week}&step=1h`,
    `scores?${week}&type=transaction`,
    `signals?${week}`,
    `cases?${week}`,
  ])
    await call(cookie, 'GET', `/stats/${path}`);
};

const work = async (cookie: string): Promise<void> => {
  const began = performance.now();
  await call(cookie, 'GET', '/cases?status=open&sort=priority&limit=100&offset=0');
  const taken = await call(cookie, 'POST', '/cases/next', {});
  if (taken !== undefined) {
    const { case_id, user_id, created_at } = JSON.parse(taken) as Record<'case_id' | 'user_id' | 'created_at', string>;
    serviceNow = Math.max(serviceNow, Date.parse(created_at));
    await call(cookie, 'GET', `/cases/${case_id}?include=subject,decision,notes,activity`);
    await Promise.all([
      call(cookie, 'PUT', `/cases/${case_id}/presence`, {}),
      call(cookie, 'GET', `/users/${user_id}/timeline`),
      call(cookie, 'GET', `/users/${user_id}/usual`),
      call(cookie, 'GET', `/links?of=user:${user_id}&hops=2`),
    ]);
    await pause(Math.max(0, secondsPerCase * 1000 - (performance.now() - began)));
    if (over.signal.aborted) return;
    const resolution = Math.random() < 0.8 ? { status: 'approved' } : { status: 'rejected', reason: 'stolen_card' };
    if ((await call(cookie, 'PUT', `/cases/${case_id}`, resolution)) !== undefined) counts.resolved++;
    // The console reads these again after each resolution.
    await Promise.all([readFigures(cookie), call(cookie, 'GET', '/cases?status=open&limit=1')]);
  } else await pause(secondsPerCase * 1000);
};

const every = async (ms: number, act: () => Promise<unknown>): Promise<void> => {
  while (!over.signal.aborted) {
    await act();
    await pause(ms);
  }
};

for (const [at, cookie] of cookies.entries()) {
  // They do not work in step.
  const delay = (at * secondsPerCase * 1000) / cookies.length;
  follow(cookie).catch(() => {
    if (!over.signal.aborted) counts.failed++;
  });
  setTimeout(() => {
    void every(SERVICE_MS, () => call(cookie, 'GET', '/stats/service'));
    void every(OPEN_MS, () => call(cookie, 'GET', '/cases?status=open&limit=1'));
    void every(FIGURES_MS, () => readFigures(cookie));
    void every(0, () => work(cookie));
  }, delay);
}

parentPort?.once('message', () => {
  over.abort();
  const result: PeopleResult = { ...counts, seconds: (performance.now() - startedAt) / 1000 };
  parentPort?.postMessage(result);
  setImmediate(() => process.exit(0));
});
