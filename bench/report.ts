import { cpus, totalmem } from 'node:os';
import { table } from '../scripts/markdown.ts';
import type { Beside } from './beside.ts';
import type { BesideReaders } from './beside-readers.ts';
import type { BesideStrangers } from './beside-strangers.ts';
import type { CardNumberCost } from './card-numbers.ts';
import type { ConsolePeople } from './console-people.ts';
import type { ConsoleScroll } from './console-scroll.ts';
import type { Latency, Ratio } from './measure.ts';
import { consoleSection } from './report-console.ts';
import type { RuleCost } from './rules.ts';
import type { ScaleCost } from './scale.ts';
import type { Scoring } from './scoring.ts';
import type { SearchCost } from './search.ts';
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
  readonly strangers: BesideStrangers;
  readonly readers: BesideReaders;
  readonly scoring: Scoring;
  readonly rules: RuleCost;
  readonly cardNumbers: CardNumberCost;
  readonly search: readonly SearchCost[];
  readonly scroll: ConsoleScroll | undefined;
  readonly people: ConsolePeople;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const ms = (value: number): string => value.toFixed(1);

const scaleSection = (scale: ScaleCost | undefined): string => {
  if (scale === undefined) return 'Not measured: PostgreSQL or Redis is not available.';
  const { baselinePerSecond, onePerSecond, twoPerSecond, processCpuUs, postgresCpuUs, redisCpuUs } = scale;
  const total = processCpuUs + postgresCpuUs + redisCpuUs;
  return table(
    ['measurement', 'result'],
    [
      ['baseline, alternating with one process', `${baselinePerSecond.toFixed(0)}/s`],
      ['one process, 32 connections', `${onePerSecond.toFixed(0)}/s, ${percent(onePerSecond / baselinePerSecond)}`],
      [
        'two processes, 16 connections each',
        `${twoPerSecond.toFixed(0)}/s, ${percent(twoPerSecond / onePerSecond)} of one`,
      ],
      [
        'CPU time per screening: process, PostgreSQL, Redis',
        `${processCpuUs.toFixed(0)} + ${postgresCpuUs.toFixed(0)} + ${redisCpuUs.toFixed(0)} = ${total.toFixed(0)} µs`,
      ],
      [`${scale.arrivals} arrivals/s (open loop), p50 / p99 in ms`, `${ms(scale.p50Ms)} / ${ms(scale.p99Ms)}`],
      ['Redis memory per stored screening', `${scale.redisBytesPerScreening.toFixed(0)} bytes`],
    ],
  );
};

/** The section about callers without a key. */
export const strangersSection = (of: BesideStrangers): string => {
  const row = (name: string, { p50Ms, p99Ms, backgroundPerSecond }: Beside): string[] => [
    name,
    `${ms(p50Ms)} / ${ms(p99Ms)}`,
    `${(p50Ms / of.health.p50Ms).toFixed(2)}x`,
    backgroundPerSecond.toFixed(0),
  ];
  const { unread } = of;
  return `## Screening beside callers without a key

${of.connections} connections without a key send one request after the other, while screenings arrive at 100/s (open loop).

${table(
  ['requests without a key', 'screening p50 / p99 in ms', 'p50 compared with /healthz', 'such requests/s'],
  [
    row('none', of.alone),
    row('`/healthz`', of.health),
    row('`/openapi.json`', of.openapi),
    row('`/docs`', of.docs),
    row('an unknown key each', of.wrongKeys),
  ],
)}

${unread.connections} connections request pages and never read: resident memory ${unread.rssMbBefore.toFixed(0)} MB before and ${unread.rssMbDuring.toFixed(0)} MB during, \`/healthz\` p50 / max ${ms(unread.healthP50Ms)} / ${ms(unread.healthMaxMs)} ms.`;
};

export const readersSection = (of: BesideReaders): string => {
  const row = (name: string, { p50Ms, p99Ms, backgroundPerSecond }: Beside): string[] => [
    name,
    `${ms(p50Ms)} / ${ms(p99Ms)}`,
    `${(p50Ms / of.sameRate.p50Ms).toFixed(2)}x`,
    backgroundPerSecond.toFixed(0),
  ];
  return `## Screening beside another account

Screenings of one account arrive at 100/s (open loop), while another account with ${of.cases.toLocaleString('en')} cases keeps the service busy.

${table(
  ['requests of the other', 'screening p50 / p99 in ms', 'p50 compared with /healthz', 'such requests/s'],
  [
    row('none', of.alone),
    row('ten readers of `/v1/cases` at high offsets', of.readers),
    row('as many on `/healthz`', of.sameRate),
    row('ten connections on `/healthz`, as fast as they can', of.sameConnections),
    row('screenings on 128 connections, as fast as they can', of.flood),
  ],
)}`;
};

export const searchSection = (costs: readonly SearchCost[]): string => {
  const [first] = costs;
  if (first === undefined) return '';
  const times = ({ searches }: SearchCost, index: number): string => {
    const { p50Ms = Number.NaN, p95Ms = Number.NaN, failed = 0 } = searches[index] ?? {};
    return `${ms(p50Ms)} / ${ms(p95Ms)}${failed > 0 ? `, ${failed} failed` : ''}`;
  };
  return `## Searches while screenings arrive

${first.arrivals} screenings arrive per second (open loop), with ${first.stored.toLocaleString('en')} stored. One person searches, one request after the other.

${table(
  ['', ...costs.map(({ store }) => `${store}, p50 / p95 in ms`)],
  [
    ...first.searches.map(({ name }, index) => [name, ...costs.map((cost) => times(cost, index))]),
    [
      'screenings/s, without and beside searches',
      ...costs.map(
        ({ alonePerSecond, besidePerSecond }) => `${alonePerSecond.toFixed(0)} / ${besidePerSecond.toFixed(0)}`,
      ),
    ],
    [
      'screening p99 in ms, without and beside searches',
      ...costs.map(({ aloneP99Ms, besideP99Ms }) => `${ms(aloneP99Ms)} / ${ms(besideP99Ms)}`),
    ],
  ],
)}`;
};

export const report = (results: Results): string => {
  const { stages, scale, webhooks, training, strangers, readers, scoring, rules, cardNumbers, search, scroll, people } =
    results;
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${process.arch}, ${cpu?.model.trim() || 'unknown model'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`;
  return `# Benchmark

${new Date().toISOString().slice(0, 10)} on ${machine}. Written by \`npm run bench\`.

The baseline is the same Fastify server that reads and validates the same body and returns a constant. Baseline and service alternate in
one run, with the load generator on the same machine: only the ratios hold on other machines. "Stored" is the number of screenings in the
store at the start of the measurement. In the first row the store was filled from empty, so most users are new. The clock of the service
runs 15,000 times as fast as real time, so that its users pay as rarely as real ones. One payment in a hundred is part of an attack.

## Screening compared with the baseline, 32 connections

${table(
  ['stored', 'baseline/s', 'screenings/s', 'throughput', 'baseline CPU µs', 'screening CPU µs', 'CPU'],
  stages.map(({ stored: count, ratio: r }) => [
    count.toLocaleString('en'),
    r.baselinePerSecond.toFixed(0),
    r.servicePerSecond.toFixed(0),
    percent(r.throughput),
    r.baselineCpuUs.toFixed(0),
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
  ['measurement', 'result'],
  [
    [
      `delivery of ${webhooks.delivered.toLocaleString('en')} pending webhooks`,
      `${webhooks.deliveriesPerSecond.toFixed(0)}/s`,
    ],
    [
      'the same on PostgreSQL',
      webhooks.sharedPerSecond === undefined ? 'not measured' : `${webhooks.sharedPerSecond.toFixed(0)}/s`,
    ],
    ['screenings with no endpoint, 32 connections', `${webhooks.screeningsWithout.toFixed(0)}/s`],
    [
      'screenings with one endpoint that receives all of them, alternating',
      `${webhooks.screeningsWith.toFixed(0)}/s, ${percent(webhooks.share)}`,
    ],
  ],
)}

## Screening during a training

The account that screens also trains on its ${training.stored.toLocaleString('en')} stored screenings. One training took ${training.trainingSeconds.toFixed(0)} s, and the next
started when it ended. "Without" is the mean of before and after.

${table(
  ['measurement', 'without', 'during a training'],
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

${strangersSection(strangers)}

${readersSection(readers)}

${searchSection(search)}

${consoleSection(scroll, people)}

## Scoring alone, one thread

${table(
  ['measurement', 'result'],
  [
    [
      `one item: facts, features, rules and a model of ${scoring.trees} trees, p50 / p99`,
      `${scoring.rowP50Us.toFixed(0)} / ${scoring.rowP99Us.toFixed(0)} µs`,
    ],
    ...scoring.backtests.map(({ input, items, perSecond }) => [
      `backtest with the shipped model: ${items.toLocaleString('en')} ${input}`,
      `${Math.round(perSecond).toLocaleString('en')} items/s`,
    ]),
    ['training on 300,000 rows of 30 features, 100 trees', `${scoring.trainingSeconds.toFixed(1)} s`],
    [
      `cost of ${rules.rules} live rules per decision, p50 / p99 (${percent(rules.matched)} of items match one)`,
      `${rules.p50Us.toFixed(0)} / ${rules.p99Us.toFixed(0)} µs; ${rules.meanCpuUs.toFixed(0)} µs of CPU time on average`,
    ],
    [
      `search for card numbers in a body of ${cardNumbers.kib} KiB, the worst case (${cardNumbers.worst})`,
      `${cardNumbers.ms.toFixed(0)} ms`,
    ],
  ],
)}
`;
};
