import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSearchFile, provideSearchFile } from '../../src/backend/embedded/search-file.ts';
import { makeSettling } from '../../src/backend/embedded/settle-terms.ts';
import { makeFolder } from '../fixtures/harness.ts';

type Row = readonly [tenant: number, term: number, seq: number];
const TERMS = 'SELECT tenant, term, seq FROM search_terms ORDER BY tenant, term, seq';
const DELETE = 'DELETE FROM search_terms WHERE tenant = ? AND term = ? AND seq = ?';

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
          file.prepare(DELETE).run(...row);
          expected = expected.filter((other) => other.join() !== row.join());
        }
        settle(added.length);
        expect(rowsIn(file)).toEqual(sorted(expected));
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

/** A file of the layout before, with one table of terms and one row in it. */
const makeFileBefore = (): string => {
  const path = join(makeFolder(), 'search.db');
  const file = openSearchFile(path);
  file.exec(`DROP VIEW search_terms; DROP TABLE search_terms_new; INSERT INTO search_terms_settled VALUES (1, 2, 3);
    ALTER TABLE search_terms_settled RENAME TO search_terms; PRAGMA user_version = 3`);
  file.close();
  return path;
};

test('a file with one table of terms is adopted with its rows', () => {
  const path = makeFileBefore();
  expect(provideSearchFile(path)).toBe(false);
  const file = openSearchFile(path);
  expect(rowsIn(file)).toEqual([[1, 2, 3]]);
  insert(file, [[1, 2, 4]]);
  expect(rowsIn(file)).toHaveLength(2);
  file.close();
});

test('an adoption that fails leaves the file as it was', () => {
  const path = makeFileBefore();
  const before = new DatabaseSync(path);
  before.exec('DROP TABLE search_feed; CREATE TABLE search_feed (other)');
  expect(() => openSearchFile(path)).toThrow('no such column');
  expect(before.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  expect(rowsIn(before)).toEqual([[1, 2, 3]]);
  before.exec('DROP TABLE search_feed');
  before.close();
  const file = openSearchFile(path);
  expect(rowsIn(file)).toEqual([[1, 2, 3]]);
  file.close();
});
