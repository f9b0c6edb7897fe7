import { createHash } from 'node:crypto';
import { type LabelReason, readTimestamp } from '@portcullis/contract';
import type { Row } from './file-rows.ts';
import { errorAt, NOT_IN_REQUEST, readRow } from './item-reader.ts';

/** A row to be imported. */
export interface ImportRow {
  readonly line: number;
  readonly id: string;
  readonly at: number;
  readonly kind: 'transaction' | 'event';
  /** As it is in the file: the service masks card numbers with its own key. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly label: 'fraud' | 'legitimate' | undefined;
  readonly reason: LabelReason | undefined;
  /** When the label became known, if the file says so. */
  readonly labelledAt: number | undefined;
}

export interface ImportRowOptions {
  readonly warn: (message: string) => void;
  /** Later items are left out. */
  readonly until: number;
}

const MAX_ID = 255;

const sentFields = ({ fields }: Row): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !NOT_IN_REQUEST.has(name) && value !== null));

/** The id of the file; for a row without one, a hash of its content, which is the same in every import. */
const idOf = (row: Row, kind: string, at: number, request: Record<string, unknown>): string => {
  const { id } = row.fields;
  if (id === undefined || id === null)
    return createHash('sha256')
      .update(JSON.stringify([kind, at, request]))
      .digest('base64url');
  const text = typeof id === 'number' ? String(id) : id;
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_ID)
    throw errorAt(row, 'id', `must be a text of 1 to ${MAX_ID} characters`);
  return text;
};

const labelledAtOf = (row: Row, at: number, now: number): number | undefined => {
  const { labelled_at: text } = row.fields;
  if (text === undefined || text === null) return undefined;
  const labelledAt = typeof text === 'string' ? readTimestamp(text) : undefined;
  if (labelledAt === undefined) throw errorAt(row, 'labelled_at', 'must be a time such as 2026-11-14T09:30:00Z');
  if (labelledAt < at) throw errorAt(row, 'labelled_at', 'must not be before `occurred_at`');
  if (labelledAt > now) throw errorAt(row, 'labelled_at', 'must not be in the future');
  return labelledAt;
};

/** Makes a function that reads rows to be imported; undefined for one that is left out. */
export const makeImportRowReader = ({ warn, until }: ImportRowOptions) => {
  const warned = new Set<string>();
  const now = Date.now();
  let latest = Number.NEGATIVE_INFINITY;
  return (row: Row): ImportRow | undefined => {
    const warnings: string[] = [];
    const {
      at,
      label,
      labelReason,
      body: { kind },
    } = readRow(row, latest, warnings);
    latest = at;
    if (at >= until) return undefined;
    if (at > now) throw errorAt(row, 'occurred_at', 'must not be in the future');
    for (const warning of warnings.filter((one) => !warned.has(one))) {
      warned.add(warning);
      warn(`line ${row.line}: ${warning}`);
    }
    const request = sentFields(row);
    return {
      line: row.line,
      id: idOf(row, kind, at, request),
      at,
      kind,
      request,
      label: label === undefined ? undefined : label === 1 ? 'fraud' : 'legitimate',
      reason: labelReason,
      labelledAt: labelledAtOf(row, at, now),
    };
  };
};
