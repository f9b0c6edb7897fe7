import { expect, test } from 'vitest';
import { csvOf, ndjsonOf } from './export.ts';

const entry = {
  number: 3,
  at: '2026-11-17T04:00:00.000Z',
  key_id: 'person_1',
  person: 'mara@example.com',
  role: 'admin',
  action: 'list.created',
  target: '=HYPERLINK("https://evil.example")',
  before: null,
  after: { name: 'a, "b"' },
  hash: '9f',
};

test('a table quotes cells, and never lets a spreadsheet run one', () => {
  expect(csvOf([entry]).split('\r\n')).toEqual([
    'number,at,actor,role,action,target,before,after,hash',
    `3,2026-11-17T04:00:00.000Z,mara@example.com,admin,list.created,"'=HYPERLINK(""https://evil.example"")",,"{""name"":""a, \\""b\\""""}",9f`,
    '',
  ]);
});

test('lines of JSON have the entries as they are', () => {
  expect(JSON.parse(ndjsonOf([entry]))).toEqual(entry);
});
