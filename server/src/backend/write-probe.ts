import { randomBytes } from 'node:crypto';
import type { Statement, Unit } from './backend.ts';

/** Larger than the batches of a busy service: where it fits, they do. */
const PROBE_BYTES = 256 * 1024;
const PROBE_EVERY_MS = 1000;

const put = (bytes: Uint8Array | null): Statement => ({
  sql: 'INSERT INTO write_probe (id, bytes) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes',
  params: [bytes],
});

/**
 * Knows whether the store takes writes. A process that is not ready gets no requests, so after a failed commit it writes
 * a probe every second until one succeeds.
 */
export const makeWriteProbe = (write: (unit: Unit) => Promise<unknown>) => {
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const succeeded = (): void => {
    problem = undefined;
    clearTimeout(timer);
    timer = undefined;
  };
  const probe = async (): Promise<void> => {
    try {
      await write([put(randomBytes(PROBE_BYTES))]);
      await write([put(null)]);
      succeeded();
    } catch {
      schedule();
    }
  };
  const schedule = (): void => {
    if (problem !== undefined) timer = setTimeout(probe, PROBE_EVERY_MS).unref();
  };
  return {
    /** A commit failed because of the store. */
    failed: (reason: string): void => {
      const isFirst = problem === undefined;
      problem = reason;
      if (isFirst) schedule();
    },
    /** A commit succeeded. */
    succeeded,
    /** Why the last commit failed; undefined while the store takes writes. */
    problem: (): string | undefined => problem,
    stop: succeeded,
  };
};
export type WriteProbe = ReturnType<typeof makeWriteProbe>;
