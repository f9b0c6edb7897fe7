import type { Facts } from '../history/facts.ts';
import { assumedWeightOf, FEATURE_NAMES, type FillFeatures, makeFeatureReader } from '../model/features.ts';
import { type ActiveSignals, evaluateSignals, makeActiveSignals } from '../signals/evaluate.ts';
import { categoryFields, categoryOf, METADATA } from '../subject/categories.ts';
import type { Subject } from '../subject/subject.ts';
import type { Rows } from './bins.ts';
import {
  CHUNK_ROWS,
  type Chunk,
  copyRow,
  getValue,
  isSame,
  newChunk,
  putCode,
  putValue,
  UNSET,
} from './table-chunk.ts';

/** A request field with few distinct values, such as the payment method. */
export interface Category {
  /** The path of the field, named as in model files. */
  readonly member: string;
  readonly values: readonly string[];
  /** By row: the index of its value, or -1. */
  readonly codes: Int16Array;
}

/** Training rows in the order of time. */
export interface TrainingData extends Rows {
  readonly names: readonly string[];
  readonly values: Float32Array;
  readonly weights: Float64Array;
  readonly categories: readonly Category[];
}

/** A field with more values than this is an identifier and no category. */
const MAX_VALUES = 400;
const MAX_CATEGORIES = 60;
const IS_EVENT = FEATURE_NAMES.indexOf('is_event');

interface RowTypes {
  readonly isEvent: Uint8Array;
  readonly labels: Uint8Array;
  readonly lacksMetadata: Uint8Array;
}
/**
 * Gives rows without metadata the metadata of legitimate rows of their type, spread evenly, so that it carries no
 * information. Only labelled rows outlive their metadata. Left empty, they would teach that missing metadata means
 * fraud.
 */
const lendMetadata = (categories: readonly Category[], { isEvent, labels, lacksMetadata }: RowTypes): void => {
  const fromMetadata = categories.filter(({ member }) => member.startsWith(METADATA));
  const rowsWhere = (holds: (row: number) => boolean): number[] => [...labels.keys()].filter(holds);
  for (const type of [0, 1]) {
    const borrowers = rowsWhere((row) => lacksMetadata[row] === 1 && isEvent[row] === type);
    const lenders = rowsWhere((row) => lacksMetadata[row] === 0 && isEvent[row] === type && labels[row] === 0);
    if (lenders.length === 0) continue;
    for (const [i, row] of borrowers.entries()) {
      const lender = lenders[Math.floor((i * lenders.length) / borrowers.length)] as number;
      for (const { codes } of fromMetadata) codes[row] = codes[lender] as number;
    }
  }
};

/** Drops values that no row has, and numbers the others in the order of rows. */
const renumber = ({ member, values, codes }: Category): Category => {
  const numbers = new Map<number, number>([[UNSET, UNSET]]);
  const renumbered = codes.map((code) => {
    const number = numbers.get(code) ?? numbers.size - 1;
    numbers.set(code, number);
    return number;
  });
  return { member, values: [...numbers.keys()].slice(1).map((code) => values[code] as string), codes: renumbered };
};

interface TableState {
  readonly maxRows: number;
  chunks: Chunk[];
  /** By label: the number of rows. */
  readonly count: [number, number];
  /** By label: the number of added rows that each kept row stands for. */
  readonly weight: [number, number];
  /** By label: the number of rows ever added. */
  readonly added: [number, number];
  /** The features that rows have: their places in FEATURE_NAMES, and how they are read. */
  readonly used: Int32Array;
  readonly read: FillFeatures;
  readonly features: Float64Array;
  readonly active: ActiveSignals;
  /** By category: the index of each value. */
  readonly dictionaries: Map<string, Map<string, number>>;
}

const lastChunk = (table: TableState): Chunk => {
  let chunk = table.chunks.at(-1);
  if (chunk === undefined || chunk.rows === CHUNK_ROWS) {
    chunk = newChunk();
    table.chunks.push(chunk);
  }
  return chunk;
};

const putCategory = ({ dictionaries }: TableState, chunk: Chunk, field: string, value: string): void => {
  let dictionary = dictionaries.get(field);
  if (dictionary === undefined) {
    if (dictionaries.size >= MAX_CATEGORIES) return;
    dictionary = new Map();
    dictionaries.set(field, dictionary);
  }
  if (dictionary.size > MAX_VALUES) return;
  if (!dictionary.has(value)) dictionary.set(value, dictionary.size);
  putCode(chunk, field, dictionary.get(value) as number);
};

/** Drops every second row of the more frequent label and doubles the weight of the others. */
const thin = (table: TableState): void => {
  const { chunks: before, count, weight } = table;
  const label = count[1] > count[0] ? 1 : 0;
  table.chunks = [];
  weight[label] *= 2;
  let seen = 0;
  for (const chunk of before)
    for (let row = 0; row < chunk.rows; row++)
      if (chunk.labels[row] !== label) copyRow(chunk, row, lastChunk(table), 1);
      else if (seen++ % 2 === 0) copyRow(chunk, row, lastChunk(table), 2);
  count[label] = Math.ceil(seen / 2);
};

const addRow = (
  table: TableState,
  facts: Facts,
  subject: Subject,
  label: 0 | 1,
  times: number,
  lacksMetadata: boolean,
): void => {
  const { added, weight, count, used, read, features, active, maxRows } = table;
  if (added[label]++ % weight[label] !== 0) return;
  const chunk = lastChunk(table);
  evaluateSignals(facts, subject, active);
  read(facts, subject, active, features);
  for (let i = 0; i < used.length; i++) putValue(chunk, used[i] as number, Math.fround(features[i] as number));
  for (const field of categoryFields(subject)) putCategory(table, chunk, field, categoryOf(subject, field) as string);
  chunk.at[chunk.rows] = subject.at;
  chunk.labels[chunk.rows] = label;
  chunk.weights[chunk.rows] = weight[label] * times;
  chunk.lacksMetadata[chunk.rows] = lacksMetadata ? 1 : 0;
  chunk.rows++;
  count[label]++;
  if (count[0] + count[1] > maxRows) thin(table);
};

const dropBefore = ({ chunks, count }: TableState, at: number): void => {
  while (chunks.length > 1 && ((chunks[0] as Chunk).at[(chunks[0] as Chunk).rows - 1] as number) < at) {
    const { rows, labels } = chunks.shift() as Chunk;
    for (let row = 0; row < rows; row++) count[labels[row] as 0 | 1]--;
  }
};

interface Period {
  readonly from: number;
  readonly until: number;
}
const overlaps = (chunk: Chunk, { from, until }: Period): boolean =>
  chunk.rows > 0 && (chunk.at[chunk.rows - 1] as number) >= from && (chunk.at[0] as number) < until;
const isWithin = (chunk: Chunk, row: number, { from, until }: Period): boolean =>
  (chunk.at[row] as number) >= from && (chunk.at[row] as number) < until;

/**
 * Whether a feature differs between rows of a period. Rows outside the period do not count, or they would change
 * the model.
 */
const varies = (chunks: readonly Chunk[], feature: number, period: Period): boolean => {
  let first: number | undefined;
  for (const chunk of chunks) {
    const rows = chunk.columns[feature] === undefined ? 1 : chunk.rows;
    for (let row = 0; row < rows; row++) {
      if (rows > 1 && !isWithin(chunk, row, period)) continue;
      const value = getValue(chunk, feature, row);
      first ??= value;
      if (!isSame(first, value)) return true;
    }
  }
  return false;
};

const countWithin = (chunks: readonly Chunk[], period: Period): number => {
  let rows = 0;
  for (const chunk of chunks) for (let row = 0; row < chunk.rows; row++) if (isWithin(chunk, row, period)) rows++;
  return rows;
};

const rowsWithin = ({ chunks, dictionaries }: TableState, period: Period, wanted: readonly string[]): TrainingData => {
  const used = chunks.filter((chunk) => overlaps(chunk, period));
  // A signal with an assumed weight is kept, even if no row has it.
  const columns = FEATURE_NAMES.flatMap((name, feature) =>
    wanted.includes(name) || assumedWeightOf(name) > 0 || varies(used, feature, period) ? [feature] : [],
  );
  const rows = countWithin(used, period);
  const values = new Float32Array(rows * columns.length);
  const labels = new Uint8Array(rows);
  const weights = new Float64Array(rows);
  const isEvent = new Uint8Array(rows);
  const lacksMetadata = new Uint8Array(rows);
  const categories = [...dictionaries]
    .filter(([, dictionary]) => dictionary.size >= 2 && dictionary.size <= MAX_VALUES)
    .map(([member, dictionary]) => ({
      member,
      values: [...dictionary.keys()],
      codes: new Int16Array(rows).fill(UNSET),
    }));
  let to = 0;
  for (const chunk of used) {
    for (let row = 0; row < chunk.rows; row++) {
      if (!isWithin(chunk, row, period)) continue;
      for (let i = 0; i < columns.length; i++)
        values[to * columns.length + i] = getValue(chunk, columns[i] as number, row);
      labels[to] = chunk.labels[row] as number;
      weights[to] = chunk.weights[row] as number;
      isEvent[to] = getValue(chunk, IS_EVENT, row);
      lacksMetadata[to] = chunk.lacksMetadata[row] as number;
      for (const { member, codes } of categories) codes[to] = chunk.codes.get(member)?.[row] ?? UNSET;
      to++;
    }
  }
  if (lacksMetadata.includes(1)) lendMetadata(categories, { isEvent, labels, lacksMetadata });
  const names = columns.map((feature) => FEATURE_NAMES[feature] as string);
  const useful = categories.map(renumber).filter((category) => category.values.length >= 2);
  useful.sort((a, b) => (a.member < b.member ? -1 : 1));
  return { count: rows, features: columns.length, names, values, labels, weights, categories: useful };
};

/**
 * Makes a table that collects labelled rows, at most `maxRows`. Beyond that it drops every second row of the more
 * frequent label, usually the legitimate one, and the others count double. Features that the model may not use take no
 * memory.
 */
export const makeTrainingTable = (maxRows: number, mayUseFeature: (name: string) => boolean = () => true) => {
  const used = Int32Array.from(
    FEATURE_NAMES.flatMap((name, feature) => (feature === IS_EVENT || mayUseFeature(name) ? [feature] : [])),
  );
  const table: TableState = {
    maxRows,
    chunks: [],
    count: [0, 0],
    weight: [1, 1],
    added: [0, 0],
    used,
    read: makeFeatureReader(Array.from(used, (feature) => FEATURE_NAMES[feature] as string)) as FillFeatures,
    features: new Float64Array(used.length),
    active: makeActiveSignals(),
    dictionaries: new Map(),
  };
  return {
    /** Adds a row that counts `times` times. `lacksMetadata` marks a row whose metadata was deleted. */
    add: (facts: Facts, subject: Subject, label: 0 | 1, times = 1, lacksMetadata = false): void =>
      addRow(table, facts, subject, label, times, lacksMetadata),
    /** Drops older rows. */
    dropBefore: (at: number): void => dropBefore(table, at),
    /** The rows of a period, with the features that differ between them and the `wanted` ones. */
    between: (from: number, until: number, wanted: readonly string[] = []): TrainingData =>
      rowsWithin(table, { from, until }, wanted),
  };
};
export type TrainingTable = ReturnType<typeof makeTrainingTable>;
