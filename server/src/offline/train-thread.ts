import { parentPort, workerData } from 'node:worker_threads';
import { type TrainingData, type TrainOptions, trainModel } from '@portcullis/engine';

const { data, options } = workerData as { data: TrainingData; options: TrainOptions };
const file = trainModel(data, { ...options, onProgress: (progress) => parentPort?.postMessage({ progress }) });
parentPort?.postMessage({ file });
