/** The columns of the explorer, in their usual order. */
export const COLUMN_IDS = [
  'time',
  'decision',
  'what',
  'usd',
  'user',
  'country',
  'signals',
  'label',
  'automated',
  'outcome',
  'case',
  'id',
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];
export const DEFAULT_COLUMNS: readonly ColumnId[] = ['time', 'decision', 'what', 'user', 'country', 'signals', 'label'];
