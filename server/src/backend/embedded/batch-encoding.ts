import type { MessagePort } from 'node:worker_threads';
import type { Outcome, Unit, Value } from '../backend.ts';

/**
 * Units in a message to the writer thread, as one array of numbers, one string and one array of bytes: cloning many
 * small values costs more than writing them to the database. The numbers are, for each unit, its number of statements,
 * negative when one of them has `expect`; for each statement, the number of its SQL, its expected changes (-1: none; -2
 * or less: see `mustBe`) and its number of parameters; for each parameter, its type and then its value (number) or
 * length (text, bytes).
 */
export interface Batch {
  /** SQL that the writer does not know yet, with the numbers that later batches use for it. */
  readonly sql: readonly (readonly [number, string])[];
  readonly units: number;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
const NUMBER = 0;
const TEXT = 1;
const BYTES = 2;
const NULL = 3;

/** Encodes `must` as a number below -1, beside the values of `expect`. It is its own inverse. */
export const mustBe = (changes: number): number => -2 - changes;

/** `superseded`: another process has taken the folder over, and nothing was written. */
export type BatchResult =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly failed: string }
  | { readonly superseded: true };

/** A message of the writer: the result of a batch, or a failed checkpoint. */
export type WriterMessage = BatchResult | { readonly checkpointFailed: string };

/**
 * Lets another thread write through its own port. Its commits do not wait for the disk: they survive the end of the
 * process, but a power cut may undo the newest ones.
 */
export interface Connect {
  readonly connect: MessagePort;
}

/** Size of the write-ahead log, in pages, that starts a checkpoint. */
export const CHECKPOINT_PAGES = 8000;

const FIRST_SIZE = 4096;

export const makeBatchEncoder = () => {
  const known = new Map<string, number>();
  let sql: [number, string][] = [];
  let numbers = new Float64Array(FIRST_SIZE);
  let bytes = new Uint8Array(FIRST_SIZE);
  let text = '';
  let numbersEnd = 0;
  let bytesEnd = 0;

  const add = (number: number): void => {
    if (numbersEnd === numbers.length) {
      const larger = new Float64Array(2 * numbersEnd);
      larger.set(numbers);
      numbers = larger;
    }
    numbers[numbersEnd++] = number;
  };
  const addBytes = (from: Uint8Array): void => {
    if (bytesEnd + from.length > bytes.length) {
      const larger = new Uint8Array(2 * (bytesEnd + from.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(from, bytesEnd);
    bytesEnd += from.length;
  };
  const addParam = (param: Value): void => {
    if (typeof param === 'number') {
      add(NUMBER);
      add(param);
    } else if (typeof param === 'string') {
      add(TEXT);
      add(param.length);
      text += param;
    } else if (param === null) add(NULL);
    else {
      add(BYTES);
      add(param.length);
      addBytes(param);
    }
  };
  const addUnit = (unit: Unit): void => {
    add(unit.some(({ expect }) => expect !== undefined) ? -unit.length : unit.length);
    for (const { sql: statement, params, expect, must } of unit) {
      let number = known.get(statement);
      if (number === undefined) {
        number = known.size;
        known.set(statement, number);
        sql.push([number, statement]);
      }
      add(number);
      add(expect ?? (must === undefined ? -1 : mustBe(must)));
      add(params.length);
      for (let i = 0; i < params.length; i++) addParam(params[i] as Value);
    }
  };

  return (units: readonly { readonly unit: Unit }[]): Batch => {
    sql = [];
    text = '';
    numbersEnd = 0;
    bytesEnd = 0;
    for (const { unit } of units) addUnit(unit);
    return { sql, units: units.length, numbers: numbers.slice(0, numbersEnd), text, bytes: bytes.slice(0, bytesEnd) };
  };
};

/** Reads a batch in the order it was encoded. */
export const makeBatchReader = ({ numbers, text, bytes }: Batch) => {
  let at = 0;
  let textAt = 0;
  let bytesAt = 0;
  const number = (): number => numbers[at++] as number;
  const param = (): Value => {
    const type = number();
    if (type === NUMBER) return number();
    if (type === NULL) return null;
    const length = number();
    if (type === TEXT) {
      textAt += length;
      return text.slice(textAt - length, textAt);
    }
    bytesAt += length;
    return bytes.subarray(bytesAt - length, bytesAt);
  };
  return {
    number,
    params: (): Value[] => {
      const params = new Array<Value>(number());
      for (let i = 0; i < params.length; i++) params[i] = param();
      return params;
    },
    /** Skips statements of a refused unit. */
    skip: (statements: number): void => {
      for (let i = 0; i < statements; i++) {
        at += 2;
        for (let rest = number(); rest > 0; rest--) param();
      }
    },
  };
};
export type BatchReader = ReturnType<typeof makeBatchReader>;
