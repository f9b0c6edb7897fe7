import type { AccountModel, ModelFile, ModelStatus, ModelSummary } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { ModelRow } from './store.ts';
import type { ModelReport } from './train-challenger.ts';

const timeOf = (at: number | null): string | null => (at === null ? null : writeTimestamp(at));

/** The failed gates with their figures, as text; null when all passed. */
export const reasonOf = ({ gates }: ModelReport): string | null => {
  const format = (value: number | null): string => (value === null ? 'unknown' : value.toPrecision(3));
  const failed = gates
    .filter(({ passed }) => !passed)
    .map(({ name, wanted, champion, challenger }) =>
      challenger === null
        ? `${name} is ${format(champion)}, wanted ${wanted}`
        : `${name} is ${format(challenger)} against ${format(champion)}, wanted ${wanted}`,
    );
  return failed.length === 0 ? null : failed.join('; ');
};

const summaryOf = (
  file: ModelFile,
  row: ModelRow | undefined,
  report: ModelReport | undefined,
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
  window: report?.window ?? null,
  metrics: report?.metrics ?? file.metrics,
  trained_at: timeOf(row?.trained_at ?? null),
  trained_by: row?.trained_by ?? null,
  promoted_at: timeOf(row?.promoted_at ?? null),
});

export const summaryOfRow = (row: ModelRow): ModelSummary =>
  summaryOf(JSON.parse(row.file) as ModelFile, row, JSON.parse(row.told) as ModelReport, row.status);

export const modelOfRow = (row: ModelRow): AccountModel => {
  const { gates, curves } = JSON.parse(row.told) as ModelReport;
  const { features } = JSON.parse(row.file) as ModelFile;
  return { ...summaryOfRow(row), gates, curves, features };
};

/** The base model has no row. */
export const summaryOfBase = (file: ModelFile, status: ModelStatus): ModelSummary =>
  summaryOf(file, undefined, undefined, status);

export const modelOfBase = (file: ModelFile, status: ModelStatus): AccountModel => ({
  ...summaryOfBase(file, status),
  gates: [],
  curves: null,
  features: [...file.features],
});
