import { expect, test } from 'vitest';
import { partsOf, readRows } from './rows.ts';

const defaults = { kind: 'ip_address', reason: 'Feed', expires_at: undefined } as const;

test('one value a line takes kind and reason of the form', () => {
  expect(readRows('198.51.100.7\n\n198.51.100.0/24\r\n', defaults)).toEqual([
    { line: 1, error: undefined, entry: { kind: 'ip_address', value: '198.51.100.7', reason: 'Feed' } },
    { line: 3, error: undefined, entry: { kind: 'ip_address', value: '198.51.100.0/24', reason: 'Feed' } },
  ]);
});

test('CSV with a header names its columns, in any order, with quotes', () => {
  const [row] = readRows('value,kind,reason,expires_at\n"u ""1"", x",user,\'=why,2999-01-01\n', defaults);
  expect(row).toEqual({
    line: 2,
    error: undefined,
    entry: { kind: 'user', value: 'u "1", x', reason: '=why', expires_at: '2999-01-01T00:00:00.000Z' },
  });
});

test('a row that the service would refuse names what is wrong', () => {
  const errors = readRows(
    'kind;value;expires_at\nip_address;nowhere\nplanet;mars\nemail;x\ncountry;Peru\nuser;\nuser;a;soon\nuser;a;2001-01-01',
    defaults,
  ).map(({ error }) => error);
  expect(errors).toEqual([
    'not an address or network',
    'unknown kind "planet"',
    'not an e-mail address',
    'not a two-letter country code',
    'no value',
    'not a time: "soon"',
    'expires in the past',
  ]);
});

test('entries are sent in parts of a thousand and 500 KB', () => {
  const entries = Array.from({ length: 2500 }, (_, i) => ({ kind: 'user' as const, value: `u${i}` }));
  expect(partsOf(entries).map(({ length }) => length)).toEqual([1000, 1000, 500]);
  const long = Array.from({ length: 900 }, () => ({ kind: 'user' as const, value: 'é'.repeat(400) }));
  expect(partsOf(long).every((part) => Buffer.byteLength(JSON.stringify({ entries: part })) < 512 * 1024)).toBe(true);
  expect(partsOf(long).flat()).toEqual(long);
});
