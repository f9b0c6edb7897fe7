import { ENTITY_KINDS, type LabelEffect, type Subject } from '@portcullis/engine';
import type { Keys } from './keys.ts';
import { labelBits } from './label-bits.ts';
import { type Compaction, RECORD_BYTES, writeLabel, writeScreening } from './record.ts';
import { NO_WRITER } from './watermarks.ts';

/** Steps for one call of the `apply` script, one per key. `scripts/apply.lua` describes the operations. */
export interface Update {
  readonly keys: readonly string[];
  /** The steps, concatenated in the order of the keys. */
  readonly bytes: Buffer;
  /** An update of the same keys, to be sent once this one has arrived. */
  readonly next?: Update | undefined;
  /** Called when it has arrived, or is lost. */
  readonly onDone?: (() => void) | undefined;
  /** Not retried. */
  readonly isOptional?: boolean;
}

export type Step = readonly [key: string, bytes: Buffer];

const STEP_HEADER = 3;
const newStep = (operation: string, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(STEP_HEADER + length);
  bytes.write(operation, 'latin1');
  bytes.writeUint16LE(length, 1);
  return bytes;
};
const stepEnd = (bytes: Buffer, at: number): number => at + STEP_HEADER + bytes.readUint16LE(at + 1);

/** Sets the activity of the record at an offset. With offset 0, Redis finds the record by its sequence number. */
export const activityStep = (kind: number, offset: number, seq: number, patch: number): Buffer => {
  const bytes = newStep('S', 18);
  bytes.writeUint32LE(offset, 3);
  bytes.writeUint16LE(RECORD_BYTES[kind] as number, 7);
  bytes[9] = 0;
  bytes.writeDoubleLE(seq, 10);
  bytes[18] = patch & 0xff;
  bytes[19] = patch >>> 8;
  bytes[20] = 0;
  return bytes;
};
/** Sets the activity of a record that was put, settles it, and renews the expiry of the key. */
export const settleStep = (kind: number, seq: number, patch: number): Buffer => {
  const bytes = activityStep(kind, 0, seq, patch);
  bytes[9] = 1;
  bytes[20] = 1;
  return bytes;
};
/** Renews the expiry of a key. */
export const RENEW_STEP = newStep('E', 0);

const LABEL_PATCH = 1 << 8;

export const cancelStep = (kind: number, seq: number): Buffer => {
  const bytes = newStep('C', 10);
  bytes.writeUint16LE(RECORD_BYTES[kind] as number, 3);
  bytes.writeDoubleLE(seq, 5);
  return bytes;
};

/**
 * Makes a step that puts a record unless it is there; a label, only where there is a history. `write` fills in the
 * record.
 */
const putStep = (kind: number, isLabel: boolean, write: (view: DataView, at: number) => void): Buffer => {
  const size = RECORD_BYTES[kind] as number;
  const bytes = newStep(isLabel ? 'L' : 'P', 2 + size);
  bytes.writeUint16LE(size, 3);
  write(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 5);
  return bytes;
};
/** Puts the record of a screening that Redis missed. */
export const screeningStep = (key: string, kind: number, subject: Subject, seq: number): Step => [
  key,
  putStep(kind, false, (view, at) => writeScreening(view, at, kind, subject, seq, NO_WRITER)),
];

/** Replaces a long tail by a new base. It may get lost: the next reader of the tail makes it again. */
export const compactStep = ({ version, folded, kept, base, through }: Compaction): Buffer => {
  const bytes = newStep('K', 18 + 8 * kept.length + base.length);
  bytes.writeUint32LE(version, 3);
  bytes.writeUint32LE(folded, 7);
  bytes.writeDoubleLE(through, 11);
  bytes.writeUint16LE(kept.length, 19);
  let at = 21;
  for (const offset of kept.flat()) at = bytes.writeUint32LE(offset, at);
  base.copy(bytes, at);
  return bytes;
};

const PROFILE = 'U'.charCodeAt(0);
const IS_RETRY = 4;
export const profileStep = (isNewDay: boolean, record: Buffer): Buffer => {
  const bytes = newStep('U', 2 + record.length);
  bytes[3] = isNewDay ? 1 : 0;
  bytes[IS_RETRY] = 0;
  record.copy(bytes, 5);
  return bytes;
};

/** Settles a record that was appended to a profile. */
export const settleProfileStep = (seq: number): Buffer => {
  const bytes = newStep('F', 8);
  bytes.writeDoubleLE(seq, 3);
  return bytes;
};

export const updateOf = (steps: readonly Step[], more: Omit<Update, 'keys' | 'bytes'> = {}): Update => ({
  keys: steps.map(([key]) => key),
  bytes: steps.length === 1 ? (steps[0] as Step)[1] : Buffer.concat(steps.map(([, bytes]) => bytes)),
  ...more,
});

/** The kinds of entities that take part in a subject. */
export const kindsIn = ({ hashes }: Subject): number[] =>
  ENTITY_KINDS.map((_, kind) => kind).filter((kind) => hashes[kind] !== 0);

/** The steps that put a label into the histories of a labelled screening, and those that settle it there. */
export const labelSteps = (keys: Keys, tenant: number, subject: Subject, label: LabelEffect, seq: number) => {
  const kinds = kindsIn(subject);
  const keyOf = (kind: number): string => keys.history(tenant, kind, subject);
  const puts = kinds.map(
    (kind): Step => [keyOf(kind), putStep(kind, true, (view, at) => writeLabel(view, at, kind, subject, label, seq))],
  );
  const settled = kinds.map((kind): Step => [keyOf(kind), settleStep(kind, seq, LABEL_PATCH | labelBits(kind, label))]);
  return { puts, settled };
};

/** Puts a label into the histories of all entities that took part in the labelled screening. */
export const labelUpdate = (keys: Keys, tenant: number, subject: Subject, label: LabelEffect, seq: number): Update => {
  const { puts, settled } = labelSteps(keys, tenant, subject, label, seq);
  return updateOf(puts, { next: updateOf(settled) });
};

/** Splits an update into one per key: the keys of a cluster are on different servers. */
export const splitByKey = ({ keys, bytes, next, onDone, isOptional = false }: Update): Update[] => {
  let left = keys.length;
  const onOneDone = onDone === undefined ? undefined : () => void (--left === 0 && onDone());
  const nexts = next === undefined ? [] : splitByKey(next);
  let at = 0;
  return keys.map((key, i): Update => {
    const from = at;
    at = stepEnd(bytes, at);
    return { keys: [key], bytes: bytes.subarray(from, at), next: nexts[i], onDone: onOneDone, isOptional };
  });
};

/** Marks the profile steps of an update that may have arrived before: Redis then checks that it appends none twice. */
export const markRetry = ({ keys, bytes }: Update): void => {
  let at = 0;
  for (let i = 0; i < keys.length; i++) {
    if (bytes[at] === PROFILE) bytes[at + IS_RETRY] = 1;
    at = stepEnd(bytes, at);
  }
};
