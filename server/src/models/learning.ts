import { Worker } from 'node:worker_threads';
import type { Connection } from '../backend/backend.ts';
import type { Learned, LearnOptions } from './learn.ts';
import type { FromLearning, LearnData } from './learn-thread.ts';

/** A training under way. */
export interface Learning {
  readonly learned: Promise<Learned>;
  readonly stop: () => Promise<unknown>;
}

/** Trains in a thread of its own, with reads of its own: screening goes on as if nobody trained. */
export const startLearning = (
  connect: () => Connection,
  options: LearnOptions,
  onProgress: (share: number) => void,
): Learning => {
  const connection = connect();
  const thread = new Worker(new URL('./learn-thread.ts', import.meta.url), {
    workerData: { connection, options } satisfies LearnData,
    transferList: [...connection.ports],
  });
  const learned = new Promise<Learned>((resolve, reject) => {
    thread.on('message', (message: FromLearning) => {
      if ('progress' in message) onProgress(message.progress);
      else if ('learned' in message) resolve(message.learned);
      else reject(new Error(message.failed));
    });
    thread.on('error', reject);
    thread.on('exit', (code) => reject(new Error(`training ended early, with code ${code}`)));
  });
  return { learned, stop: () => thread.terminate() };
};
