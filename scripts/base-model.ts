import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ModelFile } from '@portcullis/contract';
import { BASE_MODEL } from '../server/src/models/model-file.ts';
import { FORESTS, joinBaseModel } from '../server/src/offline/base-model.ts';
import { makeProgress } from '../server/src/runtime/progress-bar.ts';
import { baseModelInputs } from './base-model-inputs.ts';

/**
 * Builds the shipped model. The bytes are the same unless the simulator, the features or the trainer changed.
 * - `npm run base-model` writes the model and the hash of its inputs.
 * - `npm run base-model -- FILE` writes it to another file.
 * - `npm run base-model -- --check` builds it only if its inputs changed, and fails if the shipped file differs.
 */
const INPUTS = new URL('../server/models/base.inputs', import.meta.url);

type Message = { readonly share: number } | { readonly file: ModelFile };

const trainInThread = (forest: number, onProgress: (share: number) => void): Promise<ModelFile> => {
  const worker = new Worker(new URL('./base-model-thread.ts', import.meta.url), { workerData: forest });
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if ('file' in message) resolve(message.file);
      else onProgress(message.share);
    });
    worker.on('error', reject);
    worker.on('exit', (code) =>
      reject(new Error(`the training of forest ${forest + 1} exited early with code ${code}`)),
    );
  });
};

/** Trains the forests side by side, as many as there are cores. Each takes some 2.5 GB of memory. */
const trainForests = async (): Promise<ModelFile[]> => {
  const progress = makeProgress('training', FORESTS.length);
  const done = FORESTS.map(() => 0);
  const files: ModelFile[] = [];
  const waiting = [...FORESTS.keys()];
  const work = async (): Promise<void> => {
    for (let forest = waiting.shift(); forest !== undefined; forest = waiting.shift()) {
      const at = forest;
      files[at] = await trainInThread(at, (share) => {
        done[at] = share;
        progress.at(done.reduce((sum, part) => sum + part, 0));
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), FORESTS.length) }, work));
  progress.end();
  return files;
};

const build = async (): Promise<string> => {
  const forests = await trainForests();
  const joining = makeProgress('joining', 1);
  const file = joinBaseModel(forests, joining.at);
  joining.end();
  process.stdout.write(`${file.model_version}\n${JSON.stringify({ ...file.trained, ...file.metrics }, null, 2)}\n`);
  return `${JSON.stringify(file)}\n`;
};

const check = async (inputs: string): Promise<void> => {
  if (inputs === readFileSync(INPUTS, 'utf8').trim()) {
    process.stdout.write('The inputs of the shipped model are unchanged. Nothing to build.\n');
    return;
  }
  process.stdout.write('The inputs of the shipped model changed. Building it for comparison.\n');
  if ((await build()) === readFileSync(BASE_MODEL, 'utf8')) {
    process.stdout.write('The changed inputs still give the shipped model. Run `npm run base-model` to record them.\n');
    return;
  }
  process.stderr.write(
    'The changed inputs give another model than the shipped one. Run `npm run base-model` and commit it.\n',
  );
  process.exitCode = 1;
};

const [argument] = process.argv.slice(2);
if (argument === '--check') await check(await baseModelInputs());
else if (argument !== undefined) writeFileSync(argument, await build());
else {
  writeFileSync(BASE_MODEL, await build());
  writeFileSync(INPUTS, `${await baseModelInputs()}\n`);
}
