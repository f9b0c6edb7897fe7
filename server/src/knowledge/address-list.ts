import { readFileSync } from 'node:fs';
import { type Family, makeWords, parseAddress, type Words } from './address.ts';

export interface AddressList {
  readonly size: number;
  has(family: Family, words: Words): boolean;
}

const ALL_BITS = (1n << 128n) - 1n;
const MAPPED = 0xffffn << 32n;
const scratch = makeWords();

/** The first and last address of a line, IPv4 mapped into IPv6; undefined if the line has neither address nor CIDR. */
const boundsOf = (line: string): readonly [bigint, bigint] | undefined => {
  const [text = '', prefixText, ...more] = line.split('/');
  const family = parseAddress(text, scratch);
  const bits = family === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : -1;
  if (family === 0 || prefix < 0 || prefix > bits || more.length > 0) return undefined;
  let value = MAPPED + BigInt(scratch[0] as number);
  if (family === 6) value = scratch.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  const rest = ALL_BITS >> BigInt(128 - bits + prefix);
  return [value & ~rest, value | rest];
};

const isAtMost = (column: Uint32Array, index: number, a: number, b: number, c: number, d: number): boolean => {
  const at = 4 * index;
  const [w, x, y, z] = [
    column[at] as number,
    column[at + 1] as number,
    column[at + 2] as number,
    column[at + 3] as number,
  ];
  if (w !== a) return w < a;
  if (x !== b) return x < b;
  return y !== c ? y < c : z <= d;
};

const columnOf = (values: readonly bigint[]): Uint32Array =>
  Uint32Array.from(
    values.flatMap((value) => [96n, 64n, 32n, 0n].map((shift) => Number((value >> shift) & 0xffffffffn))),
  );

/**
 * Reads a list of addresses and CIDRs, one per line, with `#` comments. Throws with the reason if the file is empty
 * or has at least as many wrong lines as right ones. A few wrong lines are reported through `warn` and skipped.
 */
export const readAddressList = (path: string, warn: (message: string) => void): AddressList => {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  const found: (readonly [bigint, bigint])[] = [];
  const wrong: number[] = [];
  for (const [index, line] of lines.entries()) {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') continue;
    const bounds = boundsOf(text);
    if (bounds === undefined) wrong.push(index + 1);
    else found.push(bounds);
  }
  if (found.length === 0 && wrong.length === 0) throw new Error('it contains no address');
  if (wrong.length >= found.length) throw new Error(`line ${wrong[0]} is not an address, nor are most other lines`);
  if (wrong.length > 0) warn(`skipped ${wrong.length} lines that are not addresses; the first is line ${wrong[0]}`);
  found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const starts: bigint[] = [];
  const ends: bigint[] = [];
  for (const [start, end] of found) {
    const last = ends.at(-1);
    if (last !== undefined && start <= last) ends[ends.length - 1] = end > last ? end : last;
    else {
      starts.push(start);
      ends.push(end);
    }
  }
  const [startColumn, endColumn] = [columnOf(starts), columnOf(ends)];
  const contains = (a: number, b: number, c: number, d: number): boolean => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAtMost(startColumn, middle, a, b, c, d)) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return false;
    const at = 4 * (low - 1);
    // True if the address is below the end of the range, or equal to it.
    return (
      !isAtMost(endColumn, low - 1, a, b, c, d) ||
      (endColumn[at] === a && endColumn[at + 1] === b && endColumn[at + 2] === c && endColumn[at + 3] === d)
    );
  };
  return {
    size: found.length,
    has: (family, words) =>
      family === 4
        ? contains(0, 0, 0xffff, words[0] as number)
        : contains(words[0] as number, words[1] as number, words[2] as number, words[3] as number),
  };
};
