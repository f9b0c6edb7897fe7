import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { EventRequest, readTimestamp, TransactionRequest } from '@portcullis/contract';
import { eventSubject, makeKnowledge, type Subject, transactionSubject } from '@portcullis/engine';
import { deviceIn, placeDevice } from '../devices/devices.ts';
import { bodyReader } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import { normalizeEvent, normalizeTransaction } from '../screening/normalize.ts';
import { csvRecords, linesOf, OpenQuote } from './csv.ts';

/** One item of a history. */
export interface Item {
  /** Its place in the file, from 0. */
  readonly row: number;
  /** Its `knowledge` is reused for the next item: copy what is to be kept. */
  readonly subject: Subject;
  /** 1 for fraud, 0 for legitimate; undefined where the file does not say. */
  readonly label: 0 | 1 | undefined;
  /** The name of the attack it is part of, where the file says so. It is for reports: no model sees it. */
  readonly attack: string | undefined;
}

/** What is wrong with a file, and where. */
export class FileFault extends Error {
  override name = 'FileFault';
}

interface Raw {
  readonly line: number;
  readonly members: Readonly<Record<string, unknown>>;
  /** The column a member stands in, for a file that has columns. */
  readonly columnOf?: (member: string) => number | undefined;
}

const LABELS: ReadonlyMap<unknown, 0 | 1> = new Map([
  ['fraud', 1],
  ['legitimate', 0],
]);

/** Without a prototype: a column may be named like anything, `__proto__` too. */
const bare = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;

const place = (members: Record<string, unknown>, path: readonly string[], value: unknown): void => {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    members[first] = value;
    return;
  }
  // A key of metadata may itself hold dots.
  members[first] ??= bare();
  // Where another column gives it a text of its own, that is what is told to be wrong.
  if (typeof members[first] !== 'object') return;
  const inner = members[first] as Record<string, unknown>;
  if (first === 'metadata') inner[rest.join('.')] = value;
  else place(inner, rest, value);
};

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Text as the contract wants it: an amount is a number, and stays the text it is where it is none, so that this is told. */
const cellValue = (name: string, cell: string): unknown =>
  name === 'amount' && NUMBER.test(cell) ? Number(cell) : cell;

async function* csvRaw(chunks: AsyncIterable<string>): AsyncGenerator<Raw> {
  let header: readonly string[] | undefined;
  let paths: string[][] = [];
  const columnOf = (member: string): number | undefined => {
    const at = header?.indexOf(member) ?? -1;
    return at < 0 ? undefined : at + 1;
  };
  for await (const { line, fields } of csvRecords(chunks)) {
    if (header === undefined) {
      // With the spaces goes a byte order mark.
      header = fields.map((name) => name.trim());
      paths = header.map((name) => name.split('.'));
      if (!header.includes('occurred_at'))
        throw new FileFault(
          `line ${line}: the header names no column \`occurred_at\`; the first line must hold the names of members`,
        );
      const again = header.findIndex((name, i) => name !== '' && header?.indexOf(name) !== i);
      if (again >= 0)
        throw new FileFault(
          `line ${line}, column ${again + 1}: \`${header[again]}\` is there already; expected one column a member`,
        );
      continue;
    }
    if (fields.length !== header.length)
      throw new FileFault(`line ${line}: ${fields.length} fields, expected ${header.length} as in the header`);
    const members = bare();
    for (let i = 0; i < fields.length; i++) {
      const cell = fields[i] as string;
      if (cell !== '') place(members, paths[i] as string[], cellValue(header[i] as string, cell));
    }
    yield { line, members, columnOf };
  }
}

/** How much of a text JSON could begin with, and so where it goes wrong: the parser itself tells the place of some faults only. */
const soundLength = (text: string): number => {
  const isSound = (length: number): boolean => {
    try {
      JSON.parse(text.slice(0, length));
      return true;
    } catch (error) {
      const { message } = error as Error;
      return (
        /Unexpected end|Unterminated string/.test(message) || Number(/position (\d+)/.exec(message)?.[1]) === length
      );
    }
  };
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (isSound(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

async function* jsonRaw(chunks: AsyncIterable<string>): AsyncGenerator<Raw> {
  let line = 0;
  for await (const given of linesOf(chunks)) {
    line++;
    // Editors that put a byte order mark before a file mean nothing by it.
    const text = line === 1 ? given.replace(/^\uFEFF/, '') : given;
    if (text.trim() === '') continue;
    let members: unknown;
    try {
      members = JSON.parse(text);
    } catch {
      throw new FileFault(`line ${line}, column ${soundLength(text) + 1}: not JSON; expected one object a line`);
    }
    if (typeof members !== 'object' || members === null || Array.isArray(members))
      throw new FileFault(`line ${line}, column 1: expected an object, one a line`);
    yield { line, members: members as Raw['members'] };
  }
}

/** What a line says of an item beside the request itself. */
const APART: ReadonlySet<string> = new Set(['kind', 'occurred_at', 'label', 'attack']);
const readBody = bodyReader<TransactionRequest>(TransactionRequest, undefined, APART);
/** Histories hold payments of nothing, such as checks of a card, which the API refuses: a past cannot be refused, so they count as they are. */
const readTransaction = (request: Raw['members'], warnings: string[]): TransactionRequest => {
  if (request.amount !== 0) return readBody(request, warnings);
  const read = readBody({ ...request, amount: 1 }, warnings);
  warnings.push('`amount` is 0, which the API would refuse; it is taken as it is');
  return { ...read, amount: 0 };
};
const readEvent = bodyReader<EventRequest>(EventRequest, undefined, APART);

/** Turns what a line says into an item, or says what is wrong with it. */
export const makeItemReader = ({ warn, knowledge }: ReadOptions) => {
  const known = makeKnowledge();
  let row = 0;
  let latest = Number.NEGATIVE_INFINITY;
  const told = new Set<string>();
  const look = (request: TransactionRequest | EventRequest, at: number): void => {
    if (knowledge === undefined) known.fill(Number.NaN);
    else knowledge.look(request, known);
    const device = request.device_token === undefined ? undefined : deviceIn(request.device_token);
    if (device !== undefined) placeDevice(device, request, known, at);
  };
  const readPayment = (members: Raw['members'], at: number, warnings: string[]): Subject => {
    const request = normalizeTransaction(readTransaction(members, warnings), warnings);
    look(request, at);
    return transactionSubject(request, at, known);
  };
  const readAction = (members: Raw['members'], at: number, warnings: string[]): Subject => {
    const request = normalizeEvent(readEvent(members, warnings), warnings);
    look(request, at);
    return eventSubject(request, at, known);
  };
  return ({ line, members, columnOf }: Raw): Item => {
    const fault = (member: string, message: string): FileFault => {
      const column = columnOf?.(member);
      return new FileFault(`line ${line}${column === undefined ? '' : `, column ${column}`}: \`${member}\` ${message}`);
    };
    const { kind: given, occurred_at: occurredAt, label, attack } = members;
    const kind = given ?? 'transaction';
    if (kind !== 'transaction' && kind !== 'event') throw fault('kind', 'must be transaction or event');
    const at = typeof occurredAt === 'string' ? readTimestamp(occurredAt) : undefined;
    if (at === undefined) throw fault('occurred_at', 'must be a time such as 2026-11-14T09:30:00Z');
    if (at < latest) throw fault('occurred_at', 'is before that of an earlier line; sort the file by it');
    latest = at;
    const known = label === undefined || label === null ? undefined : LABELS.get(label);
    if (known === undefined && label !== undefined && label !== null)
      throw fault('label', 'must be fraud or legitimate');
    const warnings: string[] = [];
    try {
      const subject = kind === 'transaction' ? readPayment(members, at, warnings) : readAction(members, at, warnings);
      for (const warning of warnings) {
        if (told.has(warning)) continue;
        told.add(warning);
        warn(`line ${line}: ${warning}`);
      }
      return { row: row++, subject, label: known, attack: typeof attack === 'string' ? attack : undefined };
    } catch (error) {
      const [detail] = error instanceof ApiError ? (error.details ?? []) : [];
      if (detail === undefined) throw error;
      throw fault(detail.field, detail.message);
    }
  };
};

export interface ReadOptions {
  readonly warn: (message: string) => void;
  /** Who is asked about addresses; nobody where it is left out. */
  readonly knowledge?: KnowledgeSource;
  /** Told now and then how many bytes of the file are read. */
  readonly onRead?: (bytes: number) => void;
}

const ROWS_PER_TELLING = 1000;

/** The items of a CSV or NDJSON file, plain or gzipped, in their order and however many. Throws a FileFault that names the place. */
export async function* readItems(path: string, options: ReadOptions): AsyncGenerator<Item> {
  const isJson = /\.(ndjson|jsonl|json)(\.gz)?$/i.test(path);
  const read = makeItemReader(options);
  const file = createReadStream(path);
  const unzipped = path.endsWith('.gz') ? createGunzip() : undefined;
  if (unzipped !== undefined) {
    file.on('error', (error) => unzipped.destroy(error));
    file.pipe(unzipped);
  }
  const text: AsyncIterable<string> = (unzipped ?? file).setEncoding('utf8');
  try {
    for await (const raw of (isJson ? jsonRaw : csvRaw)(text)) {
      const item = read(raw);
      if (item.row % ROWS_PER_TELLING === 0) options.onRead?.(file.bytesRead);
      yield item;
    }
  } catch (error) {
    if (error instanceof OpenQuote) throw new FileFault(`${path}, line ${error.line}: ${error.message}`);
    if (error instanceof FileFault) throw new FileFault(`${path}, ${error.message}`);
    throw new FileFault(`${path} could not be read: ${(error as Error).message}`);
  } finally {
    file.destroy();
  }
}
