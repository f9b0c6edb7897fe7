import { describe, expect, onTestFinished, test } from 'vitest';
import { copyTables, restoreTables, tenantOf } from '../fixtures/audit-logs.ts';
import { client, type Json, startService } from '../fixtures/harness.ts';
import { addPerson } from '../fixtures/people.ts';
import { changeRecords } from '../fixtures/records.ts';

const service = await startService();
const { dataDir } = service;
let accounts = 0;
const open = async () => {
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account }));
  const check = async (query = ''): Promise<Json> => (await api.get(`/v1/audit/check${query}`)).json;
  return { account, ...api, check };
};
/** An account with five anchored entries: its key, and four changes of the policy. */
const openLog = async () => {
  const log = await open();
  for (const points of [{ new_device: 1 }, { new_device: 2 }, { new_device: 3 }, {}])
    await log.put('/v1/policy', { points });
  await service.app.auditWatch.round();
  expect(await log.check()).toMatchObject({ intact: true, entries: 5, finding: null, accepted: [] });
  return { ...log, tenant: await tenantOf(dataDir, log.account) };
};

test('the log records who changed what, when, with the values before and after', async () => {
  const { put, get } = await open();
  await put('/v1/policy', { points: { new_device: 9 } });
  await put('/v1/policy', { points: {} });
  const { json } = await get('/v1/audit');
  expect(json.entries).toHaveLength(3);
  expect(json.entries[0]).toMatchObject({
    number: 3,
    role: 'admin',
    action: 'policy.changed',
    target: 'policy',
    before: { version: 1, points: { new_device: 9 } },
    after: { version: 2, points: {} },
    key_id: expect.stringMatching(/^key_/),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect((await get('/v1/audit?target=policy&limit=1')).json.has_more).toBe(true);
  expect((await get('/v1/audit?target=else')).json.entries).toEqual([]);
  // PostgreSQL rejects a NUL in a text.
  expect((await get('/v1/audit?target=a%00')).status).toBe(400);
});

test('entries are found by who made them, what they did and when, and name people', async () => {
  const { account, put, post, get } = await open();
  const { page, email, person } = await addPerson(service, { sandbox: 'admin' }, account);
  await put('/v1/policy', { points: { new_device: 9 } });
  await page.put('/v1/policy', { points: {} });
  await post('/v1/lists', { name: 'own' });
  const found = async (query: string): Promise<string[]> =>
    (await get(`/v1/audit?${query}`)).json.entries.map(({ action }: Json) => action);
  expect(await found('action=policy.changed')).toEqual(['policy.changed', 'policy.changed']);
  expect(await found('action=list')).toEqual(['list.created']);
  expect(await found('action=lis')).toEqual([]);
  expect((await found(`actor=${encodeURIComponent(email.toUpperCase())}`))[0]).toBe('policy.changed');
  expect(await found(`actor=${person.person_id}&action=policy`)).toEqual(['policy.changed']);
  expect(await found('actor=nobody%40acme.example')).toEqual([]);
  expect(await found('actor=key_command_line')).toEqual(['api_key.created', 'api_key.created']);
  const [entry] = (await get('/v1/audit?action=policy.changed')).json.entries;
  expect([entry.person, entry.key_id]).toEqual([email, person.person_id]);
  expect(await found(`from=${entry.at}&action=list`)).toEqual(['list.created']);
  expect(await found(`until=${entry.at}&action=list`)).toEqual([]);
  for (const query of ['action=%25', 'from=x', 'actor=']) expect((await get(`/v1/audit?${query}`)).status).toBe(400);
});

test('entries written while the log is checked are not reported as missing', async () => {
  const log = await openLog();
  const { backend } = service.app;
  const { read } = backend;
  let written = 0;
  let isWriting = false;
  const write = async (): Promise<void> => {
    isWriting = true;
    await log.put('/v1/policy', { points: { new_device: ++written } });
    isWriting = false;
  };
  // One entry after the first look at the head, so that the check looks again; another just before that.
  const readHead: typeof read = async (sql, ...params) => {
    if (written > 0) await write();
    const rows = await read<never>(sql, ...params);
    if (written === 0) await write();
    return rows;
  };
  const isHead = (sql: string, tenant: unknown): boolean =>
    sql.includes('FROM audit_heads WHERE tenant =') && tenant === log.tenant && !isWriting;
  Object.assign(backend, {
    read: ((sql, ...params) => (isHead(sql, params[0]) ? readHead : read)(sql, ...params)) as typeof read,
  });
  onTestFinished(() => void Object.assign(backend, { read }));
  expect(await log.check()).toMatchObject({ intact: true, entries: 6, finding: null });
  expect(written).toBe(2);
});

test('the log is one chain under concurrent changes, without entries of refused changes', async () => {
  const { post, put, check } = await open();
  const rule = { name: 'twice', expression: 'amount > 1', action: { points: 1 } };
  const replies = await Promise.all([
    ...Array.from({ length: 5 }, () => post('/v1/rules', rule)),
    ...Array.from({ length: 5 }, (_, i) => post('/v1/lists', { name: `list_${i}` })),
    ...Array.from({ length: 5 }, (_, i) => put('/v1/policy', { points: { new_device: i + 1 } })),
    ...Array.from({ length: 5 }, (_, i) =>
      post('/v1/lists/block/entries', { entries: [{ kind: 'user', value: `user_${i}` }] }),
    ),
  ]);
  expect(replies.filter(({ status }) => status >= 400).map(({ status }) => status)).toEqual([409, 409, 409, 409]);
  expect(await check()).toMatchObject({ intact: true, entries: 17, broken_at: null });
});

const CUT = 'DELETE FROM audit WHERE tenant = ? AND number > 2';
const HEAD_OF_TWO = `UPDATE audit_heads SET number = 2, hash =
  (SELECT hash FROM audit a WHERE a.tenant = audit_heads.tenant AND number = 2) WHERE tenant = ?`;
const INSERTED = `INSERT INTO audit (tenant, number, at, key_id, role, action, target, before, after, hash)
  SELECT tenant, 6, at, key_id, role, action, target, before, after, hash FROM audit WHERE tenant = ? AND number = 5`;
const move = (from: number, to: number) => `UPDATE audit SET number = ${to} WHERE tenant = ? AND number = ${from}`;
const SWAPPED = [move(2, 99), move(3, 2), move(99, 3)];
/** The content of entry 4 in entry 3, with the hash of entry 3. */
const COPIED = `UPDATE audit SET after = (SELECT after FROM audit a WHERE a.tenant = audit.tenant AND a.number = 4),
  before = (SELECT before FROM audit a WHERE a.tenant = audit.tenant AND a.number = 4),
  at = (SELECT at FROM audit a WHERE a.tenant = audit.tenant AND a.number = 4) WHERE tenant = ? AND number = 3`;
const EMPTIED = 'DELETE FROM audit WHERE tenant = ?';
const NO_HEAD = 'DELETE FROM audit_heads WHERE tenant = ?';

describe('an administrator of the database cannot hide that', () => {
  // The finding, the number of the first broken entry, and the finding after a later change.
  test.each([
    ['an entry was changed', ["UPDATE audit SET after = 'null' WHERE tenant = ? AND number = 2"], 'changed', 2],
    [
      'an entry was attributed to another key',
      ["UPDATE audit SET key_id = 'key_x' WHERE tenant = ? AND number = 3"],
      'changed',
      3,
    ],
    ['an entry was removed', ['DELETE FROM audit WHERE tenant = ? AND number = 2'], 'removed', 2],
    ['the oldest entries were removed', ['DELETE FROM audit WHERE tenant = ? AND number < 3'], 'removed', 1],
    ['an entry was renumbered', [move(1, 9)], 'removed', 1],
    ['two entries were exchanged', SWAPPED, 'reordered', 2],
    ['an entry was replaced by its successor', [COPIED], 'reordered', 3],
    ['an entry was added', [INSERTED], 'inserted', 6],
    ['the newest entries were cut off', [CUT], 'truncated', 3, 'removed'],
    ['the newest entries were cut off together with the head', [CUT, HEAD_OF_TWO], 'truncated', 3],
    ['the newest entries were cut off, and the head', [CUT, NO_HEAD], 'truncated', 3],
    ['the head was deleted', [NO_HEAD], 'head_forged', 6],
    ['the log was emptied', [EMPTIED], 'emptied', 1, 'removed'],
    ['the log was emptied with its head', [EMPTIED, NO_HEAD], 'emptied', 1],
  ] as const)('%s', async (_name, attack, finding, broken_at, later: string = finding) => {
    const { tenant, put, check } = await openLog();
    await changeRecords(dataDir, attack, tenant);
    expect(await check()).toMatchObject({ intact: false, finding, broken_at, anchor: null });
    // Later changes work, and do not hide the tampering.
    for (const new_device of [7, 8]) expect((await put('/v1/policy', { points: { new_device } })).status).toBe(200);
    expect(await check()).toMatchObject({ intact: false, finding: later, broken_at });
  });

  test('an entry of another account was put into the log', async () => {
    const [one, two] = [await openLog(), await openLog()];
    await changeRecords(dataDir, 'DELETE FROM audit WHERE tenant = ? AND number = 3', one.tenant);
    await changeRecords(dataDir, 'UPDATE audit SET tenant = ? WHERE tenant = ? AND number = 3', one.tenant, two.tenant);
    expect(await one.check()).toMatchObject({ finding: 'from_another_account', broken_at: 3 });
    expect(await two.check()).toMatchObject({ finding: 'removed', broken_at: 3 });
  });

  test('the logs of two accounts were exchanged', async () => {
    const [one, two] = [await openLog(), await openLog()];
    const swap = (table: string) =>
      changeRecords(
        dataDir,
        `UPDATE ${table} SET tenant = CASE tenant WHEN ? THEN -1 ELSE -2 END WHERE tenant IN (?, ?)`,
        one.tenant,
        one.tenant,
        two.tenant,
      ).then(() =>
        changeRecords(
          dataDir,
          `UPDATE ${table} SET tenant = CASE tenant WHEN -1 THEN ${two.tenant} ELSE ${one.tenant} END WHERE tenant < 0`,
        ),
      );
    for (const table of ['audit', 'audit_heads']) await swap(table);
    for (const { check } of [one, two])
      expect(await check()).toMatchObject({ finding: 'from_another_account', broken_at: 1 });
  });
});

describe('an older copy of the tables', () => {
  test('is detected, also after further changes', async () => {
    const { put, check } = await openLog();
    const copy = await copyTables(dataDir);
    for (const new_device of [4, 5]) await put('/v1/policy', { points: { new_device } });
    expect(await check()).toMatchObject({ intact: true, entries: 7 });
    await restoreTables(dataDir, copy);
    expect(await check()).toMatchObject({ intact: false, finding: 'rolled_back', broken_at: 6 });
    await put('/v1/policy', { points: { new_device: 6 } });
    expect(await check()).toMatchObject({ intact: false, finding: 'rolled_back', broken_at: 6 });
  });
});

describe('GET /v1/audit/check?anchor', () => {
  test('compares with an anchor that was exported before', async () => {
    const { put, check } = await open();
    const { anchor: first } = await check();
    await put('/v1/policy', { points: { new_device: 4 } });
    const { anchor } = await check();
    expect([first.split(':')[0], anchor.split(':')[0]]).toEqual(['1', '2']);
    for (const kept of [first, anchor]) expect(await check(`?anchor=${kept}`)).toMatchObject({ intact: true, anchor });
    const other = `2:${'0'.repeat(64)}`;
    expect(await check(`?anchor=${other}`)).toMatchObject({ finding: 'rolled_back', broken_at: 2 });
    const later = `3:${'0'.repeat(64)}`;
    expect(await check(`?anchor=${later}`)).toMatchObject({ finding: 'rolled_back', broken_at: 3 });
  });

  test.each(['x', '0:aa', `1:${'0'.repeat(63)}`, `1:${'0'.repeat(64)}0`, `-1:${'0'.repeat(64)}`])(
    'refuses %s',
    async (anchor) => {
      const { get } = await open();
      expect((await get(`/v1/audit/check?anchor=${anchor}`)).status).toBe(400);
    },
  );
});
