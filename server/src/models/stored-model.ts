import type { ModelFile } from '@portcullis/contract';
import { MODEL_SCHEMA, MODEL_SCHEMA_VERSION } from '@portcullis/contract/values';
import { type Model, ModelError, makeModel, modelVersionOf } from '@portcullis/engine';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelError('it is not JSON');
  }
};

/** Parses a model file that this version of the service can read. Its fields are not checked yet. */
export const parseModelFile = (text: string): unknown => {
  const file = parse(text) as Partial<Record<'schema' | 'schema_version', unknown>> | null;
  if (file?.schema !== MODEL_SCHEMA)
    throw new ModelError(`its \`schema\` is ${JSON.stringify(file?.schema)}, expected "${MODEL_SCHEMA}"`);
  if (file.schema_version !== MODEL_SCHEMA_VERSION)
    throw new ModelError(
      `its \`schema_version\` is ${JSON.stringify(file.schema_version)}, and this version of the service reads ` +
        `${MODEL_SCHEMA_VERSION}: train the model again with \`portcullis train\``,
    );
  return file;
};

/** Throws a ModelError if the content is not what was trained, or what was left when a person was taken out of it. */
export const checkVersion = ({ model_version, erased = model_version, ...content }: ModelFile): void => {
  if (erased !== modelVersionOf(content))
    throw new ModelError(
      'its content does not match its `model_version`, so the file was changed after training; train the model again',
    );
};

/**
 * Reads a model that the service stored. Its version proves that it has the fields that training wrote, so threads need
 * not load the library of the schemas, which takes longer than all their other modules.
 */
export const readStoredModel = (text: string): Model => {
  const file = parseModelFile(text) as ModelFile;
  checkVersion(file);
  return makeModel(file);
};
