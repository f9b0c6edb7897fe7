import {
  ACTIVITIES,
  type Arena,
  addHistory,
  ENTITY_KINDS,
  HASH_BITS,
  historyAt,
  LAST_AT,
  type LabelEffect,
  newEntityGroup,
  observe,
  observeLabel,
  RELATED_KINDS,
  RELATION_INDEXES,
  type Subject,
} from '@portcullis/engine';
import { baseOf, DamagedValue, readBase } from './base.ts';
import { LABEL_BITS, labelBits, labelIn } from './label-bits.ts';

/**
 * The value of an entity's key: a header, a base and a tail. The base is the history up to some point, as the bytes
 * of an entity group that holds only it. The tail holds later records of a fixed size in order of arrival. A reader
 * folds them into the base as the local counters do. So Redis only appends bytes, and only the engine knows what a
 * screening means.
 */

/**
 * Bytes of the header, all little-endian: version of the base (4), its length (4), the highest sequence number in it
 * (8), and the sequence number up to which a rebuild has counted every stored record (8).
 */
export const HEADER = 24;
const VERSION = 0;
const LENGTH = 4;
const THROUGH = 8;

/**
 * Offsets in a record: sequence number, time, dollars (in a label: the time of the label it replaces), four single
 * bytes, a checksum of all except those bytes, then the ids of related entities.
 */
const SEQ = 0;
const AT = 8;
const DOLLARS = 16;
/**
 * Index of the activity, patched after the facts were read: it may depend on them; with FLAGS. In a label: the bits of
 * `labelBits`.
 */
export const ACTIVITY = 24;
const IS_LABEL = 25;
/** 1 where this record was settled individually. Unsettled records are counted too. */
const SETTLED = 26;
/** The number of the writer. Most records are settled by their writer's watermark (`watermarks.ts`). */
const WRITER = 27;
const CHECKSUM = 28;
const HASHES = 32;

const PRESENT = 2 ** HASH_BITS;
const MASK = PRESENT - 1;

/** Set beside the activity of a failed attempt. */
const FAILED = 0x80;
/** Set beside the activity of an imported item. */
const IMPORTED = 0x40;
const FLAGS = FAILED | IMPORTED;
/** The byte at ACTIVITY of a screening, with the activity of `activityOf`. */
export const activityByte = ({ isFailed, isImported }: Subject, activity: number): number =>
  activity | (isFailed ? FAILED : 0) | (isImported ? IMPORTED : 0);

/** The length of a record, by kind of entity. */
export const RECORD_BYTES: readonly number[] = ENTITY_KINDS.map(
  (_, kind) => HASHES + 4 * (RELATION_INDEXES[kind] as readonly number[]).length,
);

/** Differs for a changed byte for certain. The single bytes are not included: Redis patches them. */
const recordChecksum = (view: DataView, at: number, kind: number): number => {
  let sum = 0x5eed1e55;
  for (let word = at; word < at + ACTIVITY; word += 4) sum = ((sum << 1) | (sum >>> 31)) ^ view.getInt32(word, true);
  const end = at + (RECORD_BYTES[kind] as number);
  for (let word = at + HASHES; word < end; word += 4) sum = ((sum << 1) | (sum >>> 31)) ^ view.getInt32(word, true);
  return sum >>> 0;
};

const isIntactRecord = (view: DataView, at: number, kind: number): boolean =>
  view.getUint32(at + CHECKSUM, true) === recordChecksum(view, at, kind) &&
  view.getUint8(at + IS_LABEL) <= 1 &&
  (view.getUint8(at + IS_LABEL) === 1
    ? view.getUint8(at + ACTIVITY) < LABEL_BITS
    : (view.getUint8(at + ACTIVITY) & ~FLAGS) < ACTIVITIES.length) &&
  view.getUint8(at + SETTLED) <= 1;

const writeHashes = (view: DataView, at: number, kind: number, { hashes }: Subject): void => {
  const relations = RELATION_INDEXES[kind] as readonly number[];
  for (let i = 0; i < relations.length; i++) {
    const hash = hashes[relations[i] as number] as number;
    view.setUint32(at + HASHES + 4 * i, hash === 0 ? 0 : PRESENT | (hash & MASK), true);
  }
  view.setUint32(at + CHECKSUM, recordChecksum(view, at, kind), true);
};

export const writeScreening = (
  view: DataView,
  at: number,
  kind: number,
  subject: Subject,
  seq: number,
  writer: number,
): void => {
  view.setFloat64(at + SEQ, seq, true);
  view.setFloat64(at + AT, subject.at, true);
  view.setFloat64(at + DOLLARS, subject.dollars, true);
  view.setUint32(at + ACTIVITY, activityByte(subject, subject.activity) | (writer << 24), true);
  writeHashes(view, at, kind, subject);
};

export const writeLabel = (
  view: DataView,
  at: number,
  kind: number,
  subject: Subject,
  label: LabelEffect,
  seq: number,
): void => {
  view.setFloat64(at + SEQ, seq, true);
  view.setFloat64(at + AT, label.at, true);
  view.setFloat64(at + DOLLARS, label.insteadOf?.at ?? Number.NaN, true);
  view.setUint32(at + ACTIVITY, labelBits(kind, label) | (1 << 8), true);
  writeHashes(view, at, kind, subject);
};

// Reused for every record.
const observed = {
  at: 0,
  dollars: 0,
  isFailed: false,
  isImported: false,
  hashes: new Float64Array(RELATED_KINDS.length),
};

const foldRecord = (arena: Arena, before: number, kind: number, view: DataView, at: number): number => {
  if (!isIntactRecord(view, at, kind)) throw new DamagedValue();
  const moment = view.getFloat64(at + AT, true);
  const dollars = view.getFloat64(at + DOLLARS, true);
  const byte = view.getUint8(at + ACTIVITY);
  const relations = RELATION_INDEXES[kind] as readonly number[];
  for (let i = 0; i < relations.length; i++)
    // Includes the PRESENT bit: `observe` reads the low bits, and whether the hash is 0.
    observed.hashes[relations[i] as number] = view.getUint32(at + HASHES + 4 * i, true);
  if (view.getUint8(at + IS_LABEL) === 1) {
    // Labels are only put where there is a history. One that a cancelled screening left behind is ignored.
    if (before === 0) return 0;
    return observeLabel(arena, before, 0, kind, observed.hashes, labelIn(kind, byte, moment, dollars));
  }
  observed.at = moment;
  observed.dollars = dollars;
  observed.isFailed = (byte & FAILED) !== 0;
  observed.isImported = (byte & IMPORTED) !== 0;
  const group = before === 0 ? addHistory(arena, newEntityGroup(arena), kind, 0, 0, moment) : before;
  return observe(arena, group, 0, kind, observed, byte & ~FLAGS);
};

/** A new base that holds records of the tail too. */
export interface Compaction {
  /** Version of the base that it replaces. */
  readonly version: number;
  /** Bytes of the tail that it replaces. */
  readonly folded: number;
  /** Records among these bytes that the new base does not hold: where each starts and ends in the tail. */
  readonly kept: readonly (readonly [from: number, to: number])[];
  readonly base: Buffer;
  /** The highest sequence number in the new base. */
  readonly through: number;
}
export const encodeSeq = (seq: number): Buffer => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(seq);
  return bytes;
};

/** A tail of more records is compacted. */
const COMPACT_FROM = 24;
/**
 * In a tail of more records, settled records are compacted before unsettled ones that arrived earlier. Otherwise one
 * record of a process that has ended would let the tail grow.
 */
const OUT_OF_ORDER_FROM = 128;
/**
 * A tail of more records is compacted even if unsettled. It bounds the length of a tail, not its exactness: a retry of
 * a compacted record would count it twice. A process has fewer records of one entity without an answer.
 */
const FORCED_FROM = 1024;
/** A compaction of fewer records is not worth a write. */
const WORTHWHILE = 12;

/** Whether the screening that a writer counted under a sequence number is known to be stored or cancelled. */
export type IsSettled = (writer: number, seq: number) => boolean;

/** Positions of records in a value: those that a new base will hold, and the others. */
export interface Split {
  readonly compacted: number[];
  readonly kept: number[];
}

/** Splits a tail. Records are compacted in the order of arrival, unless `isOutOfOrder`. */
export const splitRecords = (
  positions: Iterable<number>,
  isFinal: (at: number) => boolean,
  isOutOfOrder: boolean,
): Split => {
  const split: Split = { compacted: [], kept: [] };
  for (const at of positions) {
    const mayPass = isOutOfOrder || split.kept.length === 0;
    (mayPass && isFinal(at) ? split.compacted : split.kept).push(at);
  }
  return split;
};

/** Splits a long tail; undefined where a compaction is not due or not worthwhile. */
const splitTail = (
  view: DataView,
  first: number,
  size: number,
  from: number,
  isSettled: IsSettled,
): Split | undefined => {
  const records = (view.byteLength - first) / size;
  if (records <= from) return undefined;
  const isFinal = (at: number): boolean =>
    records > FORCED_FROM ||
    view.getUint8(at + SETTLED) === 1 ||
    isSettled(view.getUint8(at + WRITER), view.getFloat64(at + SEQ, true));
  const positions = Array.from({ length: records }, (_, i) => first + i * size);
  const split = splitRecords(positions, isFinal, records > OUT_OF_ORDER_FROM);
  const { length } = split.compacted;
  return length > 0 && length >= Math.min(WORTHWHILE, from) ? split : undefined;
};

/** A profile's tail longer than this, in bytes, is compacted: some twenty screenings. */
export const LONG_PROFILE = 2048;

/**
 * Reads a history into an arena and returns its position, 0 where there is none. Calls `onLong` with the compaction
 * of a long tail.
 */
export const readHistory = (
  arena: Arena,
  kind: number,
  value: Buffer,
  isSettled: IsSettled,
  onLong: (compaction: Compaction) => void,
  compactFrom = COMPACT_FROM,
): number => {
  const size = RECORD_BYTES[kind] as number;
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const length = value.length < HEADER ? 0 : view.getUint32(LENGTH, true);
  const first = HEADER + length;
  if (value.length < Math.max(first, HEADER) || (value.length - first) % size !== 0) throw new DamagedValue();
  let group = length === 0 ? 0 : readBase(arena, value.subarray(HEADER, first));
  const split = splitTail(view, first, size, compactFrom, isSettled);
  if (split === undefined) {
    for (let at = first; at < value.length; at += size) group = foldRecord(arena, group, kind, view, at);
    return group;
  }
  let through = view.getFloat64(THROUGH, true);
  for (const at of split.compacted) {
    group = foldRecord(arena, group, kind, view, at);
    through = Math.max(through, view.getFloat64(at + SEQ, true));
  }
  onLong({
    version: view.getUint32(VERSION, true),
    folded: value.length - first,
    kept: split.kept.map((at) => [at - first, at - first + size]),
    base: baseOf(arena, group),
    through,
  });
  for (const at of split.kept) group = foldRecord(arena, group, kind, view, at);
  return group;
};

const DAY_MS = 24 * 3_600_000;
/**
 * Whether this is the entity's first screening of a day. Only then is the expiry of its key renewed, which saves a
 * write every other time.
 */
export const isNewDay = (arena: Arena, group: number, moment: number): boolean =>
  Math.floor((arena.f64[historyAt(arena, group, 0) + LAST_AT] as number) / DAY_MS) !== Math.floor(moment / DAY_MS);
