import { readFileSync } from 'node:fs';
import { ModelFile } from '@portcullis/contract';
import { type Model, ModelError, makeModel } from '@portcullis/engine';
import { Compile } from 'typebox/schema';
import { checkVersion, parseModelFile } from './stored-model.ts';

/** The shipped model: the base model of every account unless MODEL_FILE is set. `npm run base-model` builds it. */
export const BASE_MODEL = new URL('../../models/base.json', import.meta.url);

const shape = Compile(ModelFile);

/** Reads a model file. Throws a ModelError with the reason when the file is not a valid model. */
export const readModelFile = (text: string): { readonly file: ModelFile; readonly model: Model } => {
  const file = parseModelFile(text);
  if (!shape.Check(file)) {
    const [, [first]] = shape.Errors(file);
    throw new ModelError(`\`${first?.instancePath.slice(1).replaceAll('/', '.')}\` ${first?.message}`);
  }
  const model = makeModel(file);
  checkVersion(file);
  return { file, model };
};
export const readModel = (text: string): Model => readModelFile(text).model;

let shipped: ReturnType<typeof readModelFile> | undefined;
/** Reads a file once if it is the shipped model: it is part of the installation, which no running process replaces. */
const readPath = (path: string | URL): ReturnType<typeof readModelFile> => {
  if (path !== BASE_MODEL) return readModelFile(readFileSync(path, 'utf8'));
  shipped ??= readModelFile(readFileSync(path, 'utf8'));
  return shipped;
};

/** Throws an error with the path and the remedy: the service must not start with another model than configured. */
export const loadModelFile = (path: string | URL): ReturnType<typeof readModelFile> => {
  try {
    return readPath(path);
  } catch (error) {
    const [name, advice] =
      typeof path === 'string'
        ? [path, 'Use a file that `portcullis train` wrote, or none, for the shipped model']
        : [path.pathname, 'The file is part of this version: install it again'];
    throw new Error(`The model ${name} cannot be used: ${(error as Error).message}. ${advice}.`);
  }
};
export const loadModel = (path: string | URL): Model => loadModelFile(path).model;
