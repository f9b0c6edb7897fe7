import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedLoop, openLoop, type Target } from './load.ts';
import { KEY, type Server, startServer } from './process.ts';

/** What screening is like, by itself or beside a training. */
export interface Beside {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly screeningsPerSecond: number;
}
export interface TrainingCost {
  readonly stored: number;
  readonly without: Beside;
  readonly during: Beside;
  readonly trainingSeconds: number;
}

/** Models learn from production alone. */
const LIVE_KEY = KEY.replace('sk_test_', 'sk_live_');
const CHUNKS = 10;
const CHUNK = 4_000;
const FRAUDS_A_CHUNK = 60;
const PER_SECOND = 500;
const OPEN_MS = 8_000;
const CLOSED_MS = 4_000;
const CONNECTIONS = 32;

const call = async <T>({ port, key }: Target, method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
  return (await response.json()) as T;
};

/** Payments with fraud among them that was reported: enough to learn from. */
const fill = async (target: Target, next: () => string): Promise<number> => {
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    await closedLoop(target, CONNECTIONS, next, { requests: CHUNK });
    for (let i = 0; i < FRAUDS_A_CHUNK; i++) {
      const { transaction_id } = await call<{ transaction_id: string }>(target, 'POST', '/transactions/screen', {
        ...JSON.parse(next()),
        metadata: { channel: 'partner', product: 'gift_card' },
      });
      await call(target, 'POST', '/labels', { transaction_id, label: 'fraud', source: 'chargeback' });
    }
  }
  return CHUNKS * (CHUNK + FRAUDS_A_CHUNK);
};

const screen = async (target: Target, next: () => string): Promise<Beside> => {
  const open = await openLoop(target, PER_SECOND, next, OPEN_MS);
  const closed = await closedLoop(target, CONNECTIONS, next, { ms: CLOSED_MS });
  if (open.errors + closed.errors > 0) throw new Error(`${open.errors + closed.errors} answers were not 200`);
  return { p50Ms: open.p50Ms, p99Ms: open.p99Ms, screeningsPerSecond: closed.requests / closed.seconds };
};

const mean = (a: Beside, b: Beside): Beside => ({
  p50Ms: (a.p50Ms + b.p50Ms) / 2,
  p99Ms: (a.p99Ms + b.p99Ms) / 2,
  screeningsPerSecond: (a.screeningsPerSecond + b.screeningsPerSecond) / 2,
});

/** Trains, once more whenever a training ended before the measurement did. Answers with how long the first took. */
const train = async (target: Target, isEnough: () => boolean): Promise<number> => {
  let first: number | undefined;
  do {
    const startedAt = performance.now();
    const { training_id } = await call<{ training_id: string }>(target, 'POST', '/models/train', { maturity_days: 0 });
    let training: { status: string; message: string; model_version: string | null };
    do {
      await new Promise((done) => setTimeout(done, 100));
      training = await call(target, 'GET', `/trainings/${training_id}`);
    } while (training.status === 'running');
    if (training.model_version === null) throw new Error(`no model came of the training: ${training.message}`);
    first ??= (performance.now() - startedAt) / 1000;
  } while (!isEnough());
  return first;
};

/** Screening before, during and after a training of the account that screens, on the same machine. */
export const measureTraining = async (next: () => string): Promise<TrainingCost> => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-training-'));
  const service: Server = await startServer('./service-server.ts', {
    DATA_DIR: directory,
    API_KEYS: `${KEY},${LIVE_KEY}`,
    TRAIN_DAILY: 'off',
  });
  const target = { ...service.target, key: LIVE_KEY };
  try {
    const stored = await fill(target, next);
    const before = await screen(target, next);
    let isMeasured = false;
    const trained = train(target, () => isMeasured);
    const during = await screen(target, next);
    isMeasured = true;
    const trainingSeconds = await trained;
    return { stored, without: mean(before, await screen(target, next)), during, trainingSeconds };
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};
