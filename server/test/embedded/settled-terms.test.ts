import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSearchFile } from '../../src/backend/embedded/search-file.ts';
import { makeSettling, TERM_TABLES } from '../../src/backend/embedded/settle-terms.ts';
import { makeFolder } from '../fixtures/harness.ts';

type Row = readonly [tenant: number, term: number, seq: number];
const TERMS = 'SELECT tenant, term, seq FROM search_terms ORDER BY tenant, term, seq';

const openFile = (): DatabaseSync => openSearchFile(join(makeFolder(), 'search.db'));
const rowsIn = (file: DatabaseSync): number[][] =>
  file
    .prepare(TERMS)
    .all()
    .map(({ tenant, term, seq }) => [tenant, term, seq].map(Number));
const countIn = (file: DatabaseSync, table: string): number =>
  Number(file.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).get()?.rows);
const insert = (file: DatabaseSync, rows: readonly Row[]): void => {
  const one = file.prepare('INSERT INTO search_terms_new VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  for (const row of rows) one.run(...row);
};
const sorted = (rows: readonly Row[]): number[][] =>
  [...new Map(rows.map((row) => [row.join(), [...row]])).values()].sort(
    ([a, b, c], [d, e, f]) => Number(a) - Number(d) || Number(b) - Number(e) || Number(c) - Number(f),
  );

/** Few values of each, so that terms have many rows and moves end within them. */
const anyRow = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 30 }), fc.nat({ max: 400 }));
const anyStep = fc.record({
  added: fc.array(anyRow, { maxLength: 60 }),
  removed: fc.array(fc.nat(), { maxLength: 5 }),
});

test('terms are the same wherever they move, and most of them settle', () => {
  const file = openFile();
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 25 }), fc.nat({ max: 80 }), (steps, kept) => {
      file.exec('DELETE FROM search_terms_new; DELETE FROM search_terms_settled');
      const settle = makeSettling(file, kept, 10);
      let expected: Row[] = [];
      for (const { added, removed } of steps) {
        insert(
          file,
          added.filter((row) => !expected.some((known) => known.join() === row.join())),
        );
        expected.push(...added);
        for (const at of removed) {
          const row = expected[at % Math.max(1, expected.length)];
          if (row === undefined) continue;
          for (const table of TERM_TABLES)
            file.prepare(`DELETE FROM ${table} WHERE tenant = ? AND term = ? AND seq = ?`).run(...row);
          expected = expected.filter((other) => other.join() !== row.join());
        }
        settle(added.length);
        expect(rowsIn(file)).toEqual(sorted(expected));
        for (let call = 0; call < 3; call++) settle(0);
        expect(countIn(file, 'search_terms_new')).toBeLessThan(kept + 10);
      }
    }),
    { numRuns: 100 },
  );
  file.close();
});

test('a move that fails leaves all terms where they were', () => {
  const file = openFile();
  insert(file, [
    [1, 1, 1],
    [1, 2, 2],
  ]);
  file.exec("CREATE TRIGGER full BEFORE DELETE ON search_terms_new BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  const settle = makeSettling(file, 0, 1);
  expect(() => settle(2)).toThrow('disk is full');
  expect([countIn(file, 'search_terms_new'), countIn(file, 'search_terms_settled')]).toEqual([2, 0]);
  file.exec('DROP TRIGGER full');
  settle(0);
  expect([countIn(file, 'search_terms_new'), countIn(file, 'search_terms_settled')]).toEqual([0, 2]);
  file.close();
});

test('a call moves a bounded part, even of rows that it did not count', () => {
  const file = openFile();
  const settle = makeSettling(file, 0, 10);
  settle(0);
  insert(
    file,
    Array.from({ length: 100 }, (_, term): Row => [1, term, 1]),
  );
  for (const left of [60, 20, 0]) {
    settle(100);
    expect(countIn(file, 'search_terms_new')).toBe(left);
  }
  file.close();
});
