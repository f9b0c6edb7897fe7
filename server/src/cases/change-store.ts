import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';
import { firstSeqAt, type NewId, seqOf } from '../runtime/ids.ts';
import type { CaseRow } from './store.ts';

/** The table `case_changes`: what the live feed shows of a case beside its opening and its resolution. */

export type CaseChangeType = 'case.assigned' | 'case.released' | 'case.reopened' | 'case.expired';

/** Longer than the feed keeps its events, so that none is swept before it was read. */
const KEPT_MS = 2 * 24 * 3_600_000;

export interface ChangeDeps {
  readonly newId: NewId;
  /** Whether entries are read in the order of their numbers. */
  readonly isCommittedInOrder: boolean;
}

const COLUMNS = 'seq, tenant, case_id, type, subject_type, score, at';
const NEWEST = 'COALESCE((SELECT MAX(seq) FROM case_changes), 0)';
/**
 * A unit may be written after one with a higher number. Where changes are read in the order of their numbers, the one
 * writer of the store gives them the order of commits.
 */
const NUMBERS = { true: `CASE WHEN ? > ${NEWEST} THEN ? ELSE ${NEWEST} + 1 END`, false: '?' } as const;

/** Stores a change of a case. It belongs in the unit of the change itself. */
export const insertChange = (
  { newId, isCommittedInOrder }: ChangeDeps,
  tenant: number,
  { id, subject_type, risk_score }: Pick<CaseRow, 'id' | 'subject_type' | 'risk_score'>,
  type: CaseChangeType,
  at: number,
): Statement => {
  const seq = seqOf(newId());
  return {
    sql: `INSERT INTO case_changes (${COLUMNS}) VALUES (${NUMBERS[`${isCommittedInOrder}`]}, ?, ?, ?, ?, ?, ?)`,
    params: [...(isCommittedInOrder ? [seq, seq] : [seq]), tenant, id, type, subject_type, risk_score, at],
  };
};

/** Deletes changes that no feed shows any more, up to the limit. Returns how many. */
export const sweepChanges = async (backend: Backend, now: number, limit: number): Promise<number> => {
  const before = firstSeqAt(now - KEPT_MS);
  const sql = 'SELECT seq FROM case_changes WHERE seq < ? ORDER BY seq LIMIT ?';
  const old = await backend.readLong<{ seq: number }>(NO_TENANT, sql, before, limit);
  const last = old.at(-1)?.seq;
  if (last !== undefined) await backend.write([{ sql: 'DELETE FROM case_changes WHERE seq <= ?', params: [last] }]);
  return old.length;
};
