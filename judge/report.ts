import type { Estimate } from '@portcullis/engine';

/** A figure that a requirement limits, and whether it keeps to the limit. */
export interface Requirement {
  readonly name: string;
  readonly isReached: boolean;
  /** The figure, the limit, and the distance to it if the limit is missed. */
  readonly detail: string;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The result of one part of the judge. */
export interface Part {
  readonly tables: readonly Table[];
  readonly requirements: readonly Requirement[];
  /** Plain figures for `--save`. */
  readonly figures: Record<string, unknown>;
}

type Format = (value: number) => string;
export const asFraction: Format = (value) => value.toFixed(3);
export const asCount: Format = (value) => String(Math.round(value));
export const asRate: Format = (value) => value.toFixed(1);
export const asPercent: Format = (value) => `${(100 * value).toFixed(1)} %`;
export const asFinePercent: Format = (value) => `${(100 * value).toFixed(2)} %`;

export const withInterval = ({ value, low, high }: Estimate, format: Format): string =>
  Number.isNaN(value) ? '-' : `${format(value)} [${format(low)}, ${format(high)}]`;

const requirement = (
  name: string,
  value: number,
  limit: number,
  format: Format,
  word: string,
  excess: number,
): Requirement => {
  const isReached = excess <= 0;
  const distance = isReached ? '' : `, missed by ${Number.isNaN(excess) ? 'an unknown amount' : format(excess)}`;
  return { name, isReached, detail: `${format(value)} (${word} ${format(limit)}${distance})` };
};

export const atLeast = (name: string, value: number, limit: number, format: Format): Requirement =>
  requirement(name, value, limit, format, 'at least', limit - value);
export const atMost = (name: string, value: number, limit: number, format: Format): Requirement =>
  requirement(name, value, limit, format, 'at most', value - limit);

/** A table in plain text: the first column to the left, all others to the right. */
export const formatTable = ({ title, head, rows }: Table): string => {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
      )
      .join('  ')
      .trimEnd();
  return [title, line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
};

export const formatRequirement = ({ name, isReached, detail }: Requirement): string =>
  `${isReached ? 'reached' : 'MISSED '}  ${name}: ${detail}`;

export const formatPart = ({ tables, requirements }: Part): string =>
  [...tables.map(formatTable), requirements.map(formatRequirement).join('\n')].join('\n\n');
