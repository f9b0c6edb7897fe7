import type { DecisionValue, LabelOrigin, LabelValue, SubjectType } from '@portcullis/contract';
import type { Backend, Statement, Value } from '../backend/backend.ts';
import { firstSeqAt } from '../ids.ts';

export interface LabelRow {
  readonly seq: number;
  readonly id: string;
  readonly screening_id: string;
  readonly subject_type: SubjectType;
  readonly label: LabelValue;
  readonly origin: LabelOrigin;
  readonly source: string;
  readonly author: string;
  readonly notes: string | null;
  readonly occurred_at: number | null;
  readonly labelled_at: number;
}

/** What of a label the histories are changed by. */
export interface Counted {
  /** Since when the histories count what it says: since it was given, or since the one that it repeats was. */
  readonly counted_at: number;
  /** Where the opposite was in force: since when that was counted. */
  readonly replaced_at: number | null;
  /** 1 when the label before it says the same. */
  readonly repeats: 0 | 1;
}

/** What a training needs of the screening, and nobody is named by. */
export interface Kept {
  readonly screened_at: number;
  readonly request: string;
  readonly score: number;
  readonly decision: DecisionValue;
  readonly model_version: string | null;
  readonly facts_version: number;
  readonly facts: Uint8Array;
}

const TOLD = 'seq, id, screening_id, subject_type, label, origin, source, author, notes, occurred_at, labelled_at';
const INSERT = `INSERT INTO labels (${TOLD}, tenant, screening_seq, counted_at, replaced_at, repeats,
    screened_at, request, score, decision, model_version, facts_version, facts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export const insertLabel = (
  tenant: number,
  screeningSeq: number,
  row: LabelRow,
  counted: Counted,
  kept: Kept,
): Statement => ({
  sql: INSERT,
  params: [
    row.seq,
    row.id,
    row.screening_id,
    row.subject_type,
    row.label,
    row.origin,
    row.source,
    row.author,
    row.notes,
    row.occurred_at,
    row.labelled_at,
    tenant,
    screeningSeq,
    counted.counted_at,
    counted.replaced_at,
    counted.repeats,
    kept.screened_at,
    kept.request,
    kept.score,
    kept.decision,
    kept.model_version,
    kept.facts_version,
    kept.facts,
  ],
});

export interface LastLabel {
  readonly label: LabelValue;
  readonly counted_at: number;
}

/** The label of a screening that is in force. */
export const lastLabel = async (
  backend: Backend,
  tenant: number,
  screeningSeq: number,
): Promise<LastLabel | undefined> =>
  (
    await backend.read<LastLabel>(
      'SELECT label, counted_at FROM labels WHERE tenant = ? AND screening_seq = ? ORDER BY seq DESC LIMIT 1',
      tenant,
      screeningSeq,
    )
  )[0];

export const findLabel = async (
  backend: Backend,
  tenant: number,
  seq: number,
  id: string,
): Promise<LabelRow | undefined> =>
  (
    await backend.read<LabelRow>(`SELECT ${TOLD} FROM labels WHERE seq = ? AND id = ? AND tenant = ?`, seq, id, tenant)
  )[0];

export interface LabelFilter {
  readonly screening?: { readonly id: string; readonly seq: number; readonly type: SubjectType } | undefined;
  readonly since?: number | undefined;
  readonly before?: number | undefined;
}

export const listLabelRows = (
  backend: Backend,
  tenant: number,
  { screening, since, before }: LabelFilter,
  limit: number,
): Promise<LabelRow[]> => {
  const conditions = ['tenant = ?'];
  const params: Value[] = [tenant];
  if (screening !== undefined) {
    conditions.push('screening_seq = ?', 'screening_id = ?', 'subject_type = ?');
    params.push(screening.seq, screening.id, screening.type);
  }
  if (since !== undefined) {
    // Found by number, which is never of an earlier moment than the label: else all that are older would be looked at too.
    conditions.push('seq >= ?', 'labelled_at >= ?');
    params.push(firstSeqAt(since), since);
  }
  if (before !== undefined) {
    conditions.push('seq < ?');
    params.push(before);
  }
  return backend.read<LabelRow>(
    `SELECT ${TOLD} FROM labels WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`,
    ...params,
    limit,
  );
};
