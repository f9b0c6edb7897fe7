import { expect, test } from 'vitest';
import { type Backend, Unavailable, type Value } from '../../src/backend/backend.ts';
import { insertPolicy } from '../../src/policies/store.ts';
import { type Ids, NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { client, type Json, login, payment, REVIEW_IP, startService, unknownId } from '../fixtures/harness.ts';
import { isShared } from '../fixtures/shared-store.ts';

const service = await startService();
const key = await service.key();
const api = client(service, key);
const { backend } = service.app;

/** The ids of one resource of each kind. */
const makeTenant = async (): Promise<Ids> => {
  const { json: screened } = await api.pay(payment({ user_id: 'known', ip_address: REVIEW_IP }));
  const { json: event } = await api.act(login({ user_id: 'known' }));
  const { json: hook } = await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] });
  const { json: label } = await api.post('/v1/labels', { event_id: event.event_id, label: 'fraud', source: 'report' });
  const { json: rule } = await api.post('/v1/rules', { name: 'a', expression: 'amount > 1', action: { points: 1 } });
  await api.post('/v1/lists', { name: 'own', treatment: 'none' });
  return {
    ...NO_IDS,
    ...screened,
    user_id: 'known',
    event_id: event.event_id,
    webhook_id: hook.webhook_id,
    label_id: label.label_id,
    rule_id: rule.rule_id,
    list_id: 'own',
  };
};

test('values arrive as they are stored: numbers, text, bytes and null', async () => {
  const facts = new Uint8Array([0, 1, 255]);
  const text = "o'hara \\ $1 ü 🙂 \u0001";
  await backend.write([
    {
      sql: `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
        VALUES (1, 'a', 99, 'event', 0, ?, '{}', '', 1, ?)`,
      params: [text, facts],
    },
  ]);
  const [row] = await backend.readLong<Record<string, Value>>(
    1,
    'SELECT seq, request, facts, NULL AS missing FROM screenings WHERE tenant = ?',
    99,
  );
  expect(row).toMatchObject({ seq: 1, request: text, missing: null });
  expect(Buffer.from(row?.facts as Uint8Array)).toEqual(Buffer.from(facts));
  expect(await backend.readLong(1, 'SELECT seq FROM screenings WHERE tenant = ?', 98)).toEqual([]);
  await backend.write([{ sql: 'DELETE FROM screenings WHERE tenant = 99', params: [] }]);
});

test('SQL that is invalid is a bug, not an outage', async () => {
  const error = await backend.readLong(1, 'SELECT nothing FROM cases').catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(Unavailable);
  expect(await backend.readLong(1, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a list shows every change that was answered before', async () => {
  const other = client(service, await service.key({ account: 'writer' }));
  for (let count = 1; count <= 20; count++) {
    const { case_id } = await other.flagPayment();
    const { total, cases } = (await other.get('/v1/cases?limit=1')).json;
    expect([total, cases[0].case_id]).toEqual([count, case_id]);
  }
});

test('long reads of one tenant hardly delay another', async () => {
  const ended: number[] = [];
  const read = (tenant: number) =>
    backend.readLong(tenant, 'SELECT COUNT(*) AS count FROM cases').then(() => void ended.push(tenant));
  await Promise.all([...Array.from({ length: 50 }, () => read(1)), read(2), read(3)]);
  // Two may run at the same time.
  expect(ended.indexOf(2)).toBeLessThan(5);
  expect(ended.indexOf(3)).toBeLessThan(7);
});

test('a page of large rows ends early, says so, and the next pages hold the rest', async () => {
  const tuner = client(service, await service.key({ account: 'large' }));
  const [owner] = await backend.read<{ tenant: number }>("SELECT tenant FROM tenants WHERE account = 'large'");
  const names = JSON.stringify([{ rule_id: unknownId('rule'), name: 'r'.repeat(100_000), state: 'live' }]);
  await backend.write(
    Array.from({ length: 7 }, (_, index) =>
      insertPolicy({
        tenant: owner?.tenant as number,
        version: index + 1,
        thresholds: '{"transaction":{"review":50,"block":80},"event":{"review":50,"block":80}}',
        points: '{}',
        rules: names,
        budget: null,
        author: null,
        created_at: 0,
      }),
    ),
  );
  const pages: number[][] = [];
  for (let query = ''; ; ) {
    const { versions, has_more } = (await tuner.get(`/v1/policy/versions?limit=100${query}`)).json;
    pages.push(versions.map(({ version }: Json) => version));
    if (!has_more) break;
    query = `&before=${versions.at(-1).version}`;
  }
  expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
});

/** Whether one line of a query plan reads by all columns of an index, or by the number of a row. */
const isByKey = async (read: Backend['read'], line: string): Promise<boolean> => {
  if (!/^(SEARCH|SCAN) /.test(line) || line.includes('(rowid=?)')) return true;
  const [, index = '', terms = ''] = /^SEARCH .* INDEX (\w+) \(([^)]*)\)/.exec(line) ?? [];
  const columns = await read(`SELECT name FROM pragma_index_info('${index}')`);
  return columns.length > 0 && terms.split('=?').length - 1 === columns.length;
};
/** Parts of SQL whose rows are limited otherwise. */
const BOUNDED = [
  'LIMIT',
  // Its two parts return one row each.
  'SELECT MAX(number) FROM audit',
  // A value is on at most as many lists as a tenant may have.
  'FROM list_entries WHERE tenant = ? AND kind = ? AND value = ?',
  // An item has a limited number of labels, and each review adds one.
  'FROM reviews WHERE tenant = ? AND id = ?',
  // A unique index: one champion an account.
  "FROM models WHERE account = ? AND status = 'champion'",
];

// The embedded store reads on the thread that screens; SQLite tells how it would read.
test.skipIf(isShared)('the thread that screens reads rows by key only', async () => {
  const owner = await makeTenant();
  const statements = new Map<string, Value[]>();
  const { read } = backend;
  (backend as { -readonly [Name in keyof Backend]: Backend[Name] }).read = (sql, ...params) => {
    statements.set(sql, params);
    return read(sql, ...params);
  };
  try {
    for (const [id] of OPERATIONS) await request(service, id, owner, { key });
    for (const [id] of OPERATIONS) await request(service, id, NO_IDS, { key });
  } finally {
    Object.assign(backend, { read });
  }
  expect(statements.size).toBeGreaterThan(10);
  for (const [sql, params] of statements) {
    const plan = await read<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
    const searches = await Promise.all(plan.map(({ detail }) => isByKey(read, detail)));
    expect(searches.every(Boolean) || BOUNDED.some((part) => sql.includes(part)), sql).toBe(true);
  }
});
