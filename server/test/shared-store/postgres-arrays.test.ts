import { beforeAll, describe, expect, test } from 'vitest';
import { type Backend, type Statement, Unavailable, type Value } from '../../src/backend/backend.ts';
import { makeMigrated, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';

const COLUMNS =
  'tenant, seq, user_term, at, type, event_type, outcome, score, decision, usd, label_seq, review_seq, terms';
const insert = (...[seq, at, text, usd, terms]: Value[]): Statement => ({
  sql: `INSERT INTO search_items (${COLUMNS}) VALUES (1, ?, 7, ?, 'event', ?, NULL, 3, 'allow', ?, 0, 0, ?)`,
  params: [seq as Value, at as Value, text as Value, usd as Value, terms as Value],
});

/** Every type of column, with the values at the edges of its encoding. */
const ROWS: Value[][] = [
  [1, Number.MAX_SAFE_INTEGER, "o'hara \\ {NULL} ü 🙂 \u0001", 0.1, new Uint8Array([0, 255, 92])],
  [2, Number.MIN_SAFE_INTEGER, '', -1.5e300, new Uint8Array()],
  [3, -1, null, null, new Uint8Array(3000).fill(7)],
  [4, 2 ** 32, 'NULL', 5e-324, new Uint8Array([1])],
  [5, -(2 ** 32) - 1, '"', -0.25, new Uint8Array([2])],
];

describe.skipIf(!hasPostgres)('rows of one statement in PostgreSQL', () => {
  let backend: Backend;
  beforeAll(async () => {
    ({ backend } = await openStore({ url: await makeMigrated() }));
    await backend.write([{ sql: 'CREATE TABLE search_items_all PARTITION OF search_items DEFAULT', params: [] }]);
  });
  const rowsFrom = async (first: number): Promise<Value[][]> =>
    (
      await backend.read<Record<string, Value>>(
        'SELECT seq, at, event_type, usd, terms FROM search_items WHERE seq >= ? ORDER BY seq',
        first,
      )
    ).map((row) => Object.values(row));
  const plain = (rows: Value[][]): unknown =>
    rows.map((row) => row.map((value) => (value instanceof Uint8Array ? [...value] : value)));

  test('are read as they were written, whatever their values', async () => {
    await Promise.all(ROWS.map((row) => backend.write([insert(...row)])));
    expect(plain(await rowsFrom(0))).toEqual(plain(ROWS));
    const transactions = await backend.read('SELECT DISTINCT xmin FROM search_items');
    expect(transactions).toHaveLength(1);
  });

  test('are all written where they are more than one statement takes', async () => {
    const many = Array.from({ length: 2500 }, (_, i) => insert(1000 + i, i, null, i / 3, new Uint8Array()));
    await backend.write(many);
    expect((await rowsFrom(1000)).map(([seq, at]) => [seq, at])).toEqual(many.map((_, i) => [1000 + i, i]));
  });

  test('fail alone where a value does not have the type of its column', async () => {
    const written = await Promise.allSettled(
      [8000, 8001.5, 8002].map((seq) => backend.write([insert(seq, 0, null, null, new Uint8Array())])),
    );
    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((written[1] as PromiseRejectedResult).reason).toBeInstanceOf(Unavailable);
    expect((await rowsFrom(8000)).map(([seq]) => seq)).toEqual([8000, 8002]);
  });
});
