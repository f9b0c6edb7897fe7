import { expect, test } from 'vitest';
import { makeInsert } from './insert-rows.ts';

const insert = makeInsert('INSERT INTO t (a, b)', '(?, ?, 0)', 'ON CONFLICT DO NOTHING');

test.each([0, 1, 9, 10, 99, 100, 111, 1234])('%i rows are inserted once each, in their order', (rows) => {
  const values = Array.from({ length: 2 * rows }, (_, index) => index);
  const statements = insert(values);
  expect(statements.flatMap(({ params }) => params)).toEqual(values);
  for (const { sql, params } of statements) expect(sql.split('?').length - 1).toBe(params.length);
  expect(new Set(statements.map(({ sql }) => sql)).size).toBeLessThanOrEqual(3);
});

test('a row has the constants and the conflict clause of the table', () => {
  expect(insert([1, 2])).toEqual([
    { sql: 'INSERT INTO t (a, b) VALUES (?, ?, 0) ON CONFLICT DO NOTHING', params: [1, 2] },
  ]);
});
