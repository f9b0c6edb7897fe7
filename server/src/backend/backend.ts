import type { MessagePort } from 'node:worker_threads';

export type Value = string | number | null | Uint8Array;

/**
 * One SQL statement. With `expect`, the unit it is part of is undone unless it changed that many rows. With `must`, the whole batch fails: for
 * what is counted in memory already, which is then made anew from disk, and cannot be undone alone.
 */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
  readonly expect?: number;
  readonly must?: number;
  /** Thrown at whoever wrote the unit when it is this expectation that was not met: for what the unit's own author knows nothing of. */
  readonly refusal?: () => Error;
}

/** Statements that happen together or not at all. */
export type Unit = readonly Statement[];

/** `refused` is the index of the statement whose expectation was not met; nothing of the unit was written then. */
export type Outcome = { readonly written: true } | { readonly written: false; readonly refused: number };

interface Writer {
  readonly unit: Unit;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}
export const tellOutcome = ({ unit, resolve, reject }: Writer, outcome: Outcome): void => {
  const refusal = outcome.written ? undefined : unit[outcome.refused]?.refusal;
  if (refusal === undefined) resolve(outcome);
  else reject(refusal());
};

/** The store did not take a write or could not be read. The caller may try again later. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** A way to the store for another thread of this process, which opens it with `openConnection`. Ports are to be handed over with it. */
export type Connection = { readonly ports: readonly MessagePort[] } & (
  | { readonly path: string }
  | { readonly url: string }
);

export interface Backend {
  read<Row>(sql: string, ...params: Value[]): Promise<Row[]>;
  /** Resolves when the unit is durable. Units written at the same time share one transaction. */
  write(unit: Unit): Promise<Outcome>;
  /** One at a time for each key, in all processes that serve the store: what is decided by what was read must not be overtaken before it is written. */
  inTurn<T>(key: string, act: () => Promise<T>): Promise<T>;
  /** What one process at a time does now and then: undefined, and not done, while another that serves the store is at it. */
  unlessBusy<T>(job: string, act: () => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
}
