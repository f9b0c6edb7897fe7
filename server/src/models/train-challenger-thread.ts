import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import { openConnection } from '../backend/connection.ts';
import { measureKnownAttacks } from '../offline/known-attacks.ts';
import { lowerThreadPriority } from '../runtime/thread-priority.ts';
import { type ChallengerOptions, type TrainingResult, trainChallenger } from './train-challenger.ts';
import { readPastItems } from './training-items.ts';

export interface TrainingData {
  readonly connection: Connection;
  /** The production tenant of the account. Sandbox items are never used in training. */
  readonly tenant: number;
  readonly options: ChallengerOptions;
}
export type TrainingMessage =
  | { readonly progress: number }
  | { readonly result: TrainingResult }
  | { readonly failed: string };

const { connection, tenant, options } = workerData as TrainingData;
const post = (message: TrainingMessage): void => parentPort?.postMessage(message);
try {
  lowerThreadPriority();
} catch {
  // Some containers forbid it. Training works without it.
}
const backend = await openConnection(connection, () => {});
try {
  const past = await readPastItems(backend, tenant, options.now);
  post({ result: await trainChallenger(past, options, measureKnownAttacks, (progress) => post({ progress })) });
} catch (error) {
  post({ failed: error instanceof Error ? error.message : String(error) });
}
await backend.close();
parentPort?.close();
