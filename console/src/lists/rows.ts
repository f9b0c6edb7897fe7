import type { ListEntryRequest } from '@portcullis/client';

export const KINDS = [
  'user',
  'ip_address',
  'device',
  'email',
  'email_domain',
  'payment_fingerprint',
  'counterparty',
  'country',
] as const satisfies readonly ListEntryRequest['kind'][];
export type Kind = (typeof KINDS)[number];

/** A row of a pasted text or a file, and what is wrong with it. */
export interface Row {
  readonly line: number;
  readonly entry: ListEntryRequest;
  readonly error: string | undefined;
}

/** The cells of CSV, by RFC 4180. Tabs and semicolons separate, too: spreadsheets copy and save with them. */
const cellsOf = (text: string, separator: string): string[][] => {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const endCell = (): void => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator) endCell();
    else if (character === '\n') {
      endCell();
      rows.push([]);
    } else if (character !== '\r') cell += character;
  }
  endCell();
  return rows;
};

const separatorOf = (line: string): string => [',', '\t', ';'].find((one) => line.includes(one)) ?? ',';
/** An export has an apostrophe before a text that a spreadsheet would run. */
const clean = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '');

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i;
const SHAPES: Partial<Record<Kind, readonly [RegExp, string]>> = {
  ip_address: [ADDRESS, 'not an address or network'],
  email: [/^[^\s@]+@[^\s@]+$/, 'not an e-mail address'],
  email_domain: [/^[^\s@]+\.[^\s@]+$/, 'not a domain'],
  country: [/^[a-z]{2}$/i, 'not a two-letter country code'],
};

const errorOf = (kind: string, value: string, expires: string): string | undefined => {
  if (!(KINDS as readonly string[]).includes(kind)) return `unknown kind "${kind}"`;
  if (value === '') return 'no value';
  const [shape, words] = SHAPES[kind as Kind] ?? [];
  if (shape !== undefined && !shape.test(value)) return words;
  if (expires !== '' && Number.isNaN(Date.parse(expires))) return `not a time: "${expires}"`;
  if (expires !== '' && Date.parse(expires) < Date.now()) return 'expires in the past';
  return undefined;
};

interface Defaults {
  readonly kind: Kind;
  readonly reason: string;
  readonly expires_at: string | undefined;
}

const HEADS = ['kind', 'value', 'reason', 'expires_at'] as const;

/** Reads a value a line, or CSV with a header that names `value` and, if it has them, `kind`, `reason` and `expires_at`. */
export const readRows = (text: string, defaults: Defaults): readonly Row[] => {
  const lines = cellsOf(text, separatorOf(text.split('\n', 1)[0] ?? ''));
  const head = lines[0]?.map((cell) => cell.trim().toLowerCase()) ?? [];
  const hasHead = head.includes('value');
  const places = HEADS.map((name) => (hasHead ? head.indexOf(name) : -1));
  const rows: Row[] = [];
  for (const [index, cells] of lines.entries()) {
    if ((hasHead && index === 0) || cells.every((cell) => cell.trim() === '')) continue;
    const cellOf = (name: (typeof HEADS)[number]): string => clean(cells[places[HEADS.indexOf(name)] ?? -1] ?? '');
    const kind = cellOf('kind') || defaults.kind;
    const value = hasHead ? cellOf('value') : clean(cells.join(separatorOf(text)));
    const reason = cellOf('reason') || defaults.reason;
    const expires = cellOf('expires_at') || (defaults.expires_at ?? '');
    const error = errorOf(kind, value, expires);
    const isTime = expires !== '' && error === undefined;
    rows.push({
      line: index + 1,
      error,
      entry: {
        kind: kind as Kind,
        value,
        ...(reason !== '' && { reason }),
        ...(isTime && { expires_at: new Date(expires).toISOString() }),
      },
    });
  }
  return rows;
};

const MAX_ENTRIES = 1000;
/** The service takes 512 KiB. A request is added as a whole or not at all, so few large ones leave the least half done. */
const MAX_BYTES = 500_000;

/** The entries in requests of a size that the service takes. */
export const partsOf = (entries: readonly ListEntryRequest[]): readonly (readonly ListEntryRequest[])[] => {
  const parts: ListEntryRequest[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const size = new TextEncoder().encode(JSON.stringify(entry)).length + 1;
    if (bytes + size > MAX_BYTES || (parts.at(-1)?.length ?? 0) >= MAX_ENTRIES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(entry);
    bytes += size;
  }
  return parts;
};
