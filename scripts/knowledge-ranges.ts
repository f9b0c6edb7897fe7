import { readFileSync } from 'node:fs';
import { countryNumber } from '@portcullis/engine';
import { Reader } from 'mmdb-lib';
import { isCountry } from '../contract/src/countries.ts';
import type { Ranges } from '../server/src/knowledge/ranges.ts';
import { type Kind, kindOf } from './network-kind.ts';

/** A range from `start` to the next start: an IPv4 address, or the first 48 bits of an IPv6 address. `value` 0 is unknown. */
interface RangeStart {
  readonly start: number;
  readonly value: number;
}
const V4_END = 2 ** 32;
const V6_END = 2 ** 48;
/** Bits of an IPv6 address below its first 48. */
const BITS_BELOW_48 = 80n;

/** Merges adjacent ranges of the same value and fills gaps with the value 0. */
const startsOf = (
  ranges: Iterable<readonly [start: number, end: number, value: number]>,
  spaceEnd: number,
): RangeStart[] => {
  const starts: RangeStart[] = [];
  let next = 0;
  const add = (start: number, value: number) => {
    if (start < spaceEnd && starts.at(-1)?.value !== value) starts.push({ start, value });
  };
  for (const [from, end, value] of ranges) {
    const start = Math.max(from, next);
    if (start >= end) continue;
    if (start > next || next === 0) add(next, start > next ? 0 : value);
    add(start, value);
    next = end;
  }
  add(next, 0);
  return starts;
};

const layOut = (v4: readonly RangeStart[], v6: readonly RangeStart[]): Ranges => {
  const v4Pages = new Uint32Array(65_537);
  for (const { start } of v4) v4Pages[(start >>> 16) + 1] = (v4Pages[(start >>> 16) + 1] as number) + 1;
  for (let page = 1; page < v4Pages.length; page++)
    v4Pages[page] = (v4Pages[page] as number) + (v4Pages[page - 1] as number);
  return {
    v4Pages,
    v4Starts: Uint16Array.from(v4, ({ start }) => start & 0xffff),
    v6Highs: Uint32Array.from(v6, ({ start }) => Math.floor(start / 65_536)),
    v6Lows: Uint16Array.from(v6, ({ start }) => start % 65_536),
  };
};

/** The whole /48 networks within a range. Smaller ranges have none, because they are not routed separately. */
const first48 = (from: bigint, to: bigint): readonly [number, number] => [
  Number((from + (1n << BITS_BELOW_48) - 1n) >> BITS_BELOW_48),
  Number((to + 1n) >> BITS_BELOW_48),
];

const LINE = /^(\d+),(\d+),(\d+),"?(.*?)"?$/;
const readCsv = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, from = '', to = '', asn = '', name = ''] = LINE.exec(line) ?? [];
      return { from: BigInt(from), to: BigInt(to), asn: Number(asn), name };
    });

/** Every assigned AS number fits in 22 bits. The two bits above them hold the kind of network. */
export const ASN_END = 2 ** 22;
const packed = (asn: number, kind: Kind): number => asn + kind * ASN_END;

export const networkColumns = (v4Csv: string, v6Csv: string) => {
  const [v4Rows, v6Rows] = [readCsv(v4Csv), readCsv(v6Csv)];
  const known = new Map<number, number>();
  for (const { asn, name } of [...v4Rows, ...v6Rows]) {
    if (asn > 0 && asn < ASN_END && !known.has(asn)) known.set(asn, packed(asn, kindOf(asn, name)));
  }
  const toValue = (asn: number): number => known.get(asn) ?? 0;
  const v4 = startsOf(
    v4Rows.map(({ from, to, asn }) => [Number(from), Number(to) + 1, toValue(asn)]),
    V4_END,
  );
  const v6 = startsOf(
    v6Rows.map(({ from, to, asn }) => [...first48(from, to), toValue(asn)]),
    V6_END,
  );
  const low = ({ value }: RangeStart): number => value % 65_536;
  const high = ({ value }: RangeStart): number => Math.floor(value / 65_536);
  return {
    ...layOut(v4, v6),
    v4Low: Uint16Array.from(v4, low),
    v4High: Uint8Array.from(v4, high),
    v6Low: Uint16Array.from(v6, low),
    v6High: Uint8Array.from(v6, high),
  };
};

const spellV4 = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const spellV6 = (value: bigint): string =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16)).join(':');

/** One byte per range: the index of its country in `codes`. Index 0 means no country. */
export const countryColumns = (mmdb: string) => {
  const reader = new Reader<never>(readFileSync(mmdb));
  const codes = [0];
  const indexes = new Map<string, number>();
  const toValue = (record: { country_code?: string } | null): number => {
    const code = record?.country_code ?? '';
    if (!isCountry(code)) return 0;
    const index = indexes.get(code) ?? codes.push(countryNumber(code)) - 1;
    indexes.set(code, index);
    return index;
  };
  const v4: [number, number, number][] = [];
  for (let at = 0; at < V4_END; ) {
    const [record, prefix] = reader.getWithPrefixLength(spellV4(at));
    const end = at + 2 ** (32 - prefix);
    v4.push([at, end, toValue(record)]);
    at = end;
  }
  const v6: [number, number, number][] = [];
  const from = 0x2000n << 112n;
  for (let at = from; at < from * 2n; ) {
    const [record, prefix] = reader.getWithPrefixLength(spellV6(at));
    const end = at + (1n << BigInt(128 - prefix));
    v6.push([...first48(at, end - 1n), toValue(record)]);
    at = end;
  }
  const [v4Starts, v6Starts] = [startsOf(v4, V4_END), startsOf(v6, V6_END)];
  return {
    built: reader.metadata.buildEpoch,
    columns: {
      ...layOut(v4Starts, v6Starts),
      v4Country: Uint8Array.from(v4Starts, ({ value }) => value),
      v6Country: Uint8Array.from(v6Starts, ({ value }) => value),
      codes: Uint16Array.from(codes),
    },
  };
};
