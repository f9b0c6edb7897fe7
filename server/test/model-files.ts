import { readFileSync } from 'node:fs';
import type { ModelFile } from '@portcullis/contract';
import { type Forest, modelVersionOf } from '@portcullis/engine';
import type { Backend } from '../src/backend/backend.ts';
import { BASE_MODEL } from '../src/models/load.ts';
import { putModel } from '../src/models/store.ts';

/** The model that ships without its last trees: another model, which can do the same. */
export const withoutTrees = (trees: number): ModelFile => {
  const { model_version: _, ...base } = JSON.parse(readFileSync(BASE_MODEL, 'utf8')) as ModelFile;
  const forest = base.forest as Forest;
  const content = { ...base, forest: { ...forest, trees: forest.trees.slice(0, -trees) } } as typeof base;
  return { ...content, model_version: modelVersionOf(content) };
};

/** Stores it as one that an account trained, that passed all gates and waits. */
export const addChallenger = async (backend: Backend, account: string, file: ModelFile): Promise<void> => {
  const told = { gates: [], metrics: {}, curves: null, window: null };
  await backend.write([
    putModel({
      account,
      model_version: file.model_version,
      status: 'challenger',
      reason: null,
      file: JSON.stringify(file),
      told: JSON.stringify(told),
      learned_until: 0,
      trained_at: 0,
      trained_by: null,
      promoted_at: null,
      previous: null,
    }),
  ]);
};
