import { Worker } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import type { ChallengerOptions, TrainingResult } from './train-challenger.ts';
import type { TrainingData, TrainingMessage } from './train-challenger-thread.ts';

export interface TrainingThread {
  readonly result: Promise<TrainingResult>;
  readonly stop: () => Promise<unknown>;
}

/** Trains in a thread with a database connection of its own, so that screening does not wait for it. */
export const startTraining = (
  connect: () => Connection,
  tenant: number,
  options: ChallengerOptions,
  onProgress: (share: number) => void,
): TrainingThread => {
  const connection = connect();
  const thread = new Worker(new URL('./train-challenger-thread.ts', import.meta.url), {
    workerData: { connection, tenant, options } satisfies TrainingData,
    transferList: [...connection.ports],
  });
  const result = new Promise<TrainingResult>((resolve, reject) => {
    thread.on('message', (message: TrainingMessage) => {
      if ('progress' in message) onProgress(message.progress);
      else if ('result' in message) resolve(message.result);
      else reject(new Error(message.failed));
    });
    thread.on('error', reject);
    thread.on('exit', (code) => reject(new Error(`the training thread exited early, with code ${code}`)));
  });
  return { result, stop: () => thread.terminate() };
};
