import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Backend, Outcome, Statement, Unit } from '../../src/backend/backend.ts';
import { openSqliteRecords } from '../../src/backend/embedded/store.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { makeMigrated, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';

/** Few keys, so that units conflict all the time. */
const key = fc.constantFrom('a', 'b', 'c');
const time = fc.integer({ min: 0, max: 20 });

const ENTRY = `INSERT INTO list_entries (tenant, kind, value, list, id, reason, author, expires_at, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, kind, value, list) DO UPDATE SET id = excluded.id, created_at = excluded.created_at`;
const COUNT = `INSERT INTO rule_counts (rule_id, version, tenant, matched) VALUES (?, ?, ?, 1)
  ON CONFLICT (rule_id, version) DO UPDATE SET matched = rule_counts.matched + 1`;
const REVIEW = `INSERT INTO reviews (tenant, id, number, user_id, decision, reviewed_at) VALUES (1, ?, 1, ?, 'allow', ?)
  ON CONFLICT DO NOTHING`;
const ONCE = `INSERT INTO idempotency (tenant, path, key, fingerprint, status, sealed_response, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant, path, key)`;
const bytes = new Uint8Array([0, 255, 39, 92]);

const once = (onConflict: string, expect?: number) =>
  fc.tuple(key, time).map(
    ([name, at]): Statement => ({
      sql: ONCE + onConflict,
      params: [1, '/p', name, `print ${at}`, 200, bytes, at],
      ...(expect === undefined ? {} : { expect }),
    }),
  );
const UPDATE = ' DO UPDATE SET fingerprint = excluded.fingerprint, created_at = excluded.created_at';

const statement: fc.Arbitrary<Statement> = fc.oneof(
  fc.tuple(key, time).map(([value, at]) => ({
    sql: ENTRY,
    params: [1, 'user', value, 'block', `${value}${at}`, null, "o'hara ü \\ $1", null, at],
  })),
  key.map((value) => ({ sql: 'DELETE FROM list_entries WHERE tenant = ? AND value = ?', params: [1, value] })),
  fc.tuple(key, time).map(([rule, version]) => ({ sql: COUNT, params: [rule, version % 2, 1] })),
  key.map((rule) => ({ sql: 'UPDATE rule_counts SET matched = matched * 2 WHERE rule_id = ?', params: [rule] })),
  key.map((rule) => ({
    sql: 'UPDATE rule_counts SET matched = matched + 10 WHERE rule_id = ? AND version = 0 AND matched < 40',
    params: [rule],
    expect: 1,
  })),
  // Where it changes several rows, it is refused and must be undone.
  key.map((rule) => ({
    sql: 'UPDATE rule_counts SET matched = matched + 7 WHERE rule_id = ?',
    params: [rule],
    expect: 1,
  })),
  key.map((value) => ({
    sql: `INSERT INTO rule_counts (rule_id, version, tenant, matched) SELECT value, 9, tenant, created_at FROM list_entries
      WHERE value = ? ON CONFLICT (rule_id, version) DO UPDATE SET matched = rule_counts.matched + 3`,
    params: [value],
  })),
  fc.tuple(key, time).map(([id, at]) => ({ sql: REVIEW, params: [id, `user ${at}`, at] })),
  fc.tuple(key, time).map(([id, at]) => ({ sql: REVIEW, params: [id, `user ${at}`, at], expect: 1 })),
  key.map((id) => ({ sql: 'DELETE FROM reviews WHERE id = ?', params: [id] })),
  once(' DO NOTHING'),
  once(' DO NOTHING', 1),
  once(' DO NOTHING', 0),
  once(UPDATE),
  once(`${UPDATE} WHERE idempotency.created_at < excluded.created_at - 5`, 1),
  key.map((name) => ({ sql: 'DELETE FROM idempotency WHERE tenant = 1 AND key = ?', params: [name] })),
);
const unit: fc.Arbitrary<Unit> = fc.array(statement, { minLength: 1, maxLength: 4 });
/** The units of one inner array are written at once and share transactions. */
const batches = fc.array(fc.array(unit, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 });

const TABLES = {
  list_entries: 'tenant, kind, value, list, id, author, created_at',
  rule_counts: 'rule_id, version, matched',
  reviews: 'id, number, user_id, reviewed_at',
  idempotency: 'tenant, path, key, fingerprint, status, sealed_response, created_at',
};
const contents = async (backend: Backend): Promise<unknown> => {
  const all: unknown[] = [];
  for (const [table, columns] of Object.entries(TABLES)) {
    const rows = await backend.read<Record<string, unknown>>(`SELECT ${columns} FROM ${table} ORDER BY ${columns}`);
    all.push(rows.map((row) => Object.values(row).map((value) => (value instanceof Uint8Array ? [...value] : value))));
  }
  return all;
};
const empty = (backend: Backend): Promise<Outcome> =>
  backend.write(Object.keys(TABLES).map((table) => ({ sql: `DELETE FROM ${table}`, params: [] })));

test.skipIf(!hasPostgres)(
  'units written together have the same result as in the embedded store, one after the other',
  async () => {
    const embedded = openSqliteRecords(makeFolder());
    const { backend } = await openStore({ url: await makeMigrated() });
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        await Promise.all([empty(embedded), empty(backend)]);
        for (const units of all) {
          const [expected, got] = await Promise.all(
            [embedded, backend].map((store) => Promise.all(units.map((unit) => store.write(unit)))),
          );
          expect(got).toEqual(expected);
        }
        expect(await contents(backend)).toEqual(await contents(embedded));
      }),
      { numRuns: 150 },
    );
    await embedded.close();
  },
  120_000,
);
