import type { ModelFile } from '@portcullis/contract';
import { MODEL_SCHEMA, MODEL_SCHEMA_VERSION } from '@portcullis/contract/values';
import type { Calibration } from '../model/calibration.ts';
import type { Forest } from '../model/tree.ts';
import { hash53 } from '../subject/hash53.ts';
import type { TrainingData } from './table.ts';

const DIGITS = 9;
/** Rounds to nine digits. More digits would only make model files larger. */
export const trim = (value: number): number => Number(value.toPrecision(DIGITS));
export const trimForest = ({ base, trees }: Forest): Forest => ({
  base: trim(base),
  trees: trees.map((tree) => ({ ...tree, threshold: tree.threshold.map(trim), value: tree.value.map(trim) })),
});
export const trimCalibration = ({ said, meant }: Calibration): Calibration => {
  const at = said.map(trim);
  // Points that became equal are dropped, because there is no slope between them.
  const distinct = at.flatMap((value, i) => (i === 0 || value > (at[i - 1] as number) ? [i] : []));
  return { said: distinct.map((i) => at[i] as number), meant: distinct.map((i) => trim(meant[i] as number)) };
};

type Content = Omit<ModelFile, 'model_version'>;
/**
 * The version of a model is a hash of its content, so that the same training rows give the same version on any
 * machine.
 */
export const modelVersionOf = (content: Content): string => {
  const text = JSON.stringify(content);
  return `mdl_${hash53(text).toString(36)}${hash53(`${text.length}${text}`).toString(36)}`;
};
export const withVersion = (content: Content): ModelFile => {
  const { schema, schema_version, ...rest } = content;
  return { schema, schema_version, model_version: modelVersionOf(content), ...rest };
};

/** The origin of the training data, as recorded in the model file. */
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
