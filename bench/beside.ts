import { Worker } from 'node:worker_threads';
import type { BackgroundLoad, BackgroundResult } from './background-thread.ts';
import { openLoop, type Target } from './load.ts';

/** The text of a GET request, with or without a key. */
export const getRequest = (path: string, key?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

/** The text of a request that screens a payment. */
export const screeningRequest = (body: string, key: string): string =>
  `POST /v1/transactions/screen HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
  `Authorization: Bearer ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Screening while other requests keep the service busy. */
export interface Beside {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly screeningErrors: number;
  readonly backgroundPerSecond: number;
  readonly backgroundRefused: number;
}

const ARRIVALS = 100;
const ROUNDS = 3;
const ROUND_MS = 2500;
const WARM_UP_MS = 300;

const startBackground = (load: BackgroundLoad) => {
  const thread = new Worker(new URL('./background-thread.ts', import.meta.url), { workerData: load });
  return (): Promise<BackgroundResult> =>
    new Promise((resolve, reject) => {
      thread.once('message', resolve).once('error', reject);
      thread.postMessage('stop');
    });
};

const round = async (
  target: Target,
  next: () => string,
  load: Omit<BackgroundLoad, 'port'> | undefined,
): Promise<Beside> => {
  const stop = load === undefined ? undefined : startBackground({ ...load, port: target.port });
  await new Promise((done) => setTimeout(done, WARM_UP_MS));
  const { p50Ms, p99Ms, errors } = await openLoop(target, ARRIVALS, next, ROUND_MS);
  const background = await stop?.();
  return {
    p50Ms,
    p99Ms,
    screeningErrors: errors,
    backgroundPerSecond: background === undefined ? 0 : background.requests / background.seconds,
    backgroundRefused: background?.refused ?? 0,
  };
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * Measures screening at a fixed rate beside each load. The loads alternate, so that noise affects all of them; each
 * figure is the median of its rounds. A load may depend on the results of the loads before it in the same round.
 */
export const measureBeside = async <Name extends string>(
  target: Target,
  next: () => string,
  loads: Readonly<Record<Name, (before: Partial<Record<Name, Beside>>) => Omit<BackgroundLoad, 'port'> | undefined>>,
): Promise<Record<Name, Beside>> => {
  const names = Object.keys(loads) as Name[];
  const rounds: Record<Name, Beside>[] = [];
  for (let number = 0; number < ROUNDS; number++) {
    const measured: Partial<Record<Name, Beside>> = {};
    for (const name of names) measured[name] = await round(target, next, loads[name](measured));
    rounds.push(measured as Record<Name, Beside>);
  }
  return Object.fromEntries(
    names.map((name) => {
      const of = rounds.map((measured) => measured[name]);
      const beside: Beside = {
        p50Ms: median(of.map(({ p50Ms }) => p50Ms)),
        p99Ms: median(of.map(({ p99Ms }) => p99Ms)),
        screeningErrors: total(of.map(({ screeningErrors }) => screeningErrors)),
        backgroundPerSecond: median(of.map(({ backgroundPerSecond }) => backgroundPerSecond)),
        backgroundRefused: total(of.map(({ backgroundRefused }) => backgroundRefused)),
      };
      return [name, beside];
    }),
  ) as Record<Name, Beside>;
};
