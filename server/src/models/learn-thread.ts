import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import { openConnection } from '../backend/connection.ts';
import { lowerThreadPriority } from '../thread-priority.ts';
import { type Learned, type LearnOptions, learn } from './learn.ts';

export interface LearnData {
  readonly connection: Connection;
  readonly options: LearnOptions;
}
export type FromLearning = { readonly progress: number } | { readonly learned: Learned } | { readonly failed: string };

const { connection, options } = workerData as LearnData;
const say = (message: FromLearning): void => parentPort?.postMessage(message);
try {
  lowerThreadPriority();
} catch {
  // Some containers forbid it. Training must not depend on it.
}
const backend = await openConnection(connection, () => {});
try {
  say({ learned: await learn(backend, options, (progress) => say({ progress })) });
} catch (error) {
  say({ failed: error instanceof Error ? error.message : String(error) });
}
await backend.close();
parentPort?.close();
