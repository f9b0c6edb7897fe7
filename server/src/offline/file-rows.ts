import { csvRecords, linesOf } from './csv.ts';
import { FileError } from './file-error.ts';

/** One row of a file, as its fields. */
export interface Row {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The column of a field, from 1, in a file that has columns. */
  readonly columnOf?: (field: string) => number | undefined;
}

/** Made without a prototype, because a column can have any name, even `__proto__`. */
const emptyFields = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;

/** Sets the field at `path`, and makes the objects on the way. */
const setField = (fields: Record<string, unknown>, path: readonly string[], value: unknown): void => {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    fields[first] = value;
    return;
  }
  fields[first] ??= emptyFields();
  // Another column gave this field a text of its own. Validation reports that text as the error.
  if (typeof fields[first] !== 'object') return;
  const inner = fields[first] as Record<string, unknown>;
  // A metadata key can itself contain dots.
  if (first === 'metadata') inner[rest.join('.')] = value;
  else setField(inner, rest, value);
};

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

export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let header: readonly string[] | undefined;
  let paths: string[][] = [];
  const columnOf = (field: string): number | undefined => {
    const at = header?.indexOf(field) ?? -1;
    return at < 0 ? undefined : at + 1;
  };
  for await (const { line, fields: cells } of csvRecords(chunks)) {
    if (header === undefined) {
      // `trim` also removes a byte order mark.
      header = cells.map((name) => name.trim());
      checkHeader(header, line);
      paths = header.map((name) => name.split('.'));
      continue;
    }
    if (cells.length !== header.length)
      throw new FileError(`line ${line}: ${cells.length} fields, expected ${header.length} as in the header`);
    const fields = emptyFields();
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] as string;
      if (cell !== '') setField(fields, paths[i] as string[], cellValue(header[i] as string, cell));
    }
    yield { line, fields, columnOf };
  }
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

export async function* jsonRows(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  for await (const raw of linesOf(chunks)) {
    line++;
    // Some editors write a byte order mark at the start of a file.
    const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    if (text.trim() === '') continue;
    let fields: unknown;
    try {
      fields = JSON.parse(text);
    } catch {
      throw new FileError(`line ${line}, column ${validLength(text) + 1}: not JSON; expected one object per line`);
    }
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      throw new FileError(`line ${line}, column 1: expected an object, one per line`);
    yield { line, fields: fields as Row['fields'] };
  }
}
