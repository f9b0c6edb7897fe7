import type { DatabaseSync } from 'node:sqlite';
import type { LabelReason, LabelValue, SubjectType } from '@portcullis/contract';
import type { LabelEffect } from '@portcullis/engine';
import {
  actorKinds,
  areFactsReadable,
  type Facts,
  type IdentitiesOf,
  knowledgeIn,
  makeFacts,
  type Subject,
  subjectOf,
  unpackFacts,
} from '@portcullis/engine/stored';
import { isErased } from './erased-request.ts';
import { LATER_LABELS, LATER_SCREENINGS, NEWEST_SEQ } from './journal-sql.ts';

/**
 * The journal is the tables `screenings` and `labels`, numbered by one sequence. Histories are a fold over it. Its
 * entries, and how the embedded store reads them; `journal-pages.ts` reads them from any store.
 */

/** The columns of a screening that restore its subject. */
export interface StoredSubject {
  readonly type: SubjectType;
  readonly screened_at: number;
  readonly request: string;
  readonly facts_version: number;
  readonly facts: Uint8Array;
  /** 1 if it happened before it was stored. */
  readonly imported: number;
}
export interface ScreeningRow extends StoredSubject {
  readonly id: string;
  readonly verdict: string;
  readonly ruleset_version: string;
}
/** Finds a screening of the tenant that is still retained. */
export type FindScreening = (tenant: number, id: string) => Promise<ScreeningRow | undefined>;

export interface StoredScreening extends StoredSubject {
  readonly seq: number;
  readonly tenant: number;
  readonly verdict: string;
}
interface LabelColumns {
  readonly label: LabelValue;
  readonly reason: LabelReason | null;
  readonly labelled_at: number;
  readonly counted_at: number;
  readonly replaced_at: number | null;
  readonly replaced_reason: LabelReason | null;
  readonly repeats: number;
  readonly actors: number | null;
  readonly replaced_actors: number | null;
}
/** `type` is null when the screening was deleted: the entities of the label are then unknown. */
export type StoredLabel = LabelColumns & { readonly seq: number; readonly tenant: number } & (
    | StoredSubject
    | { readonly type: null }
  );

export interface RestoredSubject {
  readonly facts: Facts;
  readonly subject: Subject;
}
/** Restores the subject of a tenant's screening, and its facts. */
export type RestoreSubject = (tenant: number, row: StoredSubject) => RestoredSubject;

/** An erased screening belongs to no history: counted in that of anything it names, it would give away a part of the person. */
const withoutEntities = (subject: Subject): Subject => {
  const none = subject.hashes.map(() => 0);
  return { ...subject, hashes: none, checks: none };
};

/** A caller that has done with the facts when it restores the next subject passes the same array each time. */
export const makeRestoreSubject =
  (identities: IdentitiesOf, newFacts: () => Facts = makeFacts): RestoreSubject =>
  (tenant, row) => {
    const facts = newFacts();
    if (areFactsReadable(row.facts_version)) unpackFacts(row.facts, facts);
    // Facts of an unreadable version are treated as all unknown.
    else facts.fill(Number.NaN);
    const request = JSON.parse(row.request);
    const known = knowledgeIn(facts);
    const subject = subjectOf(identities(tenant), row.type, request, row.screened_at, known, row.imported === 1);
    return { facts, subject: isErased(row) ? withoutEntities(subject) : subject };
  };

/** The kinds that a label blames: those that its row says, else those that follow from the facts of its screening. */
const actorsOf = (
  { subject, facts }: RestoredSubject,
  fraud: boolean,
  stored: number | null,
  reason: LabelReason | undefined,
): number => (fraud ? (stored ?? actorKinds(subject, facts, reason)) : 0);

/**
 * The change that a label makes to histories, with the subject and the facts of its screening; undefined when it repeats
 * the label before it with the same reason.
 */
export const labelEffectOf = (row: LabelColumns, of: RestoredSubject): LabelEffect | undefined => {
  const fraud = row.label === 'fraud';
  const reason = row.reason ?? undefined;
  const replacedReason = row.replaced_reason ?? undefined;
  const isRepeated = row.repeats === 1;
  if (isRepeated && reason === replacedReason) return undefined;
  const actors = actorsOf(of, fraud, row.actors, reason);
  const replacedAt = isRepeated ? row.counted_at : row.replaced_at;
  const wasFraud = isRepeated ? fraud : !fraud;
  const insteadOf =
    replacedAt === null
      ? undefined
      : {
          fraud: wasFraud,
          at: replacedAt,
          reason: replacedReason,
          actors: actorsOf(of, wasFraud, row.replaced_actors, replacedReason),
        };
  return { fraud, at: isRepeated ? row.counted_at : row.labelled_at, reason, actors, insteadOf };
};

const readSeq = (records: DatabaseSync, sql: string): number => Number(records.prepare(sql).get()?.seq ?? 0);
export const newestSeq = (records: DatabaseSync): number => readSeq(records, NEWEST_SEQ);
/** 0 when there are no screenings. */
export const newestScreeningSeq = (records: DatabaseSync): number =>
  readSeq(records, 'SELECT MAX(seq) AS seq FROM screenings');

/** 0 when there are no screenings. */
export const oldestScreeningSeq = (records: DatabaseSync): number =>
  readSeq(records, 'SELECT MIN(seq) AS seq FROM screenings');

/** Every stored screening, of all tenants, in order. */
export const allScreenings = (records: DatabaseSync): Iterable<StoredScreening> =>
  records.prepare(`${LATER_SCREENINGS} ORDER BY seq`).iterate(0) as Iterable<unknown> as Iterable<StoredScreening>;

/** Returns a function that visits every entry numbered above `through`, in order. */
export const makeJournalReader = (records: DatabaseSync) => {
  const screenings = records.prepare(`${LATER_SCREENINGS} ORDER BY seq`);
  const labels = records.prepare(`${LATER_LABELS} ORDER BY l.seq`);
  return (through: number, onScreening: (row: StoredScreening) => void, onLabel: (row: StoredLabel) => void): void => {
    const laterLabels = labels.iterate(through);
    let next = laterLabels.next();
    const visitLabelsBefore = (seq: number): void => {
      for (; !next.done && Number(next.value.seq) < seq; next = laterLabels.next())
        onLabel(next.value as unknown as StoredLabel);
    };
    for (const row of screenings.iterate(through)) {
      visitLabelsBefore(Number(row.seq));
      onScreening(row as unknown as StoredScreening);
    }
    visitLabelsBefore(Number.POSITIVE_INFINITY);
  };
};
