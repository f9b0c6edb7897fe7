import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from './api.ts';
import { closedLoop, openLoop, type Target } from './load.ts';
import { KEY, type Server, startServer } from './process.ts';

/** Performance of screening, alone or during a training. */
export interface ScreeningLoad {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly screeningsPerSecond: number;
}
export interface TrainingCost {
  readonly stored: number;
  readonly without: ScreeningLoad;
  readonly during: ScreeningLoad;
  readonly trainingSeconds: number;
}

/** Models are trained on production data only. */
const LIVE_KEY = KEY.replace('sk_test_', 'sk_live_');
const CHUNKS = 10;
const CHUNK = 4_000;
const FRAUDS_PER_CHUNK = 60;
const PER_SECOND = 500;
const OPEN_MS = 8_000;
const CLOSED_MS = 4_000;
const CONNECTIONS = 32;

/** Stores payments with enough labelled fraud for a training. */
const fill = async (target: Target, next: () => string): Promise<number> => {
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    await closedLoop(target, CONNECTIONS, next, { requests: CHUNK });
    for (let i = 0; i < FRAUDS_PER_CHUNK; i++) {
      const { transaction_id } = await callApi<{ transaction_id: string }>(target, 'POST', '/transactions/screen', {
        ...JSON.parse(next()),
        metadata: { channel: 'partner', product: 'gift_card' },
      });
      await callApi(target, 'POST', '/labels', { transaction_id, label: 'fraud', source: 'chargeback' });
    }
  }
  return CHUNKS * (CHUNK + FRAUDS_PER_CHUNK);
};

const screen = async (target: Target, next: () => string): Promise<ScreeningLoad> => {
  const open = await openLoop(target, PER_SECOND, next, OPEN_MS);
  const closed = await closedLoop(target, CONNECTIONS, next, { ms: CLOSED_MS });
  if (open.errors + closed.errors > 0) throw new Error(`${open.errors + closed.errors} responses were not 200`);
  return { p50Ms: open.p50Ms, p99Ms: open.p99Ms, screeningsPerSecond: closed.requests / closed.seconds };
};

const mean = (a: ScreeningLoad, b: ScreeningLoad): ScreeningLoad => ({
  p50Ms: (a.p50Ms + b.p50Ms) / 2,
  p99Ms: (a.p99Ms + b.p99Ms) / 2,
  screeningsPerSecond: (a.screeningsPerSecond + b.screeningsPerSecond) / 2,
});

/** Trains repeatedly until the measurement has ended. Returns the duration of the first training in seconds. */
const train = async (target: Target, isEnough: () => boolean): Promise<number> => {
  let first: number | undefined;
  do {
    const startedAt = performance.now();
    const { training_id } = await callApi<{ training_id: string }>(target, 'POST', '/models/train', {
      maturity_days: 0,
    });
    let training: { status: string; message: string; model_version: string | null };
    do {
      await new Promise((done) => setTimeout(done, 100));
      training = await callApi(target, 'GET', `/trainings/${training_id}`);
    } while (training.status === 'running');
    if (training.model_version === null) throw new Error(`The training produced no model: ${training.message}`);
    first ??= (performance.now() - startedAt) / 1000;
  } while (!isEnough());
  return first;
};

/** Measures screening before, during and after a training of the same account, on the same machine. */
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
