import { describe, expect, test } from 'vitest';
import {
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  login,
  makeClock,
  payment,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { changeRecords, readRecords } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

const service = await startService();
let accounts = 0;
const open = async () => {
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account }));
  /** Requests a backtest and waits for its outcome. */
  const backtest = async (request: Json): Promise<Json> => {
    const created = await api.post('/v1/backtests', request);
    expect([created.status, created.json.status]).toEqual([202, 'running']);
    const path = `/v1/backtests/${created.json.backtest_id}`;
    await expect.poll(async () => (await api.get(path)).json.status, { timeout: 15_000 }).not.toBe('running');
    return (await api.get(path)).json;
  };
  return { ...api, backtest };
};
type Api = Awaited<ReturnType<typeof open>>;

/** Fixed traffic: every third payment buys a gift card, every second of these is large. */
const sendTraffic = async ({ pay, act }: Api, count = 30): Promise<Json[]> => {
  const sent: Json[] = [];
  for (let i = 0; i < count; i++) {
    const category = i % 3 === 0 ? 'gift_card' : 'books';
    const body = payment({ amount: i % 2 === 0 ? 150 : 20, currency: 'USD', metadata: { category } });
    sent.push((await pay(body)).json);
  }
  await act(login());
  return sent;
};
const GIFTS = 'metadata.category == "gift_card" && amount_usd > 100';

// The comparison itself does not depend on the store, and each backtest starts a thread: it is tested on one store.
describe.skipIf(isShared)('the quality in a backtest', () => {
  test('describes the served score before and after, with known fraud and its amount by currency', async () => {
    const { pay, post, backtest } = await open();
    const sent: Json[] = [];
    for (let i = 0; i < 10; i++)
      sent.push((await pay(payment({ amount: 50 + i, currency: i < 5 ? 'EUR' : 'JPY' }))).json);
    for (const i of [0, 9]) {
      const label = { transaction_id: sent[i]?.transaction_id, label: 'fraud', source: 'chargeback' };
      expect((await post('/v1/labels', label)).status).toBe(201);
    }
    const expression = 'amount == 50 || amount == 51';
    const { outcome } = await backtest({ rule: { expression, action: { decision: 'block' } } });
    const { before, after, model, signals, thresholds_by_budget } = outcome.quality;
    expect(before).toMatchObject({ reviewed_per_10k: 0, blocked_per_10k: 0, fraud_held: 0 });
    expect(before.money).toEqual([
      { currency: 'EUR', fraud_held: 0, fraud_missed: 50, legitimate_held: 0 },
      { currency: 'JPY', fraud_held: 0, fraud_missed: 59, legitimate_held: 0 },
    ]);
    // One fraud of two and one of eight other items are blocked.
    expect(after).toMatchObject({ reviewed_per_10k: 1250, blocked_per_10k: 1250, fraud_held: 0.5 });
    expect(after.money[0]).toEqual({ currency: 'EUR', fraud_held: 50, fraud_missed: 0, legitimate_held: 51 });
    expect(after.average_precision).toBeGreaterThan(0);
    expect(model).toMatchObject({ reviewed_per_10k: 0, fraud_held: 0, average_precision: expect.any(Number) });
    const rule = signals.find(({ signal }: Json) => signal === 'rule.candidate');
    expect(rule).toMatchObject({ items: 2, frauds: 1, precision: 0.5 });
    expect([rule.precision_low < 0.2, rule.precision_high > 0.8]).toEqual([true, true]);
    expect(thresholds_by_budget).toEqual({ transaction: null, event: null });
  });

  test('is null in a backtest of an earlier version', async () => {
    const { backtest, get } = await open();
    const { backtest_id } = await backtest({ policy: {} });
    const [row] = await readRecords<{ outcome: string }>(
      service.dataDir,
      'SELECT outcome FROM backtests WHERE id = ?',
      backtest_id.slice('bt_'.length),
    );
    const { quality: _, ...earlier } = JSON.parse(row?.outcome as string) as Json;
    const sql = 'UPDATE backtests SET outcome = ? WHERE id = ?';
    await changeRecords(service.dataDir, sql, JSON.stringify(earlier), backtest_id.slice('bt_'.length));
    expect((await get(`/v1/backtests/${backtest_id}`)).json.outcome.quality).toBeNull();
  });
});

describe.skipIf(isShared)('points of a policy', () => {
  test('replace the review of a signal in a backtest, as they do live', async () => {
    const { pay, post, put, backtest } = await open();
    const buy = async (user_id: string): Promise<Json> =>
      (await pay({ user_id, amount: 20, currency: 'EUR', device_token: 'shared tablet' })).json;
    // So high that the model alone does not lead to a review.
    await put('/v1/policy', { thresholds: { transaction: { review: 98, block: 99 } } });
    const { transaction_id } = await buy('first');
    await post('/v1/labels', { transaction_id, label: 'fraud', source: 'chargeback' });
    expect((await buy('second')).decision).toBe('review');
    const policy = { points: { fraud_on_device: 0 } };
    const asked = await backtest({ policy });
    expect([asked.outcome.before, asked.outcome.after]).toEqual([
      { allow: 1, review: 1, block: 0 },
      { allow: 2, review: 0, block: 0 },
    ]);
    await put('/v1/policy', policy);
    expect((await buy('third')).decision).toBe('allow');
    expect((await backtest({ policy: {} })).outcome.before).toEqual({ allow: 3, review: 0, block: 0 });
  });
});

describe.skipIf(isShared)('a rule', () => {
  test('has the same hits as backtest, in shadow and live on equal traffic, from draft to retired', async () => {
    const api = await open();
    const { post, put, get, backtest } = api;
    await sendTraffic(api);
    const created = await post('/v1/rules', { name: 'gifts', expression: GIFTS, action: { decision: 'review' } });
    expect([created.status, created.json.state]).toEqual([201, 'draft']);
    const at = `/v1/rules/${created.json.rule_id}`;

    const { outcome } = await backtest({ rule_id: created.json.rule_id });
    expect(outcome).toMatchObject({
      items: 31,
      hits: 5,
      changed: 5,
      before: { allow: 31, review: 0, block: 0 },
      after: { allow: 26, review: 5, block: 0 },
      dollars: { hits: 750, fraud_hits: 0, legitimate_hits: 0 },
    });
    expect(outcome.examples).toHaveLength(5);
    expect(outcome.examples[0]).toMatchObject({ decision_before: 'allow', decision_after: 'review', score_after: 50 });
    expect(outcome.examples[0].summary).toMatch(/^Rule gifts/);

    expect((await put(at, { state: 'shadow' })).json.state).toBe('shadow');
    const inShadow = await sendTraffic(api);
    expect(inShadow.map(({ decision }) => decision)).not.toContain('review');
    expect((await get(at)).json.hits.matched).toBe(5);
    const shadowHits = (await get(`${at}/hits`)).json.hits;
    expect(shadowHits.map(({ state }: Json) => state)).toEqual(new Array(5).fill('shadow'));
    expect(shadowHits.map(({ decision }: Json) => decision)).toEqual(
      outcome.examples.map(({ decision_after }: Json) => decision_after),
    );

    expect((await put(at, { state: 'live' })).json.state).toBe('live');
    const live = await sendTraffic(api);
    const held = live.filter(({ decision }) => decision === 'review');
    expect(held).toHaveLength(5);
    expect(held.every(({ signals }) => signals.includes('rule.gifts'))).toBe(true);
    expect((await get(at)).json.hits.matched).toBe(5);
    const { json: decision } = await get(`/v1/decisions/${held[0].decision_id}`);
    expect(decision.factors[0]).toMatchObject({ signal: 'rule.gifts' });
    expect(decision.ruleset_version).toMatch(/^rules-6\.\d+$/);

    // A backtest of a live rule changes nothing.
    const again = await backtest({ rule_id: created.json.rule_id, from: '2026-01-01' });
    expect([again.outcome.hits, again.outcome.changed]).toEqual([15, 0]);

    expect((await put(at, { state: 'retired' })).json.state).toBe('retired');
    const after = await sendTraffic(api);
    expect(after.map(({ decision: value }) => value)).not.toContain('review');
    const { json: audit } = await get('/v1/audit?limit=100');
    expect(audit.entries.map(({ action }: Json) => action)).toEqual([
      'rule.changed',
      'rule.changed',
      'rule.changed',
      'rule.created',
      'api_key.created',
    ]);
    expect((await get('/v1/audit/check')).json.intact).toBe(true);
  });

  test('is evaluated in its live position: points are rounded after each rule', async () => {
    const { post, put, backtest, pay } = await open();
    const large = () => payment({ amount: 150, currency: 'USD' });
    const add = (score: number, points: number): number => score + Math.round(((100 - score) * points) / 100);
    const before = (await pay(large())).json.risk_score;
    const points = Array.from({ length: 50 }, (_, i) => i + 1).find(
      (one) => add(add(before, one), 50) !== add(add(before, 50), one),
    ) as number;
    const made = await Promise.all(
      [points, 50].map(async (of, i) => {
        const rule = { name: `rule_${i}`, expression: 'amount_usd > 100', action: { points: of } };
        return (await post('/v1/rules', rule)).json.rule_id as string;
      }),
    );
    const [first, second] = made.sort() as [string, string];
    const putLive = async (id: string): Promise<void> => {
      for (const state of ['shadow', 'live']) await put(`/v1/rules/${id}`, { state });
    };
    await putLive(second);
    const { outcome } = await backtest({ rule_id: first });
    await putLive(first);
    expect(outcome.examples[0].score_after).toBe((await pay(large())).json.risk_score);
  });

  test('can be backtested without being stored, with counts of labels and overlap with live rules', async () => {
    const api = await open();
    const { post, put, backtest } = api;
    const large = await post('/v1/rules', { name: 'large', expression: 'amount_usd > 100', action: { points: 1 } });
    for (const state of ['shadow', 'live']) await put(`/v1/rules/${large.json.rule_id}`, { state });
    const sent = await sendTraffic(api);
    await post('/v1/labels', { transaction_id: sent[0].transaction_id, label: 'fraud', source: 'chargeback' });
    await post('/v1/labels', { transaction_id: sent[3].transaction_id, label: 'legitimate', source: 'support' });
    await post('/v1/labels', { transaction_id: sent[1].transaction_id, label: 'fraud', source: 'chargeback' });
    const { outcome } = await backtest({
      rule: { expression: 'metadata.category == "gift_card"', action: { decision: 'block' } },
    });
    expect(outcome).toMatchObject({
      hits: 10,
      fraud: { items: 2, hits: 1 },
      legitimate: { items: 1, hits: 1 },
      dollars: { fraud_hits: 150, legitimate_hits: 20 },
      overlap: [{ name: 'large', hits: 15, both: 5 }],
    });
  });
});

describe.skipIf(isShared)('a policy', () => {
  test('can be backtested before it is changed', async () => {
    const api = await open();
    const sent = await sendTraffic(api);
    const lowest = Math.min(...sent.map(({ risk_score }) => risk_score));
    const strict = { transaction: { review: lowest, block: 100 } };
    const { outcome } = await api.backtest({ policy: { thresholds: strict } });
    expect([outcome.hits, outcome.changed, outcome.after.review]).toEqual([30, 30, 30]);
    await api.put('/v1/policy', { thresholds: strict });
    expect((await sendTraffic(api, 3)).map(({ decision }) => decision)).toEqual(['review', 'review', 'review']);
  });
});

describe('a backtest', () => {
  test('reads only the requested time and its own tenant', async () => {
    const api = await open();
    await sendTraffic(api, 5);
    const { outcome } = await api.backtest({ rule: { expression: 'true', action: { points: 1 } } });
    expect(outcome.items).toBe(6);
    const past = await api.backtest({ rule: { expression: 'true', action: { points: 1 } }, until: '2026-01-01' });
    expect(past.outcome.items).toBe(0);
  });

  test('reads nothing past its retention, swept or not, and ends now at the latest', async () => {
    const clock = makeClock();
    const own = await startService({ clock: clock.now });
    const api = client(own, await own.key());
    await api.pay(payment());
    clock.advance(DAY_MS);
    await api.pay(payment());
    clock.advance(89 * DAY_MS + 1);
    const request = { rule: { expression: 'true', action: { points: 1 } }, from: '2020-01-01', until: '2999-01-01' };
    const { json } = await api.post('/v1/backtests', request);
    expect(json.until).toBe(iso(clock.now() + 1));
    const path = `/v1/backtests/${json.backtest_id}`;
    await expect.poll(async () => (await api.get(path)).json.outcome?.items, { timeout: 15_000 }).toBe(1);
  });

  test('that fails shows callers nothing of the store, and logs the reason', async () => {
    const own = await startService();
    const api = client(own, await own.key());
    await api.pay(payment());
    await changeRecords(own.dataDir, "UPDATE screenings SET request = '{'");
    const { json } = await api.post('/v1/backtests', { rule: { expression: 'true', action: { points: 1 } } });
    const path = `/v1/backtests/${json.backtest_id}`;
    await expect.poll(async () => (await api.get(path)).json.status, { timeout: 15_000 }).toBe('failed');
    expect((await api.get(path)).json.message).toBe('The backtest failed. The log of the service has the reason.');
    expect(own.logs.filter((line) => line.includes('backtest failed'))).toHaveLength(1);
    expect((await api.post('/v1/backtests', { policy: {} })).status).toBe(202);
  });

  test('that is cancelled ends as failed, and another can begin at once', async () => {
    const api = await open();
    await sendTraffic(api, 3);
    const { backtest_id } = (await api.post('/v1/backtests', { policy: {} })).json;
    const path = `/v1/backtests/${backtest_id}`;
    const cancelled = await api.post(`${path}/cancel`, {});
    expect([cancelled.status, cancelled.json]).toMatchObject([
      200,
      { backtest_id, status: 'failed', message: 'The backtest was cancelled.', outcome: null },
    ]);
    const { status } = await api.backtest({ policy: {} });
    expect(status).toBe('done');
    expect((await api.get(path)).json).toEqual(cancelled.json);
    // One that has ended stays as it is.
    const [{ backtest_id: done }] = (await api.get('/v1/backtests?limit=1')).json.backtests;
    expect((await api.post(`/v1/backtests/${done}/cancel`, {})).json.status).toBe('done');
    expect((await (await open()).post(`${path}/cancel`, {})).status).toBe(404);
  });

  test('of another process runs while its lease lasts, then is failed; until then no other can begin', async () => {
    const clock = makeClock();
    const own = await startService({ clock: clock.now });
    const api = client(own, await own.key());
    const { json } = await api.post('/v1/backtests', { policy: {} });
    const path = `/v1/backtests/${json.backtest_id}`;
    await expect.poll(async () => (await api.get(path)).json.status, { timeout: 15_000 }).toBe('done');
    const sql =
      "UPDATE backtests SET status = 'running', ended_at = NULL, outcome = NULL, progress = 0.4, alive_until = ?";
    await changeRecords(own.dataDir, sql, clock.now() + 15_000);
    expect((await api.get(path)).json).toMatchObject({ status: 'running', progress: 0.4 });
    expect((await api.post('/v1/backtests', { policy: {} })).json.error.code).toBe('backtest_in_progress');
    clock.advance(15_000);
    expect((await api.get(path)).json).toMatchObject({
      status: 'failed',
      message: 'The service was stopped. Create the backtest again.',
    });
    expect((await api.post('/v1/backtests', { policy: {} })).status).toBe(202);
  });

  test('is failed when its service stops; a later start leaves running backtests alone', async () => {
    const own = await startService();
    const key = await own.key();
    const { json } = await client(own, key).post('/v1/backtests', { policy: {} });
    const copy = `INSERT INTO backtests SELECT 'elsewhere', tenant + 1, status, request, from_at, until_at, created_at, ended_at, message, outcome,
      alive_until, progress FROM backtests`;
    await changeRecords(own.dataDir, copy);
    await own.stop();
    const again = await startService({ dataDir: own.dataDir });
    expect((await client(again, key).get(`/v1/backtests/${json.backtest_id}`)).json).toMatchObject({
      status: 'failed',
      message: 'The service was stopped. Create the backtest again.',
    });
    expect(await readRecords(own.dataDir, "SELECT status FROM backtests WHERE id = 'elsewhere'")).toEqual([
      { status: 'running' },
    ]);
  });

  test('is stored, listed newest first, and invisible to other accounts', async () => {
    const api = await open();
    const rule = { expression: 'true', action: { points: 1 } };
    const ids = [(await api.backtest({ rule })).backtest_id, (await api.backtest({ rule })).backtest_id];
    const { json } = await api.get('/v1/backtests');
    expect(json.backtests.map(({ backtest_id }: Json) => backtest_id)).toEqual(ids.toReversed());
    const page = (await api.get('/v1/backtests?limit=1')).json;
    expect([page.backtests.length, page.has_more]).toEqual([1, true]);
    const stranger = await open();
    expect((await stranger.get(`/v1/backtests/${ids[0]}`)).status).toBe(404);
    expect((await stranger.get('/v1/backtests')).json.backtests).toEqual([]);
  });

  test.each([
    [{}, { rule: 'send exactly one of `rule_id`, `rule` and `policy`' }],
    [
      { rule: { expression: 'true', action: { points: 1 } }, policy: {} },
      { rule: 'send exactly one of `rule_id`, `rule` and `policy`' },
    ],
    [
      { rule: { expression: 'amout > 1', action: { points: 1 } } },
      { 'rule.expression': expect.stringContaining('did you mean `amount`') },
    ],
    [{ policy: {}, from: 'yesterday' }, { from: expect.stringContaining('must be an RFC 3339 time') }],
    [{ policy: { points: { no_such_signal: 5 } } }, { 'policy.points.no_such_signal': expect.any(String) }],
  ])('%j is refused', async (request, errors) => {
    const { post } = await open();
    const reply = await post('/v1/backtests', request);
    expect(reply.status).toBe(400);
    expect(fieldErrors(reply)).toEqual(errors);
  });

  test('of an unknown rule is 404', async () => {
    const { post } = await open();
    expect((await post('/v1/backtests', { rule_id: unknownId('rule') })).status).toBe(404);
  });

  test('cannot begin while another of the tenant runs', async () => {
    const { post, get } = await open();
    const request = { rule: { expression: 'true', action: { points: 1 } } };
    const replies = await Promise.all([post('/v1/backtests', request), post('/v1/backtests', request)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
    const { json } = replies.find(({ status }) => status === 202) as Json;
    const path = `/v1/backtests/${json.backtest_id}`;
    await expect.poll(async () => (await get(path)).json.status, { timeout: 15_000 }).toBe('done');
  });
});
