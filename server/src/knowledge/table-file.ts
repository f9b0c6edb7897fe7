import { readFileSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Numeric columns in one file. They are views on the bytes read: no parsing, no copy. */
export interface Table {
  /** The date of the newest source. */
  readonly built: string;
  readonly sources: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
}
type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;
interface Header extends Omit<Table, 'columns'> {
  readonly columns: readonly { readonly name: string; readonly type: keyof typeof TYPES; readonly length: number }[];
}

const TYPES = { Uint8Array, Uint16Array, Uint32Array, Float64Array };
const MAGIC = 'PCTABLE1';
/** Magic, length of the header, and checksum of the rest. */
const PREAMBLE = 16;
const aligned = (offset: number): number => Math.ceil(offset / 8) * 8;

export const writeTable = (path: string | URL, { built, sources, columns }: Table): void => {
  const entries = Object.entries(columns);
  const header = Buffer.from(
    JSON.stringify({
      built,
      sources,
      columns: entries.map(([name, column]) => ({ name, type: column.constructor.name, length: column.length })),
    }),
  );
  const bodyAt = aligned(PREAMBLE + header.length);
  const size = entries.reduce((sum, [, { byteLength }]) => sum + aligned(byteLength), bodyAt);
  const file = Buffer.alloc(size);
  file.write(MAGIC, 'latin1');
  file.writeUInt32LE(header.length, 8);
  header.copy(file, PREAMBLE);
  let at = bodyAt;
  for (const [, { buffer, byteOffset, byteLength }] of entries) {
    file.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  file.writeUInt32LE(crc32(file.subarray(PREAMBLE)), 12);
  writeFileSync(path, file);
};

/** Throws with the reason if the file is damaged. */
export const readTable = (path: string | URL): Table => {
  let file = readFileSync(path);
  if (file.length < PREAMBLE || file.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('it is not a table file');
  if (crc32(file.subarray(PREAMBLE)) !== file.readUInt32LE(12)) throw new Error('its checksum is wrong');
  // Typed array views need aligned memory, and a pooled buffer may not be aligned.
  if (file.byteOffset % 8 !== 0) file = Buffer.from(Uint8Array.from(file).buffer);
  const headerLength = file.readUInt32LE(8);
  const header = JSON.parse(file.toString('utf8', PREAMBLE, PREAMBLE + headerLength)) as Header;
  const columns: Record<string, Column> = {};
  let at = aligned(PREAMBLE + headerLength);
  for (const { name, type, length } of header.columns) {
    const column = new TYPES[type](file.buffer as ArrayBuffer, file.byteOffset + at, length);
    columns[name] = column;
    at += aligned(column.byteLength);
  }
  return { built: header.built, sources: header.sources, columns };
};
