import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { closedLoop } from './load.ts';
import { type Latency, measureLatency, measureRatio, type Ratio } from './measure.ts';
import { type Server, startServer } from './process.ts';
import { measureRules, type RuleCost } from './rules.ts';
import { measureScoring, type Scoring } from './scoring.ts';
import { makeTraffic } from './traffic.ts';
import { measureTraining, type TrainingCost } from './training.ts';
import { measureWebhooks, type WebhookCost } from './webhooks.ts';

/** Screening against the floor, empty and after many stored screenings. `--quick` stops at 100,000. */
interface Stage {
  readonly stored: number;
  readonly ratio: Ratio;
  readonly latency: Latency;
  readonly rssMb: number;
  readonly diskMb: number;
  readonly startMs: number;
  readonly startAfterKillMs: number;
}

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

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const ms = (value: number): string => value.toFixed(1);

const report = (
  stages: readonly Stage[],
  webhooks: WebhookCost,
  training: TrainingCost,
  scoring: Scoring,
  rules: RuleCost,
): string => {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${process.arch}, ${cpu?.model.trim() || 'model not told'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`;
  return `# Benchmark

${new Date().toISOString().slice(0, 10)} on ${machine}. Written by \`npm run bench\`.

The floor is the same Fastify reading and validating the same body and answering a constant. Both are measured in one run, in turns,
with the load generator on the same machine; only the ratios mean something elsewhere. "Stored" is the number of screenings in the store
when the measurement began (the first row is a store warmed up from empty, where most users are new). The service's clock runs 15,000
times as fast as ours, so that its users pay as seldom as real ones do; one payment in a hundred is part of an attack.

## Screening against the floor, 32 connections

${table(
  ['stored', 'floor/s', 'screenings/s', 'throughput', 'floor CPU µs', 'screening CPU µs', 'CPU'],
  stages.map(({ stored: count, ratio: r }) => [
    count.toLocaleString('en'),
    r.floorPerSecond.toFixed(0),
    r.servicePerSecond.toFixed(0),
    percent(r.throughput),
    r.floorCpuUs.toFixed(0),
    r.serviceCpuUs.toFixed(0),
    `${r.cpu.toFixed(2)}x`,
  ]),
)}

## Latency of a screening, p50 / p99 in ms

${table(
  ['stored', '1 connection', '32 connections', '128 connections', '1,000 arrivals/s (open loop)'],
  stages.map(({ stored: count, latency }) => [
    count.toLocaleString('en'),
    ...latency.closed.map(({ load }) => `${ms(load.p50Ms)} / ${ms(load.p99Ms)}`),
    `${ms(latency.open.p50Ms)} / ${ms(latency.open.p99Ms)}`,
  ]),
)}

## Memory, disk and start

${table(
  ['stored', 'resident MB', 'database MB', 'start ms', 'start after kill -9 ms'],
  stages.map((s) => [
    s.stored.toLocaleString('en'),
    s.rssMb.toFixed(0),
    s.diskMb.toFixed(0),
    s.startMs.toFixed(0),
    s.startAfterKillMs.toFixed(0),
  ]),
)}

## Webhooks, to an HTTPS receiver on the same machine

${table(
  ['what', 'took'],
  [
    [
      `delivering ${webhooks.delivered.toLocaleString('en')} that are owed`,
      `${webhooks.deliveriesPerSecond.toFixed(0)}/s`,
    ],
    ['screenings with no endpoint, 32 connections', `${webhooks.screeningsWithout.toFixed(0)}/s`],
    [
      'screenings with one endpoint that is told of each, in turns',
      `${webhooks.screeningsWith.toFixed(0)}/s, ${percent(webhooks.share)}`,
    ],
  ],
)}

## Screening while a training runs

A training of the account that screens, of ${training.stored.toLocaleString('en')} stored screenings; it took ${training.trainingSeconds.toFixed(0)} s. Without: before and after it.

${table(
  ['what', 'without', 'while it runs'],
  [
    [
      '500 arrivals/s (open loop), p50 / p99 in ms',
      `${ms(training.without.p50Ms)} / ${ms(training.without.p99Ms)}`,
      `${ms(training.during.p50Ms)} / ${ms(training.during.p99Ms)}`,
    ],
    [
      'screenings with 32 connections',
      `${training.without.screeningsPerSecond.toFixed(0)}/s`,
      `${training.during.screeningsPerSecond.toFixed(0)}/s, ${percent(training.during.screeningsPerSecond / training.without.screeningsPerSecond)}`,
    ],
  ],
)}

## Scoring by itself, one thread

${table(
  ['what', 'took'],
  [
    [
      `one item: facts, features, rules and a model of ${scoring.trees} trees, p50 / p99`,
      `${scoring.rowP50Us.toFixed(0)} / ${scoring.rowP99Us.toFixed(0)} µs`,
    ],
    ...scoring.backtests.map(({ what, items, perSecond }) => [
      `backtest with the shipped model: ${items.toLocaleString('en')} ${what}`,
      `${Math.round(perSecond).toLocaleString('en')} items/s`,
    ]),
    ['training on 300,000 rows of 30 features, 100 trees', `${scoring.trainingSeconds.toFixed(1)} s`],
    [
      `what ${rules.rules} live rules of an account add to a decision, p50 / p99 (${percent(rules.matched)} of items match one)`,
      `${rules.p50Us.toFixed(0)} / ${rules.p99Us.toFixed(0)} µs; ${rules.meanCpuUs.toFixed(0)} µs of processor time on average`,
    ],
  ],
)}
`;
};

try {
  const stages: Stage[] = [];
  for (const target of STORED) stages.push(await stage(target));
  const webhooks = await measureWebhooks(makeTraffic(2));
  const training = await measureTraining(makeTraffic(3));
  const text = report(stages, webhooks, training, await measureScoring(), measureRules());
  say(text);
  writeFileSync(new URL('./RESULTS.md', import.meta.url), text);
} finally {
  await Promise.all([floor.stop(), service.stop()]);
  rmSync(directory, { recursive: true, force: true });
}
