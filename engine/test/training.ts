import type { ModelFile } from '@portcullis/contract';
import { type Facts, fact, makeFacts } from '../src/history/facts.ts';
import type { Model } from '../src/model/model.ts';
import { makeRandom } from '../src/random.ts';
import type { TrainingData } from '../src/train/table.ts';
import { type TrainOptions, trainModel } from '../src/train/train.ts';
import { pay } from './subjects.ts';

/** Features that are plain facts, so that a test can set them directly. */
export const SEEN = ['dollars', 'user.transactions.1h', 'ip.distinct_user.24h', 'device.failed_logins.1h'];
export const KINDS = ['book', 'food', 'gift', 'game'];

export interface TestRow {
  readonly values: readonly number[];
  readonly kind: string;
  readonly label: 0 | 1;
}

/** Rows of numbers from 0 to 10, one in ten unknown, and a category. `risk` is the probability of fraud. */
export const makeRows = (
  count: number,
  seed: number,
  risk: (values: readonly number[], kind: string) => number,
): TestRow[] => {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () => {
    const values = SEEN.map(() => (random() < 0.1 ? Number.NaN : Math.fround(random() * 10)));
    const kind = KINDS[Math.floor(random() * KINDS.length)] as string;
    return { values, kind, label: random() < risk(values, kind) ? 1 : 0 };
  });
};

export const dataOf = (rows: readonly TestRow[]): TrainingData => ({
  count: rows.length,
  features: SEEN.length,
  names: SEEN,
  values: Float32Array.from(rows.flatMap(({ values }) => values)),
  labels: Uint8Array.from(rows, ({ label }) => label),
  weights: new Float64Array(rows.length).fill(1),
  categories: [
    {
      member: 'metadata.kind',
      values: KINDS,
      codes: Int16Array.from(rows, ({ kind }) => KINDS.indexOf(kind)),
    },
  ],
});

export const TRAIN: TrainOptions = { seed: 1, source: 'a test', from: '2026-01-01', until: '2026-02-01' };
export const train = (rows: readonly TestRow[], more: Partial<TrainOptions> = {}): ModelFile =>
  trainModel(dataOf(rows), { ...TRAIN, ...more });

export const factsOf = (values: readonly number[]): Facts => {
  const facts = makeFacts();
  SEEN.forEach((name, i) => {
    facts[fact(name)] = values[i] as number;
  });
  return facts;
};
export const paidFor = (kind: string | undefined) => pay(0, kind === undefined ? {} : { metadata: { kind } });
export const probabilityOf = (model: Model, { values, kind }: Pick<TestRow, 'values' | 'kind'>): number =>
  model.explain(factsOf(values), paidFor(kind)).probability;

/** High risk with many payments in an hour, and for gifts from a crowded address; low risk otherwise. */
export const planted = ([, payments = 0, users = 0]: readonly number[], kind: string): number =>
  payments > 8 ? 0.7 : kind === 'gift' && users > 5 ? 0.5 : 0.02;
