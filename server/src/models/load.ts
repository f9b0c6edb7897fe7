import { readFileSync } from 'node:fs';
import { MODEL_SCHEMA, MODEL_SCHEMA_VERSION, ModelFile } from '@portcullis/contract';
import { type Model, ModelFault, makeModel, modelVersionOf } from '@portcullis/engine';
import { Compile } from 'typebox/compile';

/** The model every account starts with. `npm run base-model` makes it anew. */
export const BASE_MODEL = new URL('../../models/base.json', import.meta.url);

const shape = Compile(ModelFile);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelFault('it is not JSON');
  }
};

/** Reads what a file says, or throws a ModelFault that says why it is no model of ours. */
export const readModelFile = (text: string): { readonly file: ModelFile; readonly model: Model } => {
  const file = parse(text) as Partial<Record<'schema' | 'schema_version', unknown>> | null;
  if (file?.schema !== MODEL_SCHEMA)
    throw new ModelFault(`its \`schema\` is ${JSON.stringify(file?.schema)}, expected "${MODEL_SCHEMA}"`);
  if (file.schema_version !== MODEL_SCHEMA_VERSION)
    throw new ModelFault(
      `its \`schema_version\` is ${JSON.stringify(file.schema_version)}, and this version of the service reads ` +
        `${MODEL_SCHEMA_VERSION}: train it anew with \`portcullis train\``,
    );
  if (!shape.Check(file)) {
    const [first] = shape.Errors(file);
    throw new ModelFault(`\`${first?.instancePath.slice(1).replaceAll('/', '.')}\` ${first?.message}`);
  }
  const model = makeModel(file);
  const { model_version, ...content } = file;
  if (model_version !== modelVersionOf(content))
    throw new ModelFault(
      'its content is not what its `model_version` was made from, so it was changed since; train it anew',
    );
  return { file, model };
};
export const readModel = (text: string): Model => readModelFile(text).model;

/** The model in a file. Throws an error that names the file and what to do: a service must not start with another model than it was told to use. */
export const loadModelFile = (path: string | URL): ReturnType<typeof readModelFile> => {
  try {
    return readModelFile(readFileSync(path, 'utf8'));
  } catch (error) {
    const [name, advice] =
      typeof path === 'string'
        ? [path, 'Name one that `portcullis train` wrote, or none, for the one that ships']
        : [path.pathname, 'It ships with this version: install that anew'];
    throw new Error(`The model ${name} cannot be used: ${(error as Error).message}. ${advice}.`);
  }
};
export const loadModel = (path: string | URL): Model => loadModelFile(path).model;
