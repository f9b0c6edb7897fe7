import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedLoop } from './load.ts';
import { measureLatency, measureRatio } from './measure.ts';
import { type Server, startServer } from './process.ts';
import { report, type Stage } from './report.ts';
import { measureRules } from './rules.ts';
import { measureScale } from './scale.ts';
import { measureScoring } from './scoring.ts';
import { makeTraffic } from './traffic.ts';
import { measureTraining } from './training.ts';
import { measureWebhooks } from './webhooks.ts';

/** Screening against the floor, empty and after many stored screenings. `--quick` stops at 100,000. */
const WARM_UP = 20_000;
const STORED = process.argv.includes('--quick') ? [WARM_UP, 100_000] : [WARM_UP, 100_000, 1_000_000];
const SEED_CHUNK = 5_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const progress = (label: string, share: number): void => {
  if (!process.stdout.isTTY) return;
  const filled = Math.round(share * 30);
  process.stdout.write(
    `\r${label} [${'#'.repeat(filled)}${'.'.repeat(30 - filled)}] ${Math.round(share * 100)} %${share === 1 ? '\n' : ''}`,
  );
};

const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
const startService = (): Promise<Server> => startServer('./service-server.ts', { DATA_DIR: directory });
const floor = await startServer('./floor-server.ts');
let service = await startService();
const next = makeTraffic(1);
let stored = 0;

const fill = async (target: number): Promise<void> => {
  const from = stored;
  while (stored < target) {
    const { requests } = await closedLoop(service.target, 64, next, {
      requests: Math.min(SEED_CHUNK, target - stored),
    });
    stored += requests;
    progress(`storing up to ${target.toLocaleString('en')}`, Math.min(1, (stored - from) / (target - from)));
  }
};

const restart = async (end: () => Promise<void>): Promise<number> => {
  await end();
  service = await startService();
  return service.startedInMs;
};

const stage = async (target: number): Promise<Stage> => {
  await fill(target);
  const ratio = await measureRatio(floor, service, next);
  const latency = await measureLatency(service, next);
  const rssMb = (await service.cost()).rssBytes / 1e6;
  const startAfterKillMs = await restart(service.kill);
  const startMs = await restart(service.stop);
  const diskMb = statSync(join(directory, 'portcullis.db')).size / 1e6;
  return { stored: target, ratio, latency, rssMb, diskMb, startMs, startAfterKillMs };
};

try {
  const stages: Stage[] = [];
  for (const target of STORED) stages.push(await stage(target));
  const text = report({
    stages,
    scale: await measureScale(floor, makeTraffic(4)),
    webhooks: await measureWebhooks(makeTraffic(2)),
    training: await measureTraining(makeTraffic(3)),
    scoring: await measureScoring(),
    rules: measureRules(),
  });
  say(text);
  writeFileSync(new URL('./RESULTS.md', import.meta.url), text);
} finally {
  await Promise.all([floor.stop(), service.stop()]);
  rmSync(directory, { recursive: true, force: true });
}
