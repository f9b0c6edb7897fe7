import { FEATURE_NAMES } from '../model/features.ts';

export const CHUNK_ROWS = 8192;
/** The code of a row without a value of a category. */
export const UNSET = -1;

/**
 * Up to CHUNK_ROWS rows, one list per feature. A feature that is constant in the chunk, as most are, takes one
 * number.
 */
export interface Chunk {
  rows: number;
  /** By feature: its value, as long as it is constant. */
  readonly constants: Float32Array;
  /** By feature: its values; undefined as long as it is constant. */
  readonly columns: (Float32Array | undefined)[];
  readonly at: Float64Array;
  readonly labels: Uint8Array;
  readonly weights: Float32Array;
  /** 1 for rows whose metadata was deleted. */
  readonly lacksMetadata: Uint8Array;
  readonly codes: Map<string, Int16Array>;
}

export const newChunk = (): Chunk => ({
  rows: 0,
  constants: new Float32Array(FEATURE_NAMES.length),
  columns: [],
  at: new Float64Array(CHUNK_ROWS),
  labels: new Uint8Array(CHUNK_ROWS),
  weights: new Float32Array(CHUNK_ROWS),
  lacksMetadata: new Uint8Array(CHUNK_ROWS),
  codes: new Map(),
});

export const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));

/** Sets a feature of the row after the last. */
export const putValue = (chunk: Chunk, feature: number, value: number): void => {
  const column = chunk.columns[feature];
  if (column !== undefined) column[chunk.rows] = value;
  else if (chunk.rows === 0) chunk.constants[feature] = value;
  else if (!isSame(chunk.constants[feature] as number, value)) {
    const made = new Float32Array(CHUNK_ROWS).fill(chunk.constants[feature] as number, 0, chunk.rows);
    made[chunk.rows] = value;
    chunk.columns[feature] = made;
  }
};

export const getValue = (chunk: Chunk, feature: number, row: number): number =>
  (chunk.columns[feature]?.[row] ?? chunk.constants[feature]) as number;

/** Sets a category of the row after the last. */
export const putCode = (chunk: Chunk, category: string, code: number): void => {
  let codes = chunk.codes.get(category);
  if (codes === undefined) {
    codes = new Int16Array(CHUNK_ROWS).fill(UNSET);
    chunk.codes.set(category, codes);
  }
  codes[chunk.rows] = code;
};

/** Appends a row of another chunk, with its weight multiplied by `times`. */
export const copyRow = (from: Chunk, row: number, to: Chunk, times: number): void => {
  for (let feature = 0; feature < FEATURE_NAMES.length; feature++) putValue(to, feature, getValue(from, feature, row));
  for (const [category, codes] of from.codes) putCode(to, category, codes[row] as number);
  to.at[to.rows] = from.at[row] as number;
  to.labels[to.rows] = from.labels[row] as number;
  to.weights[to.rows] = (from.weights[row] as number) * times;
  to.lacksMetadata[to.rows] = from.lacksMetadata[row] as number;
  to.rows++;
};
