import type { Outcome, Value } from './backend.ts';

/** A statement on its way to the writer: the number stands for SQL the writer was told before. */
export type NumberedStatement = readonly [sql: number, params: readonly Value[], expect: number | undefined];

export interface Batch {
  /** SQL the writer has not seen yet, under the numbers it will be called by. */
  readonly sql: readonly (readonly [number, string])[];
  readonly units: readonly (readonly NumberedStatement[])[];
}

export type BatchResult = { readonly outcomes: readonly Outcome[] } | { readonly failed: string };

/** What the writer says: the result of a batch, or that the log could not be written back. */
export type WriterMessage = BatchResult | { readonly checkpointFailed: string };

/** Beyond this many pages the log is written back into the database file. */
export const CHECKPOINT_PAGES = 2000;
