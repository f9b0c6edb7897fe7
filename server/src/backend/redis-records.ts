import {
  addHistory,
  ENTITY_KINDS,
  HASH_BITS,
  HISTORY_LAYOUT,
  historyAt,
  LAST_AT,
  newShelf,
  type Observed,
  observe,
  observeLabel,
  RELATED_KINDS,
  RELATION_INDEXES,
  readShelf,
  type Said,
  type Slab,
  type Subject,
  shelfWords,
} from '@portcullis/engine';

/**
 * What Redis keeps of an entity, under one key: a header, a base, and a tail. The base is the history up to some point, as the bytes of a shelf that
 * holds it alone. The tail is what came since, in the order it came: records of one size, which whoever reads folds in as the local counters
 * do. So Redis only ever appends, and what a screening means is told in one place, the engine.
 */

/** A change of what is described here is a new format: keys of another format or layout are other keys, and the old ones expire. */
const FORMAT = 3;

/** How long what is known of an entity that is not seen any more is kept. No signal looks back further than 90 days. */
export const KEPT_MS = 180 * 24 * 3_600_000;

/** Keys of one entity share what stands in braces, so that a cluster keeps them in one place. Tenants never share one. */
export const makeKeys = (prefix: string) => {
  const space = `${prefix}:${HISTORY_LAYOUT}.${FORMAT}`;
  // In tens: any other base takes three times as long to write, nine times a screening.
  const name = (tenant: number, kind: number, hash: number): string => `{${tenant}:${kind}:${hash}}`;
  return {
    history: (tenant: number, kind: number, hash: number): string => `${space}:h:${name(tenant, kind, hash)}`,
    profile: (tenant: number, userHash: number): string => `${space}:p:${name(tenant, 0, userHash)}`,
    /** The same while it is made anew: `h` or `p`, by one who does so. */
    anew: (run: string, live: string): string => live.replace(`${space}:`, `${space}:${run}:`),
    live: (run: string, anew: string): string => anew.replace(`${space}:${run}:`, `${space}:`),
    /** A pattern that all keys made anew match. */
    allAnew: (run: string): string => `${space}:${run}:*`,
    /** How far each process is certain, and the number of the last one. */
    tide: `${space}:tide:{tide}`,
    writers: `${space}:writers:{tide}`,
    marker: (index: number): string => `${space}:m:{${index}}`,
  };
};
export type Keys = ReturnType<typeof makeKeys>;

/**
 * Version of the base (4 bytes), its length (4), the highest number that is in it (8), and the number up to which it was made anew, with all
 * there was (8). All numbers are little-endian.
 */
export const HEADER = 24;
const VERSION = 0;
const LENGTH = 4;
const THROUGH = 8;

/** Of a record: its number, when, dollars (of a label: when the opposite was said), then bytes, then whom it was seen with. */
const SEQ = 0;
const AT = 8;
const DOLLARS = 16;
/** What it counts as; of a label, whether fraud. Found out, and written, only once the facts were read. */
export const COUNTED = 24;
const IS_LABEL = 25;
/** 1 where it was said of this record that it stays. Those of which it is not certain are counted like any other. */
const SETTLED = 26;
/** Who wrote it: `redis-tide.ts` tells of most records whether they stay. */
const WRITER = 27;
const HASHES = 28;

const PRESENT = 2 ** HASH_BITS;
const MASK = PRESENT - 1;

/** By kind: how long a record is. */
export const RECORD_BYTES: readonly number[] = ENTITY_KINDS.map(
  (_, kind) => HASHES + 4 * (RELATION_INDEXES[kind] as readonly number[]).length,
);

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
  view.setUint32(at + COUNTED, subject.counted | (writer << 24), true);
  const relations = RELATION_INDEXES[kind] as readonly number[];
  for (let i = 0; i < relations.length; i++) {
    const hash = subject.hashes[relations[i] as number] as number;
    view.setUint32(at + HASHES + 4 * i, hash === 0 ? 0 : PRESENT | (hash & MASK), true);
  }
};

export const writeLabel = (view: DataView, at: number, kind: number, said: Said, seq: number): void => {
  view.setFloat64(at + SEQ, seq, true);
  view.setFloat64(at + AT, said.at, true);
  view.setFloat64(at + DOLLARS, said.insteadOf ?? Number.NaN, true);
  view.setUint32(at + COUNTED, (said.fraud ? 1 : 0) | (1 << 8), true);
  for (let half = at + HASHES; half < at + (RECORD_BYTES[kind] as number); half += 4) view.setUint32(half, 0, true);
};

// Reused from record to record.
const observed = { at: 0, dollars: 0, hashes: new Float64Array(RELATED_KINDS.length) } satisfies Observed;

const foldRecord = (slab: Slab, before: number, kind: number, view: DataView, at: number): number => {
  const moment = view.getFloat64(at + AT, true);
  const dollars = view.getFloat64(at + DOLLARS, true);
  if (view.getUint8(at + IS_LABEL) === 1) {
    // A label never stands alone: it is only put where there is a history.
    if (before === 0) return 0;
    const insteadOf = Number.isNaN(dollars) ? undefined : dollars;
    return observeLabel(slab, before, 0, kind, { fraud: view.getUint8(at + COUNTED) === 1, at: moment, insteadOf });
  }
  const relations = RELATION_INDEXES[kind] as readonly number[];
  observed.at = moment;
  observed.dollars = dollars;
  for (let i = 0; i < relations.length; i++)
    // With the bit that says it is there: the fold looks at the low bits, and whether it is 0.
    observed.hashes[relations[i] as number] = view.getUint32(at + HASHES + 4 * i, true);
  const shelf = before === 0 ? addHistory(slab, newShelf(slab), 0, moment) : before;
  return observe(slab, shelf, 0, kind, observed, view.getUint8(at + COUNTED));
};

/** A history as the bytes of a base. The slab's own part of them is none of anybody's business. */
export const baseOf = (slab: Slab, shelf: number): Buffer => {
  const base = Buffer.from(slab.bytes.slice(shelf * 8, (shelf + shelfWords(slab, shelf)) * 8).buffer);
  base.writeUint32LE(0, 0);
  return base;
};

/** A base that holds more than the one it was made from, to take its place. */
export interface Compacted {
  readonly version: number;
  /** Bytes of the tail that are in it now. */
  readonly folded: number;
  readonly base: Buffer;
  readonly through: number;
}
export const throughBytes = (through: number): Buffer => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(through);
  return bytes;
};

/** A tail longer than this is worth folding for good; one longer than the other also where not all of it is settled: who should have is gone. */
const COMPACT_FROM = 24;
const FORCED_FROM = 128;
const WORTHWHILE = 12;

/** Whether what a process counted under a number stays. */
export type IsCertain = (writer: number, seq: number) => boolean;

/** How many records from the first on may be folded for good. */
const foldable = (
  view: DataView,
  first: number,
  size: number,
  records: number,
  from: number,
  isCertain: IsCertain,
): number => {
  if (records <= from) return 0;
  if (records > FORCED_FROM) return records;
  const stays = (at: number): boolean =>
    view.getUint8(at + SETTLED) === 1 || isCertain(view.getUint8(at + WRITER), view.getFloat64(at + SEQ, true));
  let settled = 0;
  while (settled < records && stays(first + settled * size)) settled++;
  return settled >= Math.min(WORTHWHILE, from) ? settled : 0;
};

/** The tail of a profile this long, in bytes, is folded for good: some twenty screenings. */
export const LONG_PROFILE = 2048;

/** The value under a key is not one of ours, or was cut short. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

/** Puts a history into a slab, and answers with where; 0 where there is none. Tells what base could take the place of a long tail. */
export const readHistory = (
  slab: Slab,
  kind: number,
  value: Buffer,
  isCertain: IsCertain,
  onLong: (compacted: Compacted) => void,
  compactFrom = COMPACT_FROM,
): number => {
  const size = RECORD_BYTES[kind] as number;
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const length = value.length < HEADER ? 0 : view.getUint32(LENGTH, true);
  const first = HEADER + length;
  if (value.length < first || (value.length - first) % size !== 0)
    throw new Unreadable('a history in Redis is not what was written there');
  let shelf = length === 0 ? 0 : readShelf(slab, value.subarray(HEADER, first));
  const records = (value.length - first) / size;
  const folding = foldable(view, first, size, records, compactFrom, isCertain);
  let through = view.getFloat64(THROUGH, true);
  for (let i = 0; i < records; i++) {
    const at = first + i * size;
    shelf = foldRecord(slab, shelf, kind, view, at);
    if (i < folding) through = Math.max(through, view.getFloat64(at + SEQ, true));
    if (i === folding - 1)
      onLong({
        version: view.getUint32(VERSION, true),
        folded: folding * size,
        base: baseOf(slab, shelf),
        through,
      });
  }
  return shelf;
};

const DAY_MS = 24 * 3_600_000;
/** Whether the entity is seen for the first time on a day: then its key is given its time anew, which done every time would be a write more. */
export const isNewDay = (slab: Slab, shelf: number, moment: number): boolean =>
  Math.floor((slab.f64[historyAt(slab, shelf, 0) + LAST_AT] as number) / DAY_MS) !== Math.floor(moment / DAY_MS);
