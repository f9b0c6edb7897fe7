import type { Outcome, Unit, Value } from './backend.ts';

/**
 * Units on their way to the writer thread: one flat list and one buffer, because cloning many small arrays and buffers costs more
 * than writing them to the database. For each unit its number of statements, negative when one of
 * them expects something; for each statement the number of its SQL, what it
 * expects (-1: nothing) and its number of parameters; then those. Bytes stand as `undefined`, offset and length in `bytes`.
 */
export interface Batch {
  /** SQL the writer has not seen yet, under the numbers it will be called by. */
  readonly sql: readonly (readonly [number, string])[];
  readonly units: number;
  readonly flat: readonly (Value | undefined)[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type BatchResult = { readonly outcomes: readonly Outcome[] } | { readonly failed: string };

/** What the writer says: the result of a batch, or that the log could not be written back. */
export type WriterMessage = BatchResult | { readonly checkpointFailed: string };

/** Beyond this many pages the log is written back into the database file. */
export const CHECKPOINT_PAGES = 8000;

export const makeBatchEncoder = () => {
  const numbers = new Map<string, number>();
  return (units: readonly Unit[]): Batch => {
    const sql: [number, string][] = [];
    const flat: (Value | undefined)[] = [];
    const buffers: Uint8Array[] = [];
    let size = 0;
    for (const unit of units) {
      flat.push(unit.some(({ expect }) => expect !== undefined) ? -unit.length : unit.length);
      for (const { sql: text, params, expect } of unit) {
        let number = numbers.get(text);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(text, number);
          sql.push([number, text]);
        }
        flat.push(number, expect ?? -1, params.length);
        for (const param of params) {
          if (!(param instanceof Uint8Array)) {
            flat.push(param);
            continue;
          }
          flat.push(undefined, size, param.length);
          buffers.push(param);
          size += param.length;
        }
      }
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const buffer of buffers) {
      bytes.set(buffer, at);
      at += buffer.length;
    }
    return { sql, units: units.length, flat, bytes };
  };
};

/** Reads a batch in the order it was written. */
export const makeBatchReader = ({ flat, bytes }: Batch) => {
  let at = 0;
  const number = (): number => flat[at++] as number;
  const param = (): Value => {
    const value = flat[at++];
    if (value !== undefined) return value;
    const offset = number();
    return bytes.subarray(offset, offset + number());
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
