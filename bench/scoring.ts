import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelFile } from '@portcullis/contract';
import {
  BOOST_DEFAULTS,
  boost,
  DEFAULT_POLICY,
  decide,
  makeModel,
  makeRandom,
  type Rows,
  summarize,
} from '@portcullis/engine';
import { openKnowledge } from '../server/src/knowledge/knowledge.ts';
import { BASE_MODEL } from '../server/src/models/model-file.ts';
import { backtest } from '../server/src/offline/backtest.ts';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { type Item, makeItemReader } from '../server/src/offline/item-reader.ts';
import { readItemBlocks } from '../server/src/offline/read-items.ts';
import { simulate } from '../server/src/simulate/simulate.ts';

/** Cost of scoring alone, without HTTP and store. */
export interface Scoring {
  readonly trees: number;
  readonly rowP50Us: number;
  readonly rowP99Us: number;
  readonly backtests: readonly { readonly input: string; readonly items: number; readonly perSecond: number }[];
  readonly trainingSeconds: number;
}

const TREES = 200;
/** A world with every field a caller can send, and with logins and other events. */
const WORLD = { seed: 7, users: 1500, days: 60, start: Date.UTC(2026, 0, 1), world: 'bank' as const };
const WARM_UP = 20_000;
const MEASURED = 40_000;
const knowledge = openKnowledge(
  { ipDatabase: undefined, torExitList: undefined, proxyList: undefined },
  () => undefined,
);
const policy = () => {
  const file = JSON.parse(readFileSync(BASE_MODEL, 'utf8')) as ModelFile;
  const { base = 0, trees = [] } = file.forest ?? {};
  return { ...DEFAULT_POLICY, model: makeModel({ ...file, forest: { base, trees: trees.slice(0, TREES) } }) };
};

/** Measures facts, features, signals, model and summary of one item after another. Counting the item is not measured. */
const measureRow = (): { p50: number; p99: number } => {
  const currentPolicy = policy();
  const read = makeItemReader({ warn: () => undefined, knowledge });
  const walk = makeWalk(Number.POSITIVE_INFINITY);
  const times: number[] = [];
  let line = 0;
  for (const fields of simulate(WORLD)) {
    const item: Item = read({ line: ++line, fields: { ...fields } });
    const began = process.hrtime.bigint();
    const facts = walk.factsOf(item);
    const verdict = decide(currentPolicy, item.subject, facts);
    // As the service does: a case has a summary from the start.
    if (verdict.decision !== 'allow') summarize(verdict, item.subject, facts);
    const took = Number(process.hrtime.bigint() - began) / 1000;
    if (line > WARM_UP) times.push(took);
    walk.next(item);
    if (times.length >= MEASURED) break;
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] as number;
  return { p50: at(0.5), p99: at(0.99) };
};

/** A history with the fields of published data sets of card payments: payer, payee, amount and time. */
const cardPayments = (): string => {
  const lines = ['occurred_at,user_id,counterparty_id,amount,currency,label'];
  for (const item of simulate(WORLD)) {
    if (item.kind !== 'transaction') continue;
    const { occurred_at, user_id, counterparty_id = '', amount, currency, label } = item;
    lines.push([occurred_at, user_id, counterparty_id, amount, currency, label].join(','));
  }
  return `${lines.join('\n')}\n`;
};
const allItems = (): string => Array.from(simulate(WORLD), (item) => `${JSON.stringify(item)}\n`).join('');

const measureBacktest = async (input: string, file: string, history: string) => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  try {
    const path = join(directory, file);
    writeFileSync(path, history);
    const began = performance.now();
    const { items } = await backtest(
      readItemBlocks(path, { warn: () => undefined, knowledge }),
      {
        testFrom: undefined,
        testUntil: undefined,
        labelDelayMs: 7 * 86_400_000,
        trainDays: undefined,
        retrainEveryMs: undefined,
        seed: 1,
        policy: policy(),
      },
      { scoresPath: undefined, onTraining: () => undefined, onTrained: () => undefined },
    );
    return { input, items, perSecond: (1000 * items) / (performance.now() - began) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** 300,000 rows of 30 features, 1 % positive, with some unknown values. */
const measureTraining = (): number => {
  const [count, features] = [300_000, 30];
  const random = makeRandom(1);
  const values = new Float32Array(count * features);
  const labels = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    let risk = 0;
    for (let feature = 0; feature < features; feature++) {
      const value = random() < 0.05 ? Number.NaN : random() ** (1 + (feature % 3));
      values[row * features + feature] = value;
      if (feature < 8 && value > 0.8) risk++;
    }
    labels[row] = risk >= 4 && random() < 0.3 ? 1 : 0;
  }
  const rows: Rows = { count, features, values, labels };
  const began = performance.now();
  boost(rows, { ...BOOST_DEFAULTS, trees: 100, seed: 1 });
  return (performance.now() - began) / 1000;
};

export const measureScoring = async (): Promise<Scoring> => {
  const row = measureRow();
  const backtests = [
    await measureBacktest('card payments in CSV', 'history.csv', cardPayments()),
    await measureBacktest('payments and events with all fields in NDJSON', 'history.ndjson', allItems()),
  ];
  return {
    trees: TREES,
    rowP50Us: row.p50,
    rowP99Us: row.p99,
    backtests,
    trainingSeconds: measureTraining(),
  };
};
