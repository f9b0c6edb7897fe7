import type { DatabaseSync } from 'node:sqlite';
import type { LabelValue } from '@portcullis/contract';
import {
  areReadable,
  type Facts,
  knowledgeIn,
  makeFacts,
  type Said,
  type Subject,
  subjectOf,
  unpackFacts,
} from '@portcullis/engine';

/** What the histories are a fold over, as it is stored: screenings and labels, in one order. */

/** What a subject is put together from again, as it was when it was screened. */
export interface StoredSubject {
  readonly type: Subject['type'];
  readonly screened_at: number;
  readonly request: string;
  readonly facts_version: number;
  readonly facts: Uint8Array;
}
export interface StoredScreening extends StoredSubject {
  readonly seq: number;
  readonly tenant: number;
  readonly verdict: string;
}
interface Told {
  readonly label: LabelValue;
  readonly labelled_at: number;
  readonly replaced_at: number | null;
  readonly repeats: number;
}
/** Of a screening that is gone nothing tells any more whom it was about. */
export type StoredLabel = Told & { readonly seq: number; readonly tenant: number } & (
    | StoredSubject
    | { readonly type: null }
  );

/** Of facts laid out otherwise, by an earlier version, nothing can be read: it is counted as if nothing had been known. */
export const storedSubject = (row: StoredSubject): { facts: Facts; subject: Subject } => {
  const facts = areReadable(row.facts_version) ? unpackFacts(row.facts) : makeFacts().fill(Number.NaN);
  return { facts, subject: subjectOf(row.type, JSON.parse(row.request), row.screened_at, knowledgeIn(facts)) };
};

/** What a label changes in the histories; undefined when nothing, for it repeats the one before. */
export const saidBy = ({ label, labelled_at: at, replaced_at, repeats }: Told): Said | undefined =>
  repeats === 1 ? undefined : { fraud: label === 'fraud', at, insteadOf: replaced_at ?? undefined };

const LATER_SCREENINGS =
  'SELECT seq, tenant, type, screened_at, request, verdict, facts_version, facts FROM screenings WHERE seq > ? ORDER BY seq';
const LATER_LABELS = `SELECT l.seq, l.tenant, l.label, l.labelled_at, l.replaced_at, l.repeats,
    s.type, s.screened_at, s.request, s.facts_version, s.facts
  FROM labels l LEFT JOIN screenings s ON s.seq = l.screening_seq AND s.tenant = l.tenant WHERE l.seq > ? ORDER BY l.seq`;

/** Makes what goes through all that came after a number, in its order. */
export const makeHistoryReader = (records: DatabaseSync) => {
  const screenings = records.prepare(LATER_SCREENINGS);
  const labels = records.prepare(LATER_LABELS);
  return (through: number, onScreening: (row: StoredScreening) => void, onLabel: (row: StoredLabel) => void): void => {
    const told = labels.iterate(through);
    let next = told.next();
    const labelsBefore = (seq: number): void => {
      for (; !next.done && Number(next.value.seq) < seq; next = told.next())
        onLabel(next.value as unknown as StoredLabel);
    };
    for (const row of screenings.iterate(through)) {
      labelsBefore(Number(row.seq));
      onScreening(row as unknown as StoredScreening);
    }
    labelsBefore(Number.POSITIVE_INFINITY);
  };
};
