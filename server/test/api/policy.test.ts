import { describe, expect, test } from 'vitest';
import { client, fieldErrors, login, payment, startService } from '../fixtures/harness.ts';

const service = await startService();
let accounts = 0;
const open = async () => {
  const account = `account_${accounts++}`;
  return { account, ...client(service, await service.key({ account })) };
};
/** The first payment of a new user, with a score of about 30. */
const newcomer = () => payment({ amount: 20 });

describe('the policy', () => {
  test('is the default policy until it is changed', async () => {
    const { get } = await open();
    const { json } = await get('/v1/policy');
    expect(json).toEqual({
      version: 0,
      ruleset_version: 'rules-6',
      thresholds: { transaction: { review: 50, block: 80 }, event: { review: 50, block: 80 } },
      points: {},
      budget: { transaction: null, event: null },
      rules: [],
      author: null,
      updated_at: null,
    });
    expect((await get('/v1/policy/versions')).json).toEqual({ versions: [], has_more: false });
  });

  test('is in force from the response on, with separate thresholds for payments and events', async () => {
    const { put, pay, act, get } = await open();
    const before = (await pay(newcomer())).json;
    expect(before.decision).toBe('allow');
    const strict = { review: before.risk_score - 1, block: before.risk_score };
    const changed = await put('/v1/policy', { thresholds: { transaction: strict } });
    expect([changed.status, changed.json.version, changed.json.ruleset_version]).toEqual([200, 1, 'rules-6.1']);
    const after = (await pay(newcomer())).json;
    expect([after.risk_score, after.decision]).toEqual([before.risk_score, 'block']);
    expect((await get(`/v1/decisions/${after.decision_id}`)).json.ruleset_version).toBe('rules-6.1');
    expect((await get(`/v1/decisions/${before.decision_id}`)).json).toMatchObject({
      ruleset_version: 'rules-6',
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

  test('can give signals other points, or none', async () => {
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

  test('keeps every version; an equal change makes none', async () => {
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
  ])('%j is refused and changes nothing', async (change, errors) => {
    const { put, get } = await open();
    const reply = await put('/v1/policy', change);
    expect(reply.status).toBe(400);
    expect(fieldErrors(reply)).toEqual(errors);
    expect((await get('/v1/policy')).json.version).toBe(0);
  });

  test('gets one version for each of many concurrent changes', async () => {
    const { put, get } = await open();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put('/v1/policy', { thresholds: { event: { review: 10 + i, block: 80 } } })),
    );
    expect(new Set(replies.map(({ json }) => json.version)).size).toBe(20);
    expect((await get('/v1/policy')).json.version).toBe(20);
    expect((await get('/v1/audit/check')).json).toMatchObject({ intact: true, entries: 21 });
  });

  test('belongs to one account and environment, and survives a restart', async () => {
    const own = await startService();
    const key = await own.key();
    await client(own, key).put('/v1/policy', { thresholds: { transaction: { review: 1, block: 2 } } });
    const others = [await own.key({ account: 'other' }), await own.key({ environment: 'production' })];
    const decisions = async (of: typeof own) =>
      Promise.all([key, ...others].map(async (one) => (await client(of, one).pay(newcomer())).json.decision));
    expect(await decisions(own)).toEqual(['block', 'allow', 'allow']);
    await own.stop();
    const again = await startService({ dataDir: own.dataDir });
    expect(await decisions(again)).toEqual(['block', 'allow', 'allow']);
  });
});
