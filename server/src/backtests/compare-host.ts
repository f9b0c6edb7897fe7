import { Worker } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import type { ComparisonData, ComparisonMessage, ComparisonResult } from './compare-thread.ts';

/** Compares in a thread with a database connection of its own, so that screening does not wait for it. */
export const startComparison = (
  connection: Connection,
  data: Omit<ComparisonData, 'connection'>,
  handlers: {
    readonly onProgress: (share: number) => void;
    readonly onResult: (result: ComparisonResult) => Promise<void>;
    readonly onError: (error: unknown) => Promise<void>;
  },
): { readonly stop: () => Promise<unknown> } => {
  const thread = new Worker(new URL('./compare-thread.ts', import.meta.url), {
    workerData: { ...data, connection } satisfies ComparisonData,
    transferList: [...connection.ports],
  });
  thread.on('message', (message: ComparisonMessage) => {
    if ('progress' in message) handlers.onProgress(message.progress);
    else void handlers.onResult(message);
  });
  thread.on('error', (error) => void handlers.onError(error));
  return { stop: () => thread.terminate() };
};
