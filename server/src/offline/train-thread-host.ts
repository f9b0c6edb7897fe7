import { Worker } from 'node:worker_threads';
import type { ModelFile } from '@portcullis/contract';
import type { TrainingData, TrainOptions } from '@portcullis/engine';

/** Limit of training rows. They take 60 to 200 MB, depending on how many features vary. */
export const MAX_TRAINING_ROWS = 400_000;

type Message = { readonly progress: number } | { readonly file: ModelFile };

/** Trains in a thread, so that the process stays responsive. */
export const trainInThread = (data: TrainingData, options: TrainOptions): Promise<ModelFile> => {
  const { onProgress, ...plain } = options;
  const buffers = [data.values, data.labels, data.weights, ...data.categories.map(({ codes }) => codes)];
  const worker = new Worker(new URL('./train-thread.ts', import.meta.url), {
    workerData: { data, options: plain },
    transferList: buffers.map(({ buffer }) => buffer as ArrayBuffer),
  });
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if ('file' in message) resolve(message.file);
      else onProgress?.(message.progress);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`training thread exited early with code ${code}`)));
  });
};
