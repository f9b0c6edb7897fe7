import { parentPort, workerData } from 'node:worker_threads';
import { FORESTS, trainForest } from '../server/src/offline/base-model.ts';
import type { WorldsRecipe } from '../server/src/offline/base-model-worlds.ts';

/** Trains the forest whose number is given, and reports its progress and then its file. */
const recipe = FORESTS[workerData as number] as WorldsRecipe;
const file = trainForest(recipe, (share) => parentPort?.postMessage({ share }));
parentPort?.postMessage({ file });
