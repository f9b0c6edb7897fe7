import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { FACTS_VERSION, type Facts, makeFacts, packFacts, unpackFacts } from '@portcullis/engine';
import { makeWalk } from '../server/src/offline/history-walk.ts';

/**
 * Where the facts of served items come from. Replaying histories takes a third to nine tenths of the time of a part, and their
 * facts are the same for every model. So they can be recorded once, and other models are then measured on them.
 */
export interface ServedFacts {
  readonly startWalk: (labelDelayMs: number) => Pick<ReturnType<typeof makeWalk>, 'factsOf' | 'next'>;
  /** The facts to serve the next item with, given those of its walk. */
  readonly next: (facts: Facts) => Facts;
  readonly end: () => void;
}

export const REPLAYED: ServedFacts = { startWalk: makeWalk, next: (facts) => facts, end: () => undefined };

/** The first line of a file. Facts of another version, or of other items, would give wrong figures. */
const headOf = (what: string): Uint8Array => new TextEncoder().encode(`facts ${FACTS_VERSION} of ${what}\n`);

/** Each record is the length of the packed facts in two bytes, then these. */
const LENGTH_BYTES = 2;
const BLOCK_BYTES = 2 ** 16;

/** Replays histories, and writes the facts of served items to a file. `what` names the items. */
export const recordFacts = (path: string, what: string): ServedFacts => {
  const file = openSync(path, 'w');
  writeSync(file, headOf(what));
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;
  const flush = (): void => {
    for (let at = 0; at < used; ) at += writeSync(file, block, at, used - at);
    used = 0;
  };
  return {
    startWalk: makeWalk,
    next: (facts) => {
      const packed = packFacts(facts);
      if (used + LENGTH_BYTES + packed.length > BLOCK_BYTES) flush();
      used = block.writeUInt16LE(packed.length, used);
      block.set(packed, used);
      used += packed.length;
      return facts;
    },
    end: () => {
      flush();
      closeSync(file);
    },
  };
};

/** Reads a file block by block. */
const makeBytes = (path: string) => {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let [used, filled, done] = [0, 0, 0];
  return {
    /** The next bytes, which are valid until the next call. Undefined at the end of the file. */
    take: (length: number): Buffer | undefined => {
      if (used + length > filled) {
        block.copyWithin(0, used, filled);
        filled -= used;
        used = 0;
        while (filled < length && done + filled < size) {
          const read = readSync(file, block, filled, BLOCK_BYTES - filled, null);
          if (read === 0) break;
          filled += read;
        }
        if (filled < length) return undefined;
      }
      used += length;
      done += length;
      return block.subarray(used - length, used);
    },
    isAtEnd: () => done === size,
    close: () => closeSync(file),
  };
};

const NOT_MEASURED = makeFacts();

/** Reads the facts that `recordFacts` wrote for the same items. Nothing is replayed. */
export const readFacts = (path: string, what: string): ServedFacts => {
  const bytes = makeBytes(path);
  const refuse = (reason: string): never => {
    throw new Error(`${path} ${reason}. Record it again.`);
  };
  const head = headOf(what);
  if (bytes.take(head.length)?.equals(head) !== true)
    refuse(`does not begin with "${new TextDecoder().decode(head).trim()}"`);
  const facts = makeFacts();
  return {
    startWalk: () => ({ factsOf: () => NOT_MEASURED, next: () => undefined }),
    next: () => {
      const length = bytes.take(LENGTH_BYTES)?.readUInt16LE(0);
      const packed = length === undefined ? undefined : bytes.take(length);
      return packed === undefined ? refuse('has fewer items') : unpackFacts(packed, facts);
    },
    end: () => {
      if (!bytes.isAtEnd()) refuse('has more items');
      bytes.close();
    },
  };
};

/** The facts of the command line: recorded, read, or replayed. */
export const servedFacts = (
  { record, facts }: { readonly record?: string | undefined; readonly facts?: string | undefined },
  what: string,
): ServedFacts => {
  if (record !== undefined && facts !== undefined) throw new Error('Use `--record` or `--facts`, not both.');
  if (record !== undefined) return recordFacts(record, what);
  return facts === undefined ? REPLAYED : readFacts(facts, what);
};
