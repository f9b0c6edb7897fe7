import {
  type AccountModel,
  type ModelFile,
  type ModelStatus,
  type ModelSummary,
  writeTimestamp,
} from '@portcullis/contract';
import type { Told } from './learn.ts';
import type { ModelRow } from './store.ts';

const timeOf = (at: number | null): string | null => (at === null ? null : writeTimestamp(at));

/** Why it was not promoted: each gate it failed, with its numbers. */
export const reasonOf = ({ gates }: Told): string | null => {
  const say = (value: number | null): string => (value === null ? 'unknown' : value.toPrecision(3));
  const failed = gates
    .filter(({ passed }) => !passed)
    .map(({ name, wanted, champion, challenger }) =>
      challenger === null
        ? `${name} is ${say(champion)}, wanted ${wanted}`
        : `${name} is ${say(challenger)} against ${say(champion)}, wanted ${wanted}`,
    );
  return failed.length === 0 ? null : failed.join('; ');
};

const summaryOf = (
  file: ModelFile,
  row: ModelRow | undefined,
  told: Told | undefined,
  status: ModelStatus,
): ModelSummary => ({
  model_version: file.model_version,
  status,
  ships: row === undefined,
  reason: row?.reason ?? null,
  trained: {
    from: file.trained.from,
    until: file.trained.until,
    rows: file.trained.rows,
    frauds: file.trained.frauds,
  },
  window: told?.window ?? null,
  metrics: told?.metrics ?? file.metrics,
  trained_at: timeOf(row?.trained_at ?? null),
  trained_by: row?.trained_by ?? null,
  promoted_at: timeOf(row?.promoted_at ?? null),
});

export const summaryOfRow = (row: ModelRow): ModelSummary =>
  summaryOf(JSON.parse(row.file) as ModelFile, row, JSON.parse(row.told) as Told, row.status);

export const modelOfRow = (row: ModelRow): AccountModel => {
  const { gates, curves } = JSON.parse(row.told) as Told;
  const { features } = JSON.parse(row.file) as ModelFile;
  return { ...summaryOfRow(row), gates, curves, features };
};

/** The model that ships has no row. */
export const summaryOfBase = (file: ModelFile, status: ModelStatus): ModelSummary =>
  summaryOf(file, undefined, undefined, status);

export const modelOfBase = (file: ModelFile, status: ModelStatus): AccountModel => ({
  ...summaryOfBase(file, status),
  gates: [],
  curves: null,
  features: [...file.features],
});
