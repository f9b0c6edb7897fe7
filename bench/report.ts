import { cpus, totalmem } from 'node:os';
import type { Latency, Ratio } from './measure.ts';
import type { RuleCost } from './rules.ts';
import type { ScaleCost } from './scale.ts';
import type { Scoring } from './scoring.ts';
import type { TrainingCost } from './training.ts';
import type { WebhookCost } from './webhooks.ts';

export interface Stage {
  readonly stored: number;
  readonly ratio: Ratio;
  readonly latency: Latency;
  readonly rssMb: number;
  readonly diskMb: number;
  readonly startMs: number;
  readonly startAfterKillMs: number;
}

export interface Results {
  readonly stages: readonly Stage[];
  readonly scale: ScaleCost | undefined;
  readonly webhooks: WebhookCost;
  readonly training: TrainingCost;
  readonly scoring: Scoring;
  readonly rules: RuleCost;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const ms = (value: number): string => value.toFixed(1);

const scaleSection = (scale: ScaleCost | undefined): string => {
  if (scale === undefined) return 'Not measured: PostgreSQL or Redis did not answer.';
  const { floorPerSecond, onePerSecond, twoPerSecond, processCpuUs, postgresCpuUs, redisCpuUs } = scale;
  const total = processCpuUs + postgresCpuUs + redisCpuUs;
  return table(
    ['what', 'measured'],
    [
      ['the floor, in turns with one process', `${floorPerSecond.toFixed(0)}/s`],
      ['one process, 32 connections', `${onePerSecond.toFixed(0)}/s, ${percent(onePerSecond / floorPerSecond)}`],
      [
        'two processes, 16 connections each',
        `${twoPerSecond.toFixed(0)}/s, ${percent(twoPerSecond / onePerSecond)} of one`,
      ],
      [
        'processor time per screening: process, PostgreSQL, Redis',
        `${processCpuUs.toFixed(0)} + ${postgresCpuUs.toFixed(0)} + ${redisCpuUs.toFixed(0)} = ${total.toFixed(0)} µs`,
      ],
      [`${scale.arrivals} arrivals/s (open loop), p50 / p99 in ms`, `${ms(scale.p50Ms)} / ${ms(scale.p99Ms)}`],
      ['memory of Redis per screening stored', `${scale.redisBytesPerScreening.toFixed(0)} bytes`],
    ],
  );
};

export const report = ({ stages, scale, webhooks, training, scoring, rules }: Results): string => {
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

## On PostgreSQL and Redis, all on the same machine

${scaleSection(scale)}

## Webhooks, to an HTTPS receiver on the same machine

${table(
  ['what', 'took'],
  [
    [
      `delivering ${webhooks.delivered.toLocaleString('en')} that are owed`,
      `${webhooks.deliveriesPerSecond.toFixed(0)}/s`,
    ],
    [
      'the same on PostgreSQL',
      webhooks.sharedPerSecond === undefined ? 'not measured' : `${webhooks.sharedPerSecond.toFixed(0)}/s`,
    ],
    ['screenings with no endpoint, 32 connections', `${webhooks.screeningsWithout.toFixed(0)}/s`],
    [
      'screenings with one endpoint that is told of each, in turns',
      `${webhooks.screeningsWith.toFixed(0)}/s, ${percent(webhooks.share)}`,
    ],
  ],
)}

## Screening while a training runs

A training of the account that screens, of ${training.stored.toLocaleString('en')} stored screenings; it took ${training.trainingSeconds.toFixed(0)} s, and another began
when it was over. Without: before and after.

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
