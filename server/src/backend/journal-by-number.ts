import type { LabelValue } from '@portcullis/contract';
import { seqOf } from '../runtime/ids.ts';
import type { Backend } from './backend.ts';
import { isErased } from './erased-request.ts';
import type { ScreeningRow, StoredScreening } from './journal.ts';
import { SCREENING_COLUMNS } from './journal-sql.ts';

/** Screenings of the journal by their numbers, from any store. */

type Reader = Pick<Backend, 'readLong'>;

/** A screening as an answer shows it. */
export type ShownScreening = Pick<
  StoredScreening & ScreeningRow,
  'id' | 'type' | 'screened_at' | 'request' | 'verdict' | 'imported' | 'seq'
>;
const SHOWN = 'seq, id, type, screened_at, request, verdict, imported';

/** Numbers of rows in one read. Each is a statement to prepare, and the last number is repeated to fill it up. */
const READ_SIZES = [1, 20, 100, 200];
const fillUp = (numbers: readonly number[]): number[] => {
  const size = READ_SIZES.find((max) => numbers.length <= max) as number;
  return Array.from({ length: size }, (_, index) => numbers[Math.min(index, numbers.length - 1)] as number);
};
/** SQL: the screenings of a tenant with these numbers. */
const among = (numbers: readonly number[]): string =>
  `FROM screenings WHERE tenant = ? AND seq IN (${numbers.map(() => '?').join(', ')})`;

/** Reads up to 200 screenings of a tenant by their numbers, by number. */
export const screeningsByNumber = async (
  backend: Reader,
  tenant: number,
  numbers: readonly number[],
): Promise<Map<number, ShownScreening>> => {
  if (numbers.length === 0) return new Map();
  const filled = fillUp(numbers);
  const rows = await backend.readLong<ShownScreening>(tenant, `SELECT ${SHOWN} ${among(filled)}`, tenant, ...filled);
  return new Map(rows.map((row) => [row.seq, row]));
};

/** Those of up to 200 screenings whose stored request has the part of a text, in lower case, anywhere. */
export const screeningsWith = async (
  backend: Reader,
  tenant: number,
  numbers: readonly number[],
  part: string,
): Promise<ShownScreening[]> => {
  if (numbers.length === 0) return [];
  const filled = fillUp(numbers);
  const pattern = `%${part.replaceAll(/[!%_]/g, '!$&')}%`;
  const sql = `SELECT ${SHOWN} ${among(filled)} AND LOWER(request) LIKE ? ESCAPE '!'`;
  return backend.readLong<ShownScreening>(tenant, sql, tenant, ...filled, pattern);
};

/** Reads up to 200 screenings of a tenant by their numbers, with all that restores their subjects, in order. */
export const storedByNumber = (
  backend: Reader,
  tenant: number,
  numbers: readonly number[],
): Promise<(StoredScreening & ScreeningRow)[]> => {
  const filled = fillUp(numbers);
  const sql = `SELECT id, ruleset_version, ${SCREENING_COLUMNS} ${among(filled)} ORDER BY seq`;
  return backend.readLong(tenant, sql, tenant, ...filled);
};

/** Of these ids, those whose screening is erased. */
export const erasedAmong = async (backend: Reader, tenant: number, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const rows = await storedByNumber(backend, tenant, ids.map(seqOf));
  return new Set(rows.filter(isErased).map(({ id }) => id));
};

/** SQL expression: the label in force of a screening; null without one. */
export const labelInForce = (tenant: string, seq: string): string =>
  `(SELECT l.label FROM labels l WHERE l.tenant = ${tenant} AND l.screening_seq = ${seq} ORDER BY l.seq DESC LIMIT 1)`;

/** Reads the labels in force of up to 200 screenings of a tenant, by their numbers. */
export const labelsByNumber = async (
  backend: Pick<Backend, 'readLong'>,
  tenant: number,
  numbers: readonly number[],
): Promise<Map<number, LabelValue>> => {
  if (numbers.length === 0) return new Map();
  const size = READ_SIZES.find((max) => numbers.length <= max) as number;
  const filled = Array.from({ length: size }, (_, index) => numbers[Math.min(index, numbers.length - 1)] as number);
  const rows = await backend.readLong<{ seq: number; label: LabelValue }>(
    tenant,
    `SELECT screening_seq AS seq, label FROM labels WHERE tenant = ? AND screening_seq IN (${filled.map(() => '?').join(', ')})
      ORDER BY labels.seq`,
    tenant,
    ...filled,
  );
  // The newest label of a screening comes last.
  return new Map(rows.map(({ seq, label }) => [seq, label]));
};
