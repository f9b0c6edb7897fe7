import type { Rows } from './bins.ts';
import { categoryMembers, categoryOf, METADATA } from './categories.ts';
import type { Facts } from './facts.ts';
import { FEATURE_NAMES, fillFeatures, makeFeatures } from './features.ts';
import type { Subject } from './subject.ts';

/** A member of requests with few values that repeat: which value each row has, by number. */
export interface Category {
  readonly member: string;
  readonly values: readonly string[];
  /** For each row, -1 where it has none. */
  readonly codes: Int16Array;
}

/** What a model is trained on: rows in the order of time. */
export interface TrainingData extends Rows {
  readonly names: readonly string[];
  readonly values: Float32Array;
  readonly weights: Float64Array;
  readonly categories: readonly Category[];
}

const CHUNK_ROWS = 8192;
/** A member with more values than this is a name of something, not a kind. */
const MOST_VALUES = 400;
const MOST_MEMBERS = 60;
const NONE = -1;

/** Rows side by side, a list per feature; a feature that is the same in all of them, as most are for most accounts, takes one number. */
interface Chunk {
  rows: number;
  readonly same: Float32Array;
  readonly columns: (Float32Array | undefined)[];
  readonly at: Float64Array;
  readonly labels: Uint8Array;
  readonly weights: Float32Array;
  /** 1 where nobody knows any more what metadata the row had. */
  readonly lacks: Uint8Array;
  readonly codes: Map<string, Int16Array>;
}

const newChunk = (): Chunk => ({
  rows: 0,
  same: new Float32Array(FEATURE_NAMES.length),
  columns: [],
  at: new Float64Array(CHUNK_ROWS),
  labels: new Uint8Array(CHUNK_ROWS),
  weights: new Float32Array(CHUNK_ROWS),
  lacks: new Uint8Array(CHUNK_ROWS),
  codes: new Map(),
});

const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));

const put = (chunk: Chunk, feature: number, value: number): void => {
  const column = chunk.columns[feature];
  if (column !== undefined) column[chunk.rows] = value;
  else if (chunk.rows === 0) chunk.same[feature] = value;
  else if (!isSame(chunk.same[feature] as number, value)) {
    const made = new Float32Array(CHUNK_ROWS).fill(chunk.same[feature] as number, 0, chunk.rows);
    made[chunk.rows] = value;
    chunk.columns[feature] = made;
  }
};
const take = (chunk: Chunk, feature: number, row: number): number =>
  (chunk.columns[feature]?.[row] ?? chunk.same[feature]) as number;

const IS_EVENT = FEATURE_NAMES.indexOf('is_event');
/** Each row's type, label, and whether it lacks metadata. */
interface Kinds {
  readonly isEvent: Uint8Array;
  readonly labels: Uint8Array;
  readonly lacks: Uint8Array;
}
/**
 * Rows that lack metadata get that of ordinary rows of their type, evenly of all of them, so that it says nothing. Left without, they would teach that
 * who sends none is a fraud: only what was labelled outlives its metadata, and most ordinary rows have theirs.
 */
const lendMetadata = (categories: readonly Category[], { isEvent, labels, lacks }: Kinds): void => {
  const own = categories.filter(({ member }) => member.startsWith(METADATA));
  const rowsWhere = (holds: (row: number) => boolean): number[] => [...labels.keys()].filter(holds);
  for (const type of [0, 1]) {
    const borrowers = rowsWhere((row) => lacks[row] === 1 && isEvent[row] === type);
    const lenders = rowsWhere((row) => lacks[row] === 0 && isEvent[row] === type && labels[row] === 0);
    if (lenders.length === 0) continue;
    for (const [i, row] of borrowers.entries()) {
      const lender = lenders[Math.floor((i * lenders.length) / borrowers.length)] as number;
      for (const { codes } of own) codes[row] = codes[lender] as number;
    }
  }
};

/** Only the values that the rows have, numbered as they come. */
const inOrderOfRows = ({ member, values, codes }: Category): Category => {
  const numbers = new Map<number, number>([[NONE, NONE]]);
  const renumbered = codes.map((code) => {
    const number = numbers.get(code) ?? numbers.size - 1;
    numbers.set(code, number);
    return number;
  });
  return { member, values: [...numbers.keys()].slice(1).map((code) => values[code] as string), codes: renumbered };
};

/**
 * Collects labelled rows. Holds at most `mostRows`: beyond, every second of the label with more rows is let go and the others count double.
 * That is the legitimate ones, unless there is more fraud than that.
 */
export const makeTrainingTable = (mostRows: number) => {
  let chunks: Chunk[] = [];
  /** By label: how many there are, for how many the next stands, and how many came by. */
  const count: [number, number] = [0, 0];
  const weight: [number, number] = [1, 1];
  const turn: [number, number] = [0, 0];
  const features = makeFeatures();
  const dictionaries = new Map<string, Map<string, number>>();

  const last = (): Chunk => {
    let chunk = chunks.at(-1);
    if (chunk === undefined || chunk.rows === CHUNK_ROWS) {
      chunk = newChunk();
      chunks.push(chunk);
    }
    return chunk;
  };

  const putCategory = (chunk: Chunk, member: string, value: string): void => {
    let dictionary = dictionaries.get(member);
    if (dictionary === undefined) {
      if (dictionaries.size >= MOST_MEMBERS) return;
      dictionary = new Map();
      dictionaries.set(member, dictionary);
    }
    if (dictionary.size > MOST_VALUES) return;
    if (!dictionary.has(value)) dictionary.set(value, dictionary.size);
    let codes = chunk.codes.get(member);
    if (codes === undefined) {
      codes = new Int16Array(CHUNK_ROWS).fill(NONE);
      chunk.codes.set(member, codes);
    }
    codes[chunk.rows] = dictionary.get(value) as number;
  };

  const copyRow = (from: Chunk, row: number, times: number): void => {
    const chunk = last();
    for (let feature = 0; feature < features.length; feature++) put(chunk, feature, take(from, feature, row));
    for (const [member, codes] of from.codes) {
      let own = chunk.codes.get(member);
      if (own === undefined) {
        own = new Int16Array(CHUNK_ROWS).fill(NONE);
        chunk.codes.set(member, own);
      }
      own[chunk.rows] = codes[row] as number;
    }
    chunk.at[chunk.rows] = from.at[row] as number;
    chunk.labels[chunk.rows] = from.labels[row] as number;
    chunk.weights[chunk.rows] = (from.weights[row] as number) * times;
    chunk.lacks[chunk.rows] = from.lacks[row] as number;
    chunk.rows++;
  };
  const thin = (): void => {
    const before = chunks;
    const label = count[1] > count[0] ? 1 : 0;
    chunks = [];
    weight[label] *= 2;
    let seen = 0;
    for (const chunk of before)
      for (let row = 0; row < chunk.rows; row++)
        if (chunk.labels[row] !== label) copyRow(chunk, row, 1);
        else if (seen++ % 2 === 0) copyRow(chunk, row, 2);
    count[label] = Math.ceil(seen / 2);
  };

  const hasRows = (chunk: Chunk, from: number, until: number): boolean =>
    chunk.rows > 0 && (chunk.at[chunk.rows - 1] as number) >= from && (chunk.at[0] as number) < until;
  const isInTime = (chunk: Chunk, row: number, from: number, until: number): boolean =>
    (chunk.at[row] as number) >= from && (chunk.at[row] as number) < until;
  /** What lies before and after the time must not matter, or the same rows would not give the same model. */
  const varies = (used: readonly Chunk[], feature: number, from: number, until: number): boolean => {
    let first: number | undefined;
    for (const chunk of used) {
      const rows = chunk.columns[feature] === undefined ? 1 : chunk.rows;
      for (let row = 0; row < rows; row++) {
        if (rows > 1 && !isInTime(chunk, row, from, until)) continue;
        const value = take(chunk, feature, row);
        first ??= value;
        if (!isSame(first, value)) return true;
      }
    }
    return false;
  };

  return {
    /** Adds a row that counts `counts` times; `lacksMetadata` where what it had of it is not known any more. */
    add: (facts: Facts, subject: Subject, label: 0 | 1, counts = 1, lacksMetadata = false): void => {
      if (turn[label]++ % weight[label] !== 0) return;
      const chunk = last();
      fillFeatures(facts, subject, features);
      for (let feature = 0; feature < features.length; feature++)
        put(chunk, feature, Math.fround(features[feature] as number));
      for (const member of categoryMembers(subject)) putCategory(chunk, member, categoryOf(subject, member) as string);
      chunk.at[chunk.rows] = subject.at;
      chunk.labels[chunk.rows] = label;
      chunk.weights[chunk.rows] = weight[label] * counts;
      chunk.lacks[chunk.rows] = lacksMetadata ? 1 : 0;
      chunk.rows++;
      count[label]++;
      if (count[0] + count[1] > mostRows) thin();
    },
    /** Lets go of what is older. */
    dropBefore: (at: number): void => {
      while (chunks.length > 1 && ((chunks[0] as Chunk).at[(chunks[0] as Chunk).rows - 1] as number) < at) {
        const { rows, labels } = chunks.shift() as Chunk;
        for (let row = 0; row < rows; row++) count[labels[row] as 0 | 1]--;
      }
    },
    /** The rows of a time, with the features that tell any of them apart, and those that are `wanted` whatever they tell. */
    between: (from: number, until: number, wanted: readonly string[] = []): TrainingData => {
      const used = chunks.filter((chunk) => hasRows(chunk, from, until));
      const columns = FEATURE_NAMES.flatMap((name, feature) =>
        wanted.includes(name) || varies(used, feature, from, until) ? [feature] : [],
      );
      const inTime = (chunk: Chunk, row: number): boolean => isInTime(chunk, row, from, until);
      let rows = 0;
      for (const chunk of used) for (let row = 0; row < chunk.rows; row++) if (inTime(chunk, row)) rows++;
      const values = new Float32Array(rows * columns.length);
      const labels = new Uint8Array(rows);
      const weights = new Float64Array(rows);
      const isEvent = new Uint8Array(rows);
      const lacks = new Uint8Array(rows);
      const categories = [...dictionaries]
        .filter(([, dictionary]) => dictionary.size >= 2 && dictionary.size <= MOST_VALUES)
        .map(([member, dictionary]) => ({
          member,
          values: [...dictionary.keys()],
          codes: new Int16Array(rows).fill(NONE),
        }));
      let to = 0;
      for (const chunk of used) {
        for (let row = 0; row < chunk.rows; row++) {
          if (!inTime(chunk, row)) continue;
          for (let i = 0; i < columns.length; i++)
            values[to * columns.length + i] = take(chunk, columns[i] as number, row);
          labels[to] = chunk.labels[row] as number;
          weights[to] = chunk.weights[row] as number;
          isEvent[to] = take(chunk, IS_EVENT, row);
          lacks[to] = chunk.lacks[row] as number;
          for (const { member, codes } of categories) codes[to] = chunk.codes.get(member)?.[row] ?? NONE;
          to++;
        }
      }
      if (lacks.includes(1)) lendMetadata(categories, { isEvent, labels, lacks });
      const names = columns.map((feature) => FEATURE_NAMES[feature] as string);
      const told = categories.map(inOrderOfRows).filter((category) => category.values.length >= 2);
      told.sort((a, b) => (a.member < b.member ? -1 : 1));
      return { count: rows, features: columns.length, names, values, labels, weights, categories: told };
    },
  };
};
export type TrainingTable = ReturnType<typeof makeTrainingTable>;
