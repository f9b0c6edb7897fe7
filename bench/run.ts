import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeProgress } from '../server/src/runtime/progress-bar.ts';
import { measureBesideReaders } from './beside-readers.ts';
import { measureBesideStrangers } from './beside-strangers.ts';
import { measureCardNumbers } from './card-numbers.ts';
import { measureConsolePeople } from './console-people.ts';
import { measureConsoleScroll } from './console-scroll.ts';
import { closedLoop } from './load.ts';
import { measureLatency, measureRatio } from './measure.ts';
import { type Server, startServer } from './process.ts';
import { report, type Stage } from './report.ts';
import { measureRules } from './rules.ts';
import { measureScale } from './scale.ts';
import { measureScoring } from './scoring.ts';
import { measureSearch, type SearchCost } from './search.ts';
import { makeTraffic } from './traffic.ts';
import { measureTraining } from './training.ts';
import { measureWebhooks } from './webhooks.ts';

/** Compares screening with the baseline, on stores of growing size. `--quick` stops at 100,000 stored screenings. */
const WARM_UP = 20_000;
const STORED = process.argv.includes('--quick') ? [WARM_UP, 100_000] : [WARM_UP, 100_000, 1_000_000];
const FILL_CHUNK = 5_000;

const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
const startService = (): Promise<Server> => startServer('./service-server.ts', { DATA_DIR: directory });
const baseline = await startServer('./baseline-server.ts');
let service = await startService();
const next = makeTraffic(1);
let stored = 0;

const fill = async (target: number): Promise<void> => {
  const progress = makeProgress(`storing up to ${target.toLocaleString('en')}`, target);
  while (stored < target) {
    const { requests } = await closedLoop(service.target, 64, next, {
      requests: Math.min(FILL_CHUNK, target - stored),
    });
    stored += requests;
    progress.at(stored);
  }
  progress.end();
};

const restart = async (end: () => Promise<void>): Promise<number> => {
  await end();
  service = await startService();
  return service.startedInMs;
};

const measureStage = async (target: number): Promise<Stage> => {
  await fill(target);
  const ratio = await measureRatio(baseline, service, next);
  const latency = await measureLatency(service, next);
  const rssMb = (await service.cost()).rssBytes / 1e6;
  const startAfterKillMs = await restart(service.kill);
  const startMs = await restart(service.stop);
  const diskMb = statSync(join(directory, 'portcullis.db')).size / 1e6;
  return { stored: target, ratio, latency, rssMb, diskMb, startMs, startAfterKillMs };
};

try {
  const stages: Stage[] = [];
  for (const target of STORED) stages.push(await measureStage(target));
  await service.stop();
  const search: SearchCost[] = [];
  for await (const cost of measureSearch(directory, stored)) search.push(cost);
  const text = report({
    stages,
    scale: await measureScale(baseline, makeTraffic(4)),
    webhooks: await measureWebhooks(makeTraffic(2)),
    training: await measureTraining(makeTraffic(3)),
    strangers: await measureBesideStrangers(),
    readers: await measureBesideReaders(),
    scoring: await measureScoring(),
    rules: measureRules(),
    cardNumbers: measureCardNumbers(),
    search,
    scroll: await measureConsoleScroll(),
    people: await measureConsolePeople(),
  });
  process.stdout.write(`${text}\n`);
  writeFileSync(new URL('./RESULTS.md', import.meta.url), text);
} finally {
  await Promise.all([baseline.stop(), service.stop()]);
  rmSync(directory, { recursive: true, force: true });
}
