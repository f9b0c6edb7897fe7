import { describe, expect, test } from 'vitest';
import { client, faultsOf, login, payment, startService } from './harness.ts';
import { changeRecords, readRecords } from './records.ts';

const service = await startService();
let accounts = 0;
const open = async () => {
  const account = `account_${accounts++}`;
  return { account, ...client(service, await service.key({ account })) };
};
/** A score of about 30: what a newcomer's first payment gets. */
const newcomer = () => payment({ amount: 20 });

describe('the policy', () => {
  test('is the one that ships until somebody changes it', async () => {
    const { get } = await open();
    const { json } = await get('/v1/policy');
    expect(json).toEqual({
      version: 0,
      ruleset_version: 'rules-4',
      thresholds: { transaction: { review: 50, block: 80 }, event: { review: 50, block: 80 } },
      points: {},
      rules: [],
      author: null,
      updated_at: null,
    });
    expect((await get('/v1/policy/versions')).json).toEqual({ versions: [], has_more: false });
  });

  test('decides from the answer on, for payments and events each by their own thresholds', async () => {
    const { put, pay, act, get } = await open();
    const before = (await pay(newcomer())).json;
    expect(before.decision).toBe('allow');
    const strict = { review: before.risk_score - 1, block: before.risk_score };
    const changed = await put('/v1/policy', { thresholds: { transaction: strict } });
    expect([changed.status, changed.json.version, changed.json.ruleset_version]).toEqual([200, 1, 'rules-4.1']);
    const after = (await pay(newcomer())).json;
    expect([after.risk_score, after.decision]).toEqual([before.risk_score, 'block']);
    expect((await get(`/v1/decisions/${after.decision_id}`)).json.ruleset_version).toBe('rules-4.1');
    expect((await get(`/v1/decisions/${before.decision_id}`)).json).toMatchObject({
      ruleset_version: 'rules-4',
      decision: 'allow',
    });
    expect((await act(login())).json.decision).toBe('allow');
    await put('/v1/policy', { thresholds: { event: { review: 1, block: 100 } } });
    expect((await act(login())).json.decision).toBe('review');
    expect((await get('/v1/policy')).json.thresholds).toEqual({
      transaction: strict,
      event: { review: 1, block: 100 },
    });
  });

  test('gives signals other points, or none', async () => {
    const { put, pay } = await open();
    const many = async (): Promise<string[]> => {
      const user_id = `user_${Math.random()}`;
      let signals: string[] = [];
      for (let i = 0; i < 8; i++) signals = (await pay(payment({ user_id, device_token: `device_${i}` }))).json.signals;
      return signals;
    };
    expect(await many()).toContain('device_switching');
    await put('/v1/policy', { points: { device_switching: 0 } });
    const scoreless = await many();
    expect(scoreless).toContain('device_switching');
  });

  test('keeps every version; the same again makes none', async () => {
    const { put, get } = await open();
    for (const review of [40, 45, 45]) await put('/v1/policy', { thresholds: { event: { review, block: 80 } } });
    const { json } = await get('/v1/policy/versions');
    expect(json.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    const page = (await get('/v1/policy/versions?limit=1')).json;
    expect([page.versions.length, page.has_more]).toEqual([1, true]);
    expect((await get('/v1/policy/versions?before=2')).json.versions).toHaveLength(1);
  });

  test.each([
    [{ thresholds: { event: { review: 80, block: 50 } } }, { 'thresholds.event': '`review` must be below `block`' }],
    [{ thresholds: { event: { review: 0, block: 50 } } }, { 'thresholds.event.review': expect.any(String) }],
    [{ points: { no_such_signal: 5 } }, { 'points.no_such_signal': expect.stringContaining('name of a signal') }],
    [{ points: { new_device: 101 } }, { 'points.new_device': expect.any(String) }],
  ])('%j is refused and changes nothing', async (change, faults) => {
    const { put, get } = await open();
    const reply = await put('/v1/policy', change);
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual(faults);
    expect((await get('/v1/policy')).json.version).toBe(0);
  });

  test('changed by many at once ends as the last of them, each a version of its own', async () => {
    const { put, get } = await open();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put('/v1/policy', { thresholds: { event: { review: 10 + i, block: 80 } } })),
    );
    expect(new Set(replies.map(({ json }) => json.version)).size).toBe(20);
    expect((await get('/v1/policy')).json.version).toBe(20);
    expect((await get('/v1/audit/check')).json).toEqual({ intact: true, entries: 20, broken_at: null });
  });

  test('is of one account and environment, and survives a restart', async () => {
    const own = await startService();
    const key = await own.key();
    await client(own, key).put('/v1/policy', { thresholds: { transaction: { review: 5, block: 6 } } });
    const others = [await own.key({ account: 'other' }), await own.key({ environment: 'production' })];
    const decisions = async (of: typeof own) =>
      Promise.all([key, ...others].map(async (one) => (await client(of, one).pay(newcomer())).json.decision));
    expect(await decisions(own)).toEqual(['block', 'allow', 'allow']);
    await own.stop();
    const again = await startService({ dataDir: own.dataDir });
    expect(await decisions(again)).toEqual(['block', 'allow', 'allow']);
  });
});

const HEAD_OF_TWO = `DELETE FROM audit WHERE tenant = ? AND number > 2;
  UPDATE audit_heads SET number = 2, hash = (SELECT hash FROM audit a WHERE a.tenant = audit_heads.tenant AND number = 2) WHERE tenant = ?`;
const SLIPPED_IN = `INSERT INTO audit (tenant, number, at, key_id, role, action, target, before, after, hash)
  SELECT tenant, 5, at, key_id, role, action, target, before, after, hash FROM audit WHERE tenant = ? AND number = 4`;

describe('the audit', () => {
  test('tells who changed what, when, before and after', async () => {
    const { put, get } = await open();
    await put('/v1/policy', { points: { new_device: 9 } });
    await put('/v1/policy', { points: {} });
    const { json } = await get('/v1/audit');
    expect(json.entries).toHaveLength(2);
    expect(json.entries[0]).toMatchObject({
      number: 2,
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
    // PostgreSQL takes no such text.
    expect((await get('/v1/audit?target=a%00')).status).toBe(400);
  });

  test('is one chain, whatever is changed at the same time, and has no entry of what was refused', async () => {
    const { post, put, get } = await open();
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
    expect((await get('/v1/audit/check')).json).toEqual({ intact: true, entries: 16, broken_at: null });
  });

  test.each([
    ['changed', "UPDATE audit SET after = 'null' WHERE tenant = ? AND number = 2", 2],
    ['said to be by another', "UPDATE audit SET key_id = 'key_x' WHERE tenant = ? AND number = 3", 3],
    ['removed', 'DELETE FROM audit WHERE tenant = ? AND number = 2', 2],
    ['put in the place of another', 'UPDATE audit SET number = 9 WHERE tenant = ? AND number = 1', 1],
    ['cut off behind the second', 'DELETE FROM audit WHERE tenant = ? AND number > 2', 3],
    ['cut off, with the head', HEAD_OF_TWO, 3],
    ['left without a head', 'DELETE FROM audit_heads WHERE tenant = ?', 5],
    ['slipped in at the end', SLIPPED_IN, 5],
  ])('shows an entry that was %s', async (_name, tamper, brokenAt) => {
    const { account, put, get } = await open();
    for (const points of [{ new_device: 1 }, { new_device: 2 }, { new_device: 3 }, {}])
      await put('/v1/policy', { points });
    expect((await get('/v1/audit/check')).json).toEqual({ intact: true, entries: 4, broken_at: null });
    const [{ tenant }] = (await readRecords(
      service.dataDir,
      'SELECT tenant FROM tenants WHERE account = ?',
      account,
    )) as [{ tenant: number }];
    await changeRecords(service.dataDir, tamper.split(';'), tenant);
    expect((await get('/v1/audit/check')).json).toMatchObject({ intact: false, broken_at: brokenAt });
    // Nor does it heal: changes go on, and what comes after does not cover it up.
    expect((await put('/v1/policy', { points: { new_device: 7 } })).status).toBe(200);
    expect((await get('/v1/audit/check')).json).toMatchObject({ intact: false, broken_at: brokenAt });
  });
});
