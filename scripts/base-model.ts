import { readFileSync, writeFileSync } from 'node:fs';
import { BASE_MODEL } from '../server/src/models/model-file.ts';
import { baseTrainingData, trainBaseModel } from '../server/src/offline/base-model.ts';
import { makeProgress } from '../server/src/runtime/progress-bar.ts';
import { baseModelInputs } from './base-model-inputs.ts';

/**
 * Builds the shipped model. The bytes are the same unless the simulator, the features or the trainer changed.
 * - `npm run base-model` writes the model and the hash of its inputs.
 * - `npm run base-model -- FILE` writes it to another file.
 * - `npm run base-model -- --check` builds it only if its inputs changed, and fails if the shipped file differs.
 */
const INPUTS = new URL('../server/models/base.inputs', import.meta.url);

const build = (): string => {
  const simulating = makeProgress('simulating', 1);
  const data = baseTrainingData((done, of) => simulating.at(done / of));
  simulating.end();
  const training = makeProgress('training', 1);
  const file = trainBaseModel(data, training.at);
  training.end();
  process.stdout.write(`${file.model_version}\n${JSON.stringify({ ...file.trained, ...file.metrics }, null, 2)}\n`);
  return `${JSON.stringify(file)}\n`;
};

const check = (inputs: string): void => {
  if (inputs === readFileSync(INPUTS, 'utf8').trim()) {
    process.stdout.write('The inputs of the shipped model are unchanged. Nothing to build.\n');
    return;
  }
  process.stdout.write('The inputs of the shipped model changed. Building it for comparison.\n');
  if (build() === readFileSync(BASE_MODEL, 'utf8')) {
    process.stdout.write('The changed inputs still give the shipped model. Run `npm run base-model` to record them.\n');
    return;
  }
  process.stderr.write(
    'The changed inputs give another model than the shipped one. Run `npm run base-model` and commit it.\n',
  );
  process.exitCode = 1;
};

const [argument] = process.argv.slice(2);
if (argument === '--check') check(await baseModelInputs());
else if (argument !== undefined) writeFileSync(argument, build());
else {
  writeFileSync(BASE_MODEL, build());
  writeFileSync(INPUTS, `${await baseModelInputs()}\n`);
}
