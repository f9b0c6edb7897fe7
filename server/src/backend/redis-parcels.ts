import { ENTITY_KINDS, type Said, type Subject } from '@portcullis/engine';
import { LABEL_PATCH, type Parcel, PUT_RECORD_AT, parcelOf, putStep, type Step, settleStep } from './redis-outbox.ts';
import { type Keys, writeLabel, writeScreening } from './redis-records.ts';
import { NO_WRITER } from './redis-tide.ts';

/** What Redis is told of a whole subject. */

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength);

/** Puts a screening where it was missed. */
export const missedStep = (key: string, kind: number, subject: Subject, seq: number): Step => {
  const step = putStep(kind, false);
  writeScreening(viewOf(step), PUT_RECORD_AT, kind, subject, seq, NO_WRITER);
  return [key, step];
};

/** A label, to all who took part in what it is about. */
export const labelParcel = (keys: Keys, tenant: number, subject: Subject, said: Said, seq: number): Parcel => {
  const kinds = ENTITY_KINDS.map((_, kind) => kind).filter((kind) => subject.hashes[kind] !== 0);
  const keyOf = (kind: number): string => keys.history(tenant, kind, subject.hashes[kind] as number);
  const puts = kinds.map((kind): Step => {
    const step = putStep(kind, true);
    writeLabel(viewOf(step), PUT_RECORD_AT, kind, said, seq);
    return [keyOf(kind), step];
  });
  const patch = LABEL_PATCH | (said.fraud ? 1 : 0);
  const settled = kinds.map((kind): Step => [keyOf(kind), settleStep(kind, seq, patch)]);
  return parcelOf(puts, { after: parcelOf(settled) });
};
