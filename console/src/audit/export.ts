import type { AuditEntry } from '@portcullis/client';

const COLUMNS = ['number', 'at', 'actor', 'role', 'action', 'target', 'before', 'after', 'hash'] as const;

/** A cell of a table. Spreadsheets run a text that begins like a formula, so it gets a quote in front. */
const cellOf = (value: unknown): string => {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const rowOf = ({ person, key_id, ...entry }: AuditEntry): string =>
  COLUMNS.map((name) => cellOf(name === 'actor' ? (person ?? key_id) : entry[name])).join(',');

export const csvOf = (entries: readonly AuditEntry[]): string =>
  `${[COLUMNS.join(','), ...entries.map(rowOf)].join('\r\n')}\r\n`;
export const ndjsonOf = (entries: readonly AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
