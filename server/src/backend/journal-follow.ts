import type { DecisionValue, LabelOrigin, LabelValue, SubjectType } from '@portcullis/contract';
import type { Backend } from './backend.ts';
import type { StoredScreening } from './journal.ts';
import { SCREENING_COLUMNS } from './journal-sql.ts';

/**
 * The journal for a reader that remembers where it stopped and misses nothing. In the order of `seq`, or in the order of
 * commits, where processes commit in another order than they number their entries.
 */
export type JournalPart = 'screenings' | 'labels' | 'case_changes';

/**
 * The last entry that was read. While `follows` is 0, entries are read by `seq`, and `written` is the transaction that
 * following begins with.
 */
export interface JournalPosition {
  readonly follows: 0 | 1;
  readonly written: number;
  readonly seq: number;
}

type Reader = Pick<Backend, 'read'>;
interface Followed {
  readonly seq: number;
  /** Only where the order of commits is followed. */
  readonly written?: number;
}
export type FollowedScreening = StoredScreening & Followed & { readonly id: string };
export interface FollowedLabel extends Followed {
  readonly tenant: number;
  readonly screening_seq: number;
  readonly label: LabelValue;
  readonly origin: LabelOrigin;
  readonly labelled_at: number;
  readonly screening_id: string;
  readonly subject_type: SubjectType;
  readonly score: number;
  /** The decision of the screening. */
  readonly decision: DecisionValue;
  /** The labelled screening; undefined when it was deleted. */
  readonly screening: StoredScreening | undefined;
}

export interface FollowedCaseChange extends Followed {
  readonly tenant: number;
  readonly case_id: string;
  readonly type: 'case.assigned' | 'case.released' | 'case.reopened' | 'case.expired';
  readonly subject_type: SubjectType;
  readonly score: number;
  readonly at: number;
}

/** The entries `j` of each part. A label comes with the columns of its screening, which are null if it was deleted. */
const SOURCES = {
  screenings: 'screenings j',
  labels: 'labels j LEFT JOIN screenings s ON s.seq = j.screening_seq AND s.tenant = j.tenant',
  case_changes: 'case_changes j',
} as const;
const COLUMNS = {
  screenings: `id, ${SCREENING_COLUMNS}`,
  labels: `j.seq, j.tenant, j.screening_seq, j.label, j.origin, j.labelled_at,
    j.screening_id, j.subject_type, j.score, j.decision,
    s.type, s.screened_at, s.request, s.verdict, s.facts_version, s.facts, s.imported`,
  case_changes: 'j.seq, j.tenant, j.case_id, j.type, j.subject_type, j.score, j.at',
} as const;
const TIMES = { screenings: 'screened_at', labels: 'labelled_at', case_changes: 'at' } as const;

const byNumber = (part: JournalPart): string =>
  `SELECT ${COLUMNS[part]} FROM ${SOURCES[part]} WHERE j.seq > ? AND j.seq <= ? ORDER BY j.seq LIMIT ?`;
const byCommit = (part: JournalPart): string =>
  `SELECT j.written, ${COLUMNS[part]} FROM ${SOURCES[part]}
    WHERE (j.written, j.seq) > (?, ?) AND j.written < ? ORDER BY j.written, j.seq LIMIT ?`;

const readPart = <Row>(
  journal: Reader,
  part: JournalPart,
  { follows, written, seq }: JournalPosition,
  bound: number,
  limit: number,
): Promise<Row[]> =>
  follows === 1
    ? journal.read<Row>(byCommit(part), written, seq, bound, limit)
    : journal.read<Row>(byNumber(part), seq, bound, limit);

type ReadPart<Row> = (journal: Reader, from: JournalPosition, bound: number, limit: number) => Promise<Row[]>;
export const screeningsAfter: ReadPart<FollowedScreening> = (journal, from, bound, limit) =>
  readPart(journal, 'screenings', from, bound, limit);

type LabelRow = Omit<FollowedLabel, 'screening'> & (Omit<StoredScreening, 'seq' | 'tenant'> | { readonly type: null });
const toLabel = (row: LabelRow): FollowedLabel => ({
  ...row,
  screening: row.type === null ? undefined : { ...row, seq: row.screening_seq },
});
export const caseChangesAfter: ReadPart<FollowedCaseChange> = (journal, from, bound, limit) =>
  readPart(journal, 'case_changes', from, bound, limit);
export const labelsAfter: ReadPart<FollowedLabel> = async (journal, from, bound, limit) =>
  (await readPart<LabelRow>(journal, 'labels', from, bound, limit)).map(toLabel);

/** When the first entry after the position was stored; undefined if there is none. */
export const timeOfNext = async (
  journal: Reader,
  part: JournalPart,
  { follows, written, seq }: JournalPosition,
): Promise<number | undefined> => {
  const next = (await (follows === 1
    ? journal.read<{ at: number }>(
        `SELECT ${TIMES[part]} AS at FROM ${part} WHERE (written, seq) > (?, ?) AND written >= ?
          ORDER BY written, seq LIMIT 1`,
        written,
        seq,
        written,
      )
    : journal.read<{ at: number }>(
        `SELECT ${TIMES[part]} AS at FROM ${part} WHERE seq > ? ORDER BY seq LIMIT 1`,
        seq,
      ))) as {
    at: number;
  }[];
  return next[0]?.at;
};

/** Whether a screening numbered up to `through` comes after the position. */
export const hasLaterScreening = async (
  journal: Reader,
  { follows, written, seq }: JournalPosition,
  through: number,
): Promise<boolean> => {
  const rows =
    follows === 1
      ? journal.read(
          'SELECT 1 FROM screenings WHERE (written, seq) > (?, ?) AND written >= ? AND seq <= ? LIMIT 1',
          ...[written, seq, written, through],
        )
      : journal.read('SELECT 1 FROM screenings WHERE seq > ? AND seq <= ? LIMIT 1', seq, through);
  return (await rows).length > 0;
};

/**
 * Whether a position by `seq` belongs to this journal: its entry is there, or was deleted with the oldest. In a restored
 * backup it may be missing, and other entries get lower numbers.
 */
export const isPositionKnown = async (journal: Reader, seq: number): Promise<boolean> => {
  if (seq === 0) return true;
  const [found] = await journal.read<{ known: number }>(
    `SELECT CASE WHEN EXISTS (SELECT 1 FROM screenings WHERE seq = ?) OR EXISTS (SELECT 1 FROM labels WHERE seq = ?)
      OR ? < (SELECT MIN(seq) FROM screenings) THEN 1 ELSE 0 END AS known`,
    seq,
    seq,
    seq,
  );
  return found?.known === 1;
};
