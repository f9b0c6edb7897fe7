import type { DecisionValue, LabelValue, SubjectType } from '@portcullis/contract';
import { READABLE_FACTS_VERSIONS } from '@portcullis/engine';
import { timeOfSeq } from '../runtime/ids.ts';
import { type Backend, NO_TENANT } from './backend.ts';
import type { StoredLabel, StoredScreening } from './journal.ts';
import { LATER_LABELS, LATER_SCREENINGS } from './journal-sql.ts';

/** The journal in pages, from any store, while other processes write to it. Ordered by sequence number. */

type Reader = Pick<Backend, 'read'>;
const PAGE = 500;

const SCREENINGS = `${LATER_SCREENINGS} AND seq <= ? ORDER BY seq LIMIT ?`;
const LABELS = `${LATER_LABELS} AND l.seq <= ? ORDER BY l.seq LIMIT ?`;

export type JournalEntry = StoredScreening | StoredLabel;
export const isLabel = (entry: JournalEntry): entry is StoredLabel => 'label' in entry;

/** Steps through the rows of a query. Reads the next page when the previous one is used up. */
const makeCursor = <Row extends { readonly seq: number }>(
  backend: Reader,
  sql: string,
  after: number,
  upTo: number,
) => {
  let rows: Row[] = [];
  let at = 0;
  let last = after;
  let isOver = false;
  return {
    /** Returns the next row without consuming it; undefined at the end. */
    peek: async (): Promise<Row | undefined> => {
      if (at === rows.length && !isOver) {
        rows = await backend.read<Row>(sql, last, upTo, PAGE);
        at = 0;
        isOver = rows.length < PAGE;
        last = rows.at(-1)?.seq ?? last;
      }
      return rows[at];
    },
    take: (): void => void at++,
  };
};

/** Yields pages of screenings and labels of every tenant with `after` < seq <= `upTo`, merged into one order. */
export async function* journalBetween(backend: Reader, after: number, upTo: number): AsyncGenerator<JournalEntry[]> {
  const screenings = makeCursor<StoredScreening>(backend, SCREENINGS, after, upTo);
  const labels = makeCursor<StoredLabel>(backend, LABELS, after, upTo);
  let page: JournalEntry[] = [];
  for (;;) {
    const [screening, label] = [await screenings.peek(), await labels.peek()];
    if (screening === undefined && label === undefined) break;
    const isNext = label === undefined || (screening !== undefined && screening.seq < label.seq);
    page.push((isNext ? screening : label) as JournalEntry);
    (isNext ? screenings : labels).take();
    if (page.length === PAGE) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

export const countJournal = async (backend: Reader, upTo: number): Promise<number> => {
  const [screenings] = await backend.read<{ count: number }>(
    'SELECT COUNT(*) AS count FROM screenings WHERE seq <= ?',
    upTo,
  );
  const [labels] = await backend.read<{ count: number }>('SELECT COUNT(*) AS count FROM labels WHERE seq <= ?', upTo);
  return (screenings?.count ?? 0) + (labels?.count ?? 0);
};

export const hasScreenings = async (backend: Reader): Promise<boolean> =>
  (await backend.read('SELECT seq FROM screenings ORDER BY seq LIMIT 1')).length > 0;

/** When the newest screening was stored, as its number says; 0 without one. */
export const newestStoredAt = async (backend: Reader): Promise<number> => {
  const [newest] = await backend.read<{ seq: number }>('SELECT seq FROM screenings ORDER BY seq DESC LIMIT 1');
  return newest === undefined ? 0 : timeOfSeq(newest.seq);
};

/** Whether the journal has an entry with this number. */
export const isInJournal = async (backend: Reader, seq: number): Promise<boolean> =>
  (await backend.read('SELECT 1 FROM screenings WHERE seq = ? UNION ALL SELECT 1 FROM labels WHERE seq = ?', seq, seq))
    .length > 0;

const newest = async (backend: Reader, table: 'screenings' | 'labels', tenant: number): Promise<number> =>
  (await backend.read<{ newest: number | null }>(`SELECT MAX(seq) AS newest FROM ${table} WHERE tenant = ?`, tenant))[0]
    ?.newest ?? 0;
export const newestScreening = (backend: Reader, tenant: number): Promise<number> =>
  newest(backend, 'screenings', tenant);
export const newestLabel = (backend: Reader, tenant: number): Promise<number> => newest(backend, 'labels', tenant);

interface ScreeningColumns {
  readonly id: string;
  readonly type: SubjectType;
  readonly screened_at: number;
  readonly request: string;
  readonly verdict: string;
  readonly facts: Uint8Array;
  readonly imported: number;
}
/** A screening with the label in force. */
export type LabelledScreening<Column extends keyof ScreeningColumns> = Pick<ScreeningColumns, Column> & {
  readonly seq: number;
  readonly label: LabelValue | null;
};

/** Screenings of one tenant with `after` < seq <= `upTo`. Labels numbered above `labelsThrough` are ignored. */
export interface ScreeningRange {
  readonly tenant: number;
  readonly after: number;
  readonly upTo: number;
  readonly labelsThrough: number;
}

/**
 * Yields pages of screenings, with the columns that the caller needs. Screenings whose facts are of an unreadable
 * version are left out.
 */
export async function* labelledScreenings<Column extends keyof ScreeningColumns>(
  backend: Reader,
  { tenant, after, upTo, labelsThrough }: ScreeningRange,
  columns: readonly Column[],
): AsyncGenerator<LabelledScreening<Column>[]> {
  const sql = `SELECT s.seq, ${columns.map((column) => `s.${column}`).join(', ')},
      (SELECT l.label FROM labels l WHERE l.tenant = s.tenant AND l.screening_seq = s.seq AND l.seq <= ?
        ORDER BY l.seq DESC LIMIT 1) AS label
    FROM screenings s WHERE s.seq > ? AND s.seq <= ? AND s.tenant = ? AND s.facts_version BETWEEN ? AND ?
    ORDER BY s.seq LIMIT ?`;
  for (let last = after; ; ) {
    const rows = await backend.read<LabelledScreening<Column>>(
      sql,
      labelsThrough,
      last,
      upTo,
      tenant,
      ...READABLE_FACTS_VERSIONS,
      PAGE,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    last = (rows.at(-1) as LabelledScreening<Column>).seq;
  }
}

/** A label in force with its copy of the screening, which outlives the screening. */
export interface LabelSnapshot {
  readonly screening_seq: number;
  readonly subject_type: SubjectType;
  readonly screened_at: number;
  readonly request: string;
  readonly facts: Uint8Array;
  readonly label: LabelValue;
  readonly score: number;
  readonly decision: DecisionValue;
}
const LABEL_SNAPSHOTS = `SELECT screening_seq, subject_type, screened_at, request, facts, label, score, decision
  FROM labels l WHERE tenant = ? AND screening_seq > ? AND screening_seq < ? AND seq <= ? AND facts_version BETWEEN ? AND ?
    AND NOT EXISTS (SELECT 1 FROM labels n WHERE n.tenant = l.tenant AND n.screening_seq = l.screening_seq AND n.seq > l.seq AND n.seq <= ?)
  ORDER BY screening_seq LIMIT ?`;

/** Labels of one tenant for screenings numbered below `before`. Labels numbered above `through` are ignored. */
export interface LabelRange {
  readonly tenant: number;
  readonly before: number;
  readonly through: number;
}

/**
 * Yields pages of labels in force in the order of their screenings. Labels whose facts are of an unreadable version are
 * left out.
 */
export async function* labelSnapshots(
  backend: Reader,
  { tenant, before, through }: LabelRange,
): AsyncGenerator<LabelSnapshot[]> {
  for (let after = 0; ; ) {
    const rows = await backend.read<LabelSnapshot>(
      LABEL_SNAPSHOTS,
      tenant,
      after,
      before,
      through,
      ...READABLE_FACTS_VERSIONS,
      through,
      PAGE,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = (rows.at(-1) as LabelSnapshot).screening_seq;
  }
}

/**
 * SQL expression: how many labels `tenant` has above `seq`, counted up to the `limit` that is bound in place of its one
 * `?`.
 */
export const countLabelsAfter = (tenant: string, seq: string): string =>
  `(SELECT COUNT(*) FROM (SELECT 1 FROM labels l WHERE l.tenant = ${tenant} AND l.seq > ${seq} LIMIT ?) AS newer)`;

/**
 * Returns the oldest screenings of a table with seq < `before`, except screenings with a label numbered `labelledSince` or above.
 */
export const expiredScreenings = (
  backend: Pick<Backend, 'readLong'>,
  table: string,
  before: number,
  labelledSince: number,
  limit: number,
): Promise<{ seq: number }[]> =>
  backend.readLong<{ seq: number }>(
    NO_TENANT,
    `SELECT seq FROM ${table} s WHERE seq < ? AND NOT EXISTS
      (SELECT 1 FROM labels l WHERE l.tenant = s.tenant AND l.screening_seq = s.seq AND l.seq >= ?) ORDER BY seq LIMIT ?`,
    before,
    labelledSince,
    limit,
  );

/** Yields the requests of all stored screenings of a tenant, page by page. */
export async function* requestsOf(backend: Pick<Backend, 'readLong'>, tenant: number): AsyncGenerator<string[]> {
  for (let last = 0; ; ) {
    const rows = await backend.readLong<{ seq: number; request: string }>(
      tenant,
      'SELECT seq, request FROM screenings WHERE seq > ? AND tenant = ? ORDER BY seq LIMIT ?',
      ...[last, tenant, PAGE],
    );
    if (rows.length > 0) yield rows.map(({ request }) => request);
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.seq as number;
  }
}
