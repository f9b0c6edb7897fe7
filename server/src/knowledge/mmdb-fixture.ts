import { makeWords, parseAddress } from './address.ts';

/** A value as MMDB files hold it; whole numbers as unsigned, others as doubles. */
type Value = string | number | boolean | { readonly [name: string]: Value };

const STRING = 2;
const DOUBLE = 3;
const UNSIGNED_16 = 5;
const UNSIGNED_32 = 6;
const MAP = 7;
const BOOLEAN = 14;

const control = (type: number, size: number): Buffer =>
  type < 8 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);

const encode = (value: Value): Buffer => {
  if (typeof value === 'string') return Buffer.concat([control(STRING, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'boolean') return control(BOOLEAN, value ? 1 : 0);
  if (typeof value === 'number') {
    const isWhole = Number.isInteger(value) && value >= 0;
    const bytes = Buffer.alloc(isWhole ? 4 : 8);
    if (isWhole) bytes.writeUInt32BE(value);
    else bytes.writeDoubleBE(value);
    return Buffer.concat([control(isWhole ? UNSIGNED_32 : DOUBLE, bytes.length), bytes]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([
    control(MAP, entries.length),
    ...entries.flatMap(([name, item]) => [encode(name), encode(item)]),
  ]);
};

const short = (value: number): Buffer =>
  Buffer.concat([control(UNSIGNED_16, 2), Buffer.from([value >> 8, value & 255])]);

const bitsOf = (cidr: string, version: 4 | 6): string => {
  const words = makeWords();
  const [address = '', prefix] = cidr.split('/');
  const family = parseAddress(address, words);
  const bits = [...words.subarray(0, family === 4 ? 1 : 4)].map((word) => word.toString(2).padStart(32, '0')).join('');
  return (family === 4 && version === 6 ? '0'.repeat(96) : '') + bits.slice(0, Number(prefix));
};

/** An MMDB file of a few networks that do not overlap. Tests make their databases with it: those for sale may not be passed on. */
export const makeMmdb = (type: string, networks: Readonly<Record<string, Value>>, version: 4 | 6 = 6): Buffer => {
  type Slot = number | undefined | { readonly data: number };
  const nodes: [Slot, Slot][] = [[undefined, undefined]];
  const data: Buffer[] = [];
  let dataSize = 0;
  for (const [cidr, record] of Object.entries(networks)) {
    const bits = bitsOf(cidr, version);
    let at = 0;
    for (const bit of bits.slice(0, -1)) {
      const node = nodes[at] as [Slot, Slot];
      const side = Number(bit) as 0 | 1;
      node[side] ??= nodes.push([undefined, undefined]) - 1;
      at = node[side] as number;
    }
    (nodes[at] as [Slot, Slot])[Number(bits.at(-1)) as 0 | 1] = { data: dataSize };
    const bytes = encode(record);
    data.push(bytes);
    dataSize += bytes.length;
  }
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, node] of nodes.entries())
    for (const [side, slot] of node.entries()) {
      const value = slot === undefined ? nodes.length : typeof slot === 'number' ? slot : nodes.length + 16 + slot.data;
      tree.writeUIntBE(value, index * 6 + side * 3, 3);
    }
  const facts: [string, Buffer][] = [
    ['node_count', encode(nodes.length)],
    ['record_size', short(24)],
    ['ip_version', short(version)],
    ['database_type', encode(type)],
    ['binary_format_major_version', short(2)],
    ['build_epoch', encode(Date.UTC(2026, 9, 1) / 1000)],
  ];
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    control(MAP, facts.length),
    ...facts.flatMap(([name, value]) => [encode(name), value]),
  ]);
};
