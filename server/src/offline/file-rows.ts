import { type CsvRecord, csvRecords, linesOf } from './csv.ts';
import { FileError } from './file-error.ts';

/** One row of a file, as its fields. */
export interface Row {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The column of a field, from 1, in a file that has columns. */
  readonly columnOf?: (field: string) => number | undefined;
}

/**
 * The fields of a row. It inherits nothing, because a column can have any name, even `__proto__`. An object of
 * `Object.create(null)` would be a hash table, which is slower to fill and to read.
 */
class Fields {
  [name: string]: unknown;
}
Object.setPrototypeOf(Fields.prototype, null);
Reflect.deleteProperty(Fields.prototype, 'constructor');

/** Sets the field at `path`, and makes the objects on the way. */
const setField = (fields: Record<string, unknown>, path: readonly string[], value: unknown): void => {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    fields[first] = value;
    return;
  }
  fields[first] ??= new Fields();
  // Another column gave this field a text of its own. Validation reports that text as the error.
  if (typeof fields[first] !== 'object') return;
  const inner = fields[first] as Record<string, unknown>;
  // A metadata key can itself contain dots.
  if (first === 'metadata') inner[rest.join('.')] = value;
  else setField(inner, rest, value);
};

/**
 * Maps values, without those that give undefined. If one throws, yields the results before it first: a reader that stops
 * there must not see the error, nor may one see it before an error of an earlier row.
 */
export function* untilError<From, To>(
  values: Iterable<From>,
  map: (value: From) => To | undefined,
): Generator<readonly To[]> {
  const results: To[] = [];
  try {
    for (const value of values) {
      const result = map(value);
      if (result !== undefined) results.push(result);
    }
  } catch (error) {
    yield results;
    throw error;
  }
  yield results;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Converts an amount to a number. An amount that is not a number stays a text, so that validation reports it. */
const cellValue = (name: string, cell: string): unknown =>
  name === 'amount' && NUMBER.test(cell) ? Number(cell) : cell;

const checkHeader = (header: readonly string[], line: number): void => {
  if (!header.includes('occurred_at'))
    throw new FileError(
      `line ${line}: the header has no column \`occurred_at\`; the first line must hold the names of the fields`,
    );
  const repeated = header.findIndex((name, i) => name !== '' && header.indexOf(name) !== i);
  if (repeated >= 0)
    throw new FileError(
      `line ${line}, column ${repeated + 1}: \`${header[repeated]}\` appears twice; expected one column per field`,
    );
};

/** Makes the rows of CSV records, of which the first is the header. */
const makeRowMaker = () => {
  let header: readonly string[] | undefined;
  let paths: string[][] = [];
  const columnOf = (field: string): number | undefined => {
    const at = header?.indexOf(field) ?? -1;
    return at < 0 ? undefined : at + 1;
  };
  return ({ line, fields: cells }: CsvRecord): Row | undefined => {
    if (header === undefined) {
      // `trim` also removes a byte order mark.
      header = cells.map((name) => name.trim());
      checkHeader(header, line);
      paths = header.map((name) => name.split('.'));
      return undefined;
    }
    if (cells.length !== header.length)
      throw new FileError(`line ${line}: ${cells.length} fields, expected ${header.length} as in the header`);
    const fields = new Fields();
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] as string;
      if (cell === '') continue;
      const path = paths[i] as string[];
      if (path.length > 1) setField(fields, path, cell);
      else fields[path[0] as string] = cellValue(path[0] as string, cell);
    }
    return { line, fields, columnOf };
  };
};

/** The rows of a CSV file, those of each chunk together. */
export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<readonly Row[]> {
  const rowOf = makeRowMaker();
  for await (const records of csvRecords(chunks)) yield* untilError(records, rowOf);
}

const canBeginJson = (text: string, length: number): boolean => {
  try {
    JSON.parse(text.slice(0, length));
    return true;
  } catch (error) {
    const { message } = error as Error;
    return /Unexpected end|Unterminated string/.test(message) || Number(/position (\d+)/.exec(message)?.[1]) === length;
  }
};

/**
 * The length of the longest beginning of `text` that is valid JSON so far. `JSON.parse` reports a position for some
 * errors only.
 */
const validLength = (text: string): number => {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (canBeginJson(text, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

const readObject = (text: string, line: number): Row['fields'] => {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new FileError(`line ${line}, column ${validLength(text) + 1}: not JSON; expected one object per line`);
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new FileError(`line ${line}, column 1: expected an object, one per line`);
  return fields as Row['fields'];
};

/** The rows of an NDJSON file, those of each chunk together. */
export async function* jsonRows(chunks: AsyncIterable<string>): AsyncGenerator<readonly Row[]> {
  let line = 0;
  const rowOf = (raw: string): Row | undefined => {
    line++;
    // Some editors write a byte order mark at the start of a file.
    const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    return text.trim() === '' ? undefined : { line, fields: readObject(text, line) };
  };
  for await (const lines of linesOf(chunks)) yield* untilError(lines, rowOf);
}
