import { writeFileSync } from 'node:fs';
import { baseTrainingData, trainBaseModel } from '../server/src/models/base.ts';
import { BASE_MODEL } from '../server/src/models/load.ts';
import { makeProgress } from '../server/src/progress.ts';

/** Makes the model that ships anew: the same bytes, unless the simulator, the features or the trainer have changed. */
const simulating = makeProgress('simulating', 1);
const data = baseTrainingData((done, of) => simulating.at(done / of));
simulating.end();
const training = makeProgress('training', 1);
const file = trainBaseModel(data, training.at);
training.end();
writeFileSync(process.argv[2] ?? BASE_MODEL, `${JSON.stringify(file)}\n`);
process.stdout.write(`${file.model_version}\n${JSON.stringify({ ...file.trained, ...file.metrics }, null, 2)}\n`);
