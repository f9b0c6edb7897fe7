import { type Link, Refused } from './redis-link.ts';
import { type Compacted, RECORD_BYTES } from './redis-records.ts';

/**
 * What Redis is told without anybody waiting for it: whether what it counted stays, and what was screened or labelled while it was away. What it
 * does not take is kept, up to a limit, and told again when it answers.
 */

/** Steps for `apply`: one for each key, one behind the other. */
export interface Parcel {
  readonly keys: readonly string[];
  readonly bytes: Buffer;
  /** To be told of the same keys, only when this is known to have arrived. */
  readonly after?: Parcel | undefined;
  /** When it has arrived, or is lost. */
  readonly onTold?: (() => void) | undefined;
  /** Not told again where it does not arrive. */
  readonly isOptional?: boolean;
}

export type Step = readonly [key: string, bytes: Buffer];

const stepOf = (op: string, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(3 + length);
  bytes.write(op, 'latin1');
  bytes.writeUint16LE(length, 1);
  return bytes;
};

/** The record appended at an offset counts as said; 0 where only its number tells where it is. `renews` gives the key its time anew. */
export const countStep = (kind: number, offset: number, renews: boolean, seq: number, patch: number): Buffer => {
  const bytes = stepOf('S', 18);
  bytes.writeUint32LE(offset, 3);
  bytes.writeUint16LE(RECORD_BYTES[kind] as number, 7);
  bytes[9] = renews ? 1 : 0;
  bytes.writeDoubleLE(seq, 10);
  bytes[18] = patch & 0xff;
  bytes[19] = patch >>> 8;
  bytes[20] = 0;
  return bytes;
};
/** The record that was put where it was missing counts as said, and stays. */
export const settleStep = (kind: number, seq: number, patch: number): Buffer => {
  const bytes = countStep(kind, 0, true, seq, patch);
  bytes[20] = 1;
  return bytes;
};
export const LABEL_PATCH = 1 << 8;

export const cancelStep = (kind: number, seq: number): Buffer => {
  const bytes = stepOf('C', 10);
  bytes.writeUint16LE(RECORD_BYTES[kind] as number, 3);
  bytes.writeDoubleLE(seq, 5);
  return bytes;
};

/** Puts a record where it is not yet; for a label, only where there is a history. The record is for the caller to write, from byte 5 on. */
export const PUT_RECORD_AT = 5;
export const putStep = (kind: number, isLabel: boolean): Buffer => {
  const size = RECORD_BYTES[kind] as number;
  const bytes = stepOf(isLabel ? 'L' : 'P', 2 + size);
  bytes.writeUint16LE(size, 3);
  return bytes;
};

/** A base in place of a long tail. Whoever reads that tail next can do the same: it need not arrive. */
export const compactStep = ({ version, folded, base, through }: Compacted): Buffer => {
  const bytes = stepOf('K', 16 + base.length);
  bytes.writeUint32LE(version, 3);
  bytes.writeUint32LE(folded, 7);
  bytes.writeDoubleLE(through, 11);
  base.copy(bytes, 19);
  return bytes;
};

const PROFILE = 'U'.charCodeAt(0);
const AGAIN = 4;
export const profileStep = (isNewDay: boolean, record: Buffer): Buffer => {
  const bytes = stepOf('U', 2 + record.length);
  bytes[3] = isNewDay ? 1 : 0;
  bytes[AGAIN] = 0;
  record.copy(bytes, 5);
  return bytes;
};

export const parcelOf = (steps: readonly Step[], more: Omit<Parcel, 'keys' | 'bytes'> = {}): Parcel => ({
  keys: steps.map(([key]) => key),
  bytes: steps.length === 1 ? (steps[0] as Step)[1] : Buffer.concat(steps.map(([, bytes]) => bytes)),
  ...more,
});

/** One parcel for each key: those of a cluster live in different places. */
const split = ({ keys, bytes, after, onTold, isOptional = false }: Parcel): Parcel[] => {
  let left = keys.length;
  const oneTold = onTold === undefined ? undefined : () => void (--left === 0 && onTold());
  const afters = after === undefined ? [] : split(after);
  let at = 0;
  return keys.map((key, i): Parcel => {
    const from = at;
    at += 3 + bytes.readUint16LE(at + 1);
    return { keys: [key], bytes: bytes.subarray(from, at), after: afters[i], onTold: oneTold, isOptional };
  });
};

/** What may have arrived before: a profile must not take it twice. */
const markAgain = ({ keys, bytes }: Parcel): void => {
  let at = 0;
  for (let i = 0; i < keys.length; i++) {
    if (bytes[at] === PROFILE) bytes[at + AGAIN] = 1;
    at += 3 + bytes.readUint16LE(at + 1);
  }
};

const allTold = ({ onTold, after }: Parcel): void => {
  onTold?.();
  if (after !== undefined) allTold(after);
};

/** Nobody waits for it, and each call costs as much as some screenings do. */
const GATHER_MS = 2;
/** Parcels told in one call. */
const TOGETHER = 64;
/** How many of those that were kept may stay in the list when they are told. */
const MOST_TAKEN = 10_000;
/** Some forty thousand screenings: a minute or two of a busy process. With all that belongs to them they take twice as much. */
const MOST_BYTES = 64 * 1024 * 1024;
const sizeOf = ({ keys, bytes, after }: Parcel): number =>
  bytes.length + 120 * keys.length + (after === undefined ? 0 : after.bytes.length);

export const makeOutbox = (
  link: Link,
  hooks: {
    readonly onLongProfile: (key: string) => void;
    readonly onKept: () => void;
    readonly onLost: () => void;
    readonly mostBytes?: number;
  },
) => {
  const mostBytes = hooks.mostBytes ?? MOST_BYTES;
  const gathered: Parcel[] = [];
  let scheduled = false;
  /** What Redis did not take, in order. */
  let kept: Parcel[] = [];
  let firstKept = 0;
  let keptBytes = 0;
  let lost = 0;
  let flying = 0;
  let draining = false;

  const waiting = (): number => kept.length - firstKept;
  const takeKept = (): Parcel[] => {
    const taken = kept.slice(firstKept, firstKept + TOGETHER);
    firstKept += taken.length;
    for (const parcel of taken) keptBytes -= sizeOf(parcel);
    // Not each time: there may be a hundred thousand.
    if (waiting() === 0 || firstKept >= MOST_TAKEN) {
      kept = kept.slice(firstKept);
      firstKept = 0;
    }
    return taken;
  };

  const drop = (parcel: Parcel): void => {
    if (parcel.isOptional !== true) {
      lost++;
      hooks.onLost();
    }
    allTold(parcel);
  };
  const keep = (parcel: Parcel): void => {
    const size = sizeOf(parcel);
    if (parcel.isOptional === true || keptBytes + size > mostBytes) drop(parcel);
    else {
      markAgain(parcel);
      kept.push(parcel);
      keptBytes += size;
      hooks.onKept();
    }
  };

  /** One by one, and then key by key: the others may be taken. Those before the one that was refused have been. */
  const tellApart = async (parcels: readonly Parcel[]): Promise<void> => {
    parcels.forEach(markAgain);
    const apart = parcels.length > 1 ? parcels : parcels.flatMap(split);
    if (apart.length === 1) drop(apart[0] as Parcel);
    else await Promise.all(apart.map((parcel) => tell([parcel])));
  };
  const tell = async (parcels: readonly Parcel[]): Promise<void> => {
    const keys = parcels.flatMap((parcel) => parcel.keys);
    const bytes = parcels.length === 1 ? (parcels[0] as Parcel).bytes : Buffer.concat(parcels.map((one) => one.bytes));
    flying++;
    try {
      const long = (await link.run('apply', keys, [bytes])) as number[];
      for (const index of long) hooks.onLongProfile(keys[index - 1] as string);
      for (const { after, onTold } of parcels) {
        if (after !== undefined) push(after);
        onTold?.();
      }
    } catch (error) {
      if (!(error instanceof Refused)) for (const parcel of parcels) keep(parcel);
      else await tellApart(parcels);
    } finally {
      flying--;
    }
  };
  const tellAll = (parcels: readonly Parcel[]): Promise<unknown> =>
    link.isCluster() ? Promise.all(parcels.flatMap(split).map((parcel) => tell([parcel]))) : tell(parcels);

  const flush = (): void => {
    scheduled = false;
    while (gathered.length > 0) void tellAll(gathered.splice(0, TOGETHER));
  };
  /** Told soon, with all others of some milliseconds. */
  const push = (parcel: Parcel): void => {
    gathered.push(parcel);
    if (scheduled) return;
    scheduled = true;
    setTimeout(flush, GATHER_MS);
  };

  return {
    push,
    /** Tells what has gathered now: what is asked after it knows of it. */
    flush,
    /** Told now; over when it has arrived, or is kept for later. */
    tell: (parcel: Parcel): Promise<unknown> => tellAll([parcel]),
    /** Tells what was kept, while that works. */
    drain: async (): Promise<void> => {
      if (draining) return;
      draining = true;
      while (waiting() > 0 && link.isHere()) await tellAll(takeKept());
      draining = false;
    },
    isTelling: (): boolean => gathered.length > 0 || flying > 0,
    isIdle: (): boolean => gathered.length === 0 && flying === 0 && waiting() === 0,
    /** What waits for Redis, and what there was no room for. */
    stats: () => ({ waiting: waiting(), lost }),
  };
};
export type Outbox = ReturnType<typeof makeOutbox>;
