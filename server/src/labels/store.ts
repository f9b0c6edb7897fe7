import type { DecisionValue, LabelOrigin, LabelReason, LabelValue, SubjectType } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Page, type Statement, type Value } from '../backend/backend.ts';
import { firstSeqAt } from '../runtime/ids.ts';

export interface LabelRow {
  readonly seq: number;
  readonly id: string;
  readonly screening_id: string;
  readonly subject_type: SubjectType;
  readonly label: LabelValue;
  /** From the request, or from the fraud label that this one repeats. */
  readonly reason: LabelReason | null;
  readonly origin: LabelOrigin;
  readonly source: string;
  readonly author: string;
  readonly notes: string | null;
  readonly occurred_at: number | null;
  readonly labelled_at: number;
}

/** The columns of a label that determine its effect on histories. */
export interface EffectColumns {
  /** When histories began to count this value: when the label was given, or the label that it repeats. */
  readonly counted_at: number;
  /** `counted_at` of the opposite label that this one replaces; null when there is none. */
  readonly replaced_at: number | null;
  /** The reason of the previous label of the item. */
  readonly replaced_reason: LabelReason | null;
  /** 1 when the previous label of the item has the same value. */
  readonly repeats: 0 | 1;
  /** The kinds of entity that this label blames, and those that the previous one does. */
  readonly actors: number;
  readonly replaced_actors: number;
}

/** The columns of a screening that a training needs. None of them identifies a person. */
export interface TrainingSnapshot {
  readonly screened_at: number;
  readonly request: string;
  readonly score: number;
  readonly decision: DecisionValue;
  readonly model_version: string | null;
  readonly facts_version: number;
  readonly facts: Uint8Array;
}

const COLUMNS =
  'seq, id, screening_id, subject_type, label, reason, origin, source, author, notes, occurred_at, labelled_at';
const INSERT = `INSERT INTO labels (${COLUMNS}, tenant, screening_seq, counted_at, replaced_at, replaced_reason, repeats,
    actors, replaced_actors, screened_at, request, score, decision, model_version, facts_version, facts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export const insertLabel = (
  tenant: number,
  screeningSeq: number,
  row: LabelRow,
  effect: EffectColumns,
  snapshot: TrainingSnapshot,
): Statement => ({
  sql: INSERT,
  params: [
    row.seq,
    row.id,
    row.screening_id,
    row.subject_type,
    row.label,
    row.reason,
    row.origin,
    row.source,
    row.author,
    row.notes,
    row.occurred_at,
    row.labelled_at,
    tenant,
    screeningSeq,
    effect.counted_at,
    effect.replaced_at,
    effect.replaced_reason,
    effect.repeats,
    effect.actors,
    effect.replaced_actors,
    snapshot.screened_at,
    snapshot.request,
    snapshot.score,
    snapshot.decision,
    snapshot.model_version,
    snapshot.facts_version,
    snapshot.facts,
  ],
});

export interface LastLabel {
  readonly label: LabelValue;
  readonly reason: LabelReason | null;
  readonly counted_at: number;
  /** Null when an earlier version stored it. */
  readonly actors: number | null;
  /** Number of labels of the screening. */
  readonly labels: number;
}

/** Returns the label in force of a screening. */
export const lastLabel = async (
  backend: Backend,
  tenant: number,
  screeningSeq: number,
): Promise<LastLabel | undefined> =>
  (
    await backend.read<LastLabel>(
      `SELECT label, reason, counted_at, actors, (SELECT COUNT(*) FROM labels WHERE tenant = ? AND screening_seq = ?) AS labels
        FROM labels WHERE tenant = ? AND screening_seq = ? ORDER BY seq DESC LIMIT 1`,
      tenant,
      screeningSeq,
      tenant,
      screeningSeq,
    )
  )[0];

/** The screenings among `numbers` that have a label. */
export const labelledAmong = async (
  backend: Backend,
  tenant: number,
  numbers: readonly number[],
): Promise<Set<number>> => {
  const rows = await backend.readLong<{ screening_seq: number }>(
    tenant,
    `SELECT DISTINCT screening_seq FROM labels WHERE tenant = ? AND screening_seq IN (${numbers.map(() => '?').join(', ')})`,
    tenant,
    ...numbers,
  );
  return new Set(rows.map((row) => row.screening_seq));
};

export const findLabel = async (
  backend: Backend,
  tenant: number,
  seq: number,
  id: string,
): Promise<LabelRow | undefined> =>
  (
    await backend.read<LabelRow>(
      `SELECT ${COLUMNS} FROM labels WHERE seq = ? AND id = ? AND tenant = ?`,
      seq,
      id,
      tenant,
    )
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
): Promise<Page<LabelRow>> => {
  const conditions = ['tenant = ?'];
  const params: Value[] = [tenant];
  if (screening !== undefined) {
    conditions.push('screening_seq = ?', 'screening_id = ?', 'subject_type = ?');
    params.push(screening.seq, screening.id, screening.type);
  }
  if (since !== undefined) {
    // A number is never older than its label, so `seq` lets the index skip all older labels.
    conditions.push('seq >= ?', 'labelled_at >= ?');
    params.push(firstSeqAt(since), since);
  }
  if (before !== undefined) {
    conditions.push('seq < ?');
    params.push(before);
  }
  return backend.readPage<LabelRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM labels WHERE ${conditions.join(' AND ')} ORDER BY seq DESC`,
    ...params,
  );
};

/** The stored facts of the labels of a screening. */
export const factsOfLabels = (
  backend: Pick<Backend, 'read'>,
  tenant: number,
  screeningSeq: number,
): Promise<{ readonly seq: number; readonly facts_version: number; readonly facts: Uint8Array }[]> =>
  backend.read(
    'SELECT seq, facts_version, facts FROM labels WHERE tenant = ? AND screening_seq = ?',
    tenant,
    screeningSeq,
  );

/** Deletes the notes of a label, and replaces its facts. */
export const replaceFacts = (tenant: number, seq: number, facts: Uint8Array): Statement => ({
  sql: 'UPDATE labels SET notes = NULL, facts = ? WHERE tenant = ? AND seq = ?',
  params: [facts, tenant, seq],
});

/** Numbers of the oldest labels below one. */
export const oldestLabels = async (backend: Backend, before: number, limit: number): Promise<number[]> =>
  (
    await backend.readLong<{ seq: number }>(
      NO_TENANT,
      'SELECT seq FROM labels WHERE seq < ? ORDER BY seq LIMIT ?',
      before,
      limit,
    )
  ).map(({ seq }) => seq);

export const deleteLabel = (seq: number): Statement => ({ sql: 'DELETE FROM labels WHERE seq = ?', params: [seq] });
