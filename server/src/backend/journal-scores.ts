import type { LabelValue, SubjectType } from '@portcullis/contract';
import type { Backend } from './backend.ts';

/** Scores of stored decisions, counted by the database: only sums reach the thread that screens. */

type Reader = Pick<Backend, 'readLong'>;

/** Number of decisions of one type, score and label in force. Forced ones do not depend on the score. */
export interface ScoreCount {
  readonly type: SubjectType;
  readonly score: number;
  readonly isForced: boolean;
  readonly label: LabelValue | null;
  readonly items: number;
}
export interface ScoreCounts {
  readonly counts: readonly ScoreCount[];
  /** The number and time of the oldest row that was read, of any tenant; undefined without rows. */
  readonly oldest: { readonly seq: number; readonly at: number } | undefined;
  /** Whether counting stopped at a limit. */
  readonly isPartial: boolean;
}
export interface ScoreLimits {
  /** Rows of one read, of any tenant: screenings have no index by tenant. */
  readonly page: number;
  /** Rows of all reads, of any tenant. */
  readonly read: number;
  /** Decisions of the tenant. */
  readonly counted: number;
}

/**
 * A stored verdict begins with `{"score":34,`, and with `{"score":34,"forced":true,` where the decision was forced: these
 * characters tell both, without parsing the rest. Rows of other tenants form one group, which tells how far the page reached.
 */
const START = 'substr(s.verdict, 10, 6)';
const PAGE = `SELECT type, start, label, COUNT(*) AS items, MIN(seq) AS seq, MIN(screened_at) AS at FROM (
    SELECT s.seq, s.screened_at, CASE WHEN s.tenant = ? THEN s.type END AS type,
      CASE WHEN s.tenant = ? THEN ${START} END AS start,
      CASE WHEN s.tenant = ? THEN (SELECT l.label FROM labels l WHERE l.tenant = s.tenant AND l.screening_seq = s.seq
        ORDER BY l.seq DESC LIMIT 1) END AS label
    FROM screenings s WHERE s.seq >= ? AND s.seq < ? ORDER BY s.seq DESC LIMIT ?) AS page
  GROUP BY type, start, label`;

interface PageRow {
  readonly type: SubjectType | null;
  readonly start: string | null;
  readonly label: LabelValue | null;
  readonly items: number;
  readonly seq: number;
  readonly at: number;
}

const readStart = (start: string): Pick<ScoreCount, 'score' | 'isForced'> => ({
  score: Number.parseInt(start, 10),
  isForced: start.includes('"f'),
});

/** Counts the newest decisions of a tenant from `from` on. */
export const countScores = async (
  backend: Reader,
  tenant: number,
  from: number,
  limits: ScoreLimits,
): Promise<ScoreCounts> => {
  const counts: ScoreCount[] = [];
  let oldest: ScoreCounts['oldest'];
  for (let read = 0, counted = 0; ; ) {
    const before = oldest?.seq ?? Number.MAX_SAFE_INTEGER;
    const rows = await backend.readLong<PageRow>(tenant, PAGE, tenant, tenant, tenant, from, before, limits.page);
    let inPage = 0;
    for (const { type, start, label, items, seq, at } of rows) {
      inPage += items;
      if (oldest === undefined || seq < oldest.seq) oldest = { seq, at };
      if (type === null || start === null) continue;
      counted += items;
      counts.push({ type, ...readStart(start), label, items });
    }
    read += inPage;
    if (inPage < limits.page) return { counts, oldest, isPartial: false };
    if (read >= limits.read || counted >= limits.counted) return { counts, oldest, isPartial: true };
  }
};

/** Known fraud, with the part of its request that its label keeps. */
export interface FraudRow {
  readonly type: SubjectType;
  readonly score: number;
  readonly isForced: boolean;
  readonly request: string;
}
interface StoredFraud {
  readonly seq: number;
  readonly type: SubjectType;
  readonly start: string;
  readonly request: string;
}
const FRAUD_PAGE = 500;
const FRAUDS = `SELECT s.seq, s.type, ${START} AS start, l.request
  FROM labels l JOIN screenings s ON s.seq = l.screening_seq AND s.tenant = l.tenant
  WHERE l.tenant = ? AND l.screening_seq >= ? AND l.label = 'fraud' AND NOT EXISTS
    (SELECT 1 FROM labels n WHERE n.tenant = l.tenant AND n.screening_seq = l.screening_seq AND n.seq > l.seq)
  ORDER BY l.screening_seq LIMIT ?`;

/** Yields pages of the tenant's known fraud among screenings from `from` on. */
export async function* fraudsFrom(backend: Reader, tenant: number, from: number): AsyncGenerator<FraudRow[]> {
  for (let next = from; ; ) {
    const rows = await backend.readLong<StoredFraud>(tenant, FRAUDS, tenant, next, FRAUD_PAGE);
    if (rows.length > 0) yield rows.map(({ type, start, request }) => ({ type, ...readStart(start), request }));
    if (rows.length < FRAUD_PAGE) return;
    next = (rows.at(-1) as StoredFraud).seq + 1;
  }
}
