import { MODEL_SCHEMA, MODEL_SCHEMA_VERSION, type ModelFile } from '@portcullis/contract';
import type { Calibration } from './calibrate.ts';
import { hash53 } from './entity.ts';
import type { TrainingData } from './training-table.ts';
import type { Forest } from './tree.ts';

const DIGITS = 9;
/** Nine digits tell any two of what was learned apart; more would only make files larger. */
export const trim = (value: number): number => Number(value.toPrecision(DIGITS));
export const trimForest = ({ base, trees }: Forest): Forest => ({
  base: trim(base),
  trees: trees.map((tree) => ({ ...tree, threshold: tree.threshold.map(trim), value: tree.value.map(trim) })),
});
export const trimCalibration = ({ said, meant }: Calibration): Calibration => {
  const at = said.map(trim);
  // Two that are one to so many digits would leave no slope between them.
  const kept = at.flatMap((value, i) => (i === 0 || value > (at[i - 1] as number) ? [i] : []));
  return { said: kept.map((i) => at[i] as number), meant: kept.map((i) => trim(meant[i] as number)) };
};

type Content = Omit<ModelFile, 'model_version'>;
/** A version is made from what the model says: the same rows give the same version, on any machine, and another model has another. */
export const modelVersionOf = (content: Content): string => {
  const text = JSON.stringify(content);
  return `mdl_${hash53(text).toString(36)}${hash53(`${text.length}${text}`).toString(36)}`;
};
export const withVersion = (content: Content): ModelFile => {
  const { schema, schema_version, ...rest } = content;
  return { schema, schema_version, model_version: modelVersionOf(content), ...rest };
};

/** What a model learned from, and of what time. */
export interface Origin {
  readonly seed: number;
  readonly source: string;
  readonly from: string;
  readonly until: string;
}
export const headOf = (data: TrainingData, { source, from, until, seed }: Origin) => ({
  schema: MODEL_SCHEMA as ModelFile['schema'],
  schema_version: MODEL_SCHEMA_VERSION as ModelFile['schema_version'],
  trained: { source, from, until, rows: data.count, frauds: data.labels.reduce((sum, label) => sum + label, 0), seed },
});
