import type { MessagePort } from 'node:worker_threads';
import type { Outcome, Unit, Value } from './backend.ts';

/**
 * Units on their way to the writer thread: one list of numbers, one text and one piece of bytes, because cloning many small values costs
 * more than writing them to the database. For each unit its number of statements, negative when one of them expects
 * something; for each statement the number of its SQL, what it expects (-1: nothing; -2 or less: what must be, see `mustBe`) and its number of
 * parameters; then those: a number after 0, else what it is and, of text and bytes, how long.
 */
export interface Batch {
  /** SQL the writer has not seen yet, under the numbers it will be called by. */
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

/** What a statement must change, or the batch fails, among what statements expect: below -1; and back. */
export const mustBe = (changes: number): number => -2 - changes;

export type BatchResult = { readonly outcomes: readonly Outcome[] } | { readonly failed: string };

/** What the writer says: the result of a batch, or that the log could not be written back. */
export type WriterMessage = BatchResult | { readonly checkpointFailed: string };

/**
 * Lets another thread write too, by a port of its own. Its commits do not wait for the disk: a process that is killed loses none of them, but a power
 * cut may take the newest back.
 */
export interface Connect {
  readonly connect: MessagePort;
}

/** Beyond this many pages the log is written back into the database file. */
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

/** Reads a batch in the order it was written. */
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
    /** Passes over the statements of a unit that are not to be run. */
    skip: (statements: number): void => {
      for (let i = 0; i < statements; i++) {
        at += 2;
        for (let rest = number(); rest > 0; rest--) param();
      }
    },
  };
};
export type BatchReader = ReturnType<typeof makeBatchReader>;
