import { describe, expect, test } from 'vitest';
import { countScores } from '../../src/backend/journal-scores.ts';
import { makeProposals } from '../../src/policies/proposal.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { client, DAY_MS, fieldErrors, type Json, payment, REVIEW_IP, startService } from '../fixtures/harness.ts';
import { repeat, storeDecisions, tenantOf } from '../fixtures/past-decisions.ts';

const service = await startService();
const { backend } = service.app;
const BUDGET = { reviewed_per_10k: 200, blocked_per_10k: 10 };
const THRESHOLDS = { review: 50, block: 80 };
const NO_BUDGET = { transaction: null, event: null };

let accounts = 0;
const open = async () => {
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account }));
  return { ...api, account, tenant: await tenantOf(backend, account) };
};

const store = (tenant: number, type: 'transaction' | 'event', scores: readonly number[], daysAgo = 1) =>
  storeDecisions(backend, tenant, type, scores, Date.now() - daysAgo * DAY_MS);

describe('a budget', () => {
  test('is stored in versions, audited and removed by an empty one, and changes no threshold', async () => {
    const { put, get } = await open();
    const { thresholds } = (await get('/v1/policy')).json;
    const set = await put('/v1/policy', { budget: { transaction: BUDGET } });
    expect(set.json).toMatchObject({ version: 1, budget: { transaction: BUDGET, event: null }, thresholds });
    expect((await put('/v1/policy', { points: { new_device: 1 } })).json.budget.transaction).toEqual(BUDGET);
    const event = { blocked_per_10k: 0.5, reviewed_per_10k: 0.5 };
    expect((await put('/v1/policy', { budget: { event } })).json.budget).toEqual({ transaction: null, event });
    expect((await put('/v1/policy', { budget: { event } })).json.version).toBe(3);
    expect((await put('/v1/policy', { budget: {} })).json).toMatchObject({
      version: 4,
      budget: { transaction: null, event: null },
    });
    const { json: versions } = await get('/v1/policy/versions');
    expect(versions.versions.map((one: Json) => one.budget.transaction)).toEqual([null, null, BUDGET, BUDGET]);
    const { json: audit } = await get('/v1/audit?target=policy');
    expect(audit.entries.at(-1)).toMatchObject({
      before: { budget: { transaction: null } },
      after: { budget: { transaction: BUDGET } },
    });
  });

  test('that blocks more than it reviews, or more than all, is refused', async () => {
    const { put } = await open();
    const reply = await put('/v1/policy', {
      budget: {
        transaction: { reviewed_per_10k: 5, blocked_per_10k: 6 },
        event: { reviewed_per_10k: 10_001, blocked_per_10k: -1 },
      },
    });
    expect([reply.status, fieldErrors(reply)]).toEqual([
      400,
      {
        'budget.transaction': '`blocked_per_10k` must not be above `reviewed_per_10k`',
        'budget.event.reviewed_per_10k': expect.any(String),
        'budget.event.blocked_per_10k': expect.any(String),
      },
    ]);
  });
});

describe('a proposal', () => {
  test('has the lowest thresholds within the budget, and the effect of both', async () => {
    const { tenant, put, get } = await open();
    await put('/v1/policy', { budget: { transaction: BUDGET } });
    await store(tenant, 'transaction', [...repeat(1966, 3), ...repeat(32, 61), ...repeat(1, 97), 100]);
    await store(tenant, 'event', repeat(999, 0));
    const { status, json } = await get('/v1/policy/proposal');
    expect(status).toBe(200);
    expect(json.transaction).toMatchObject({
      items: { legitimate: 0, fraud: 0, unlabelled: 2000, forced: 0 },
      budget: BUDGET,
      is_default_budget: false,
      current: { thresholds: { review: 50, block: 80 }, reviewed_per_10k: 170, blocked_per_10k: 10 },
      proposed: { thresholds: { review: 4, block: 62 }, reviewed_per_10k: 170, blocked_per_10k: 10 },
      message: null,
    });
    expect(json.transaction.trade_off).toHaveLength(100);
    expect(json.transaction.trade_off[97]).toEqual({
      threshold: 98,
      legitimate: 1,
      legitimate_per_10k: 5,
      fraud: 0,
      fraud_dollars: 0,
    });
    expect(json.event).toMatchObject({
      items: { unlabelled: 999 },
      budget: { reviewed_per_10k: 100, blocked_per_10k: 5 },
      is_default_budget: true,
      proposed: null,
      message: expect.stringContaining('too few'),
    });
  });

  test('counts real decisions by their label in force, and known fraud with its amount', async () => {
    const { pay, post, get } = await open();
    const screened: Json[] = [];
    for (const currency of ['USD', 'EUR', 'XTS', 'USD'])
      screened.push((await pay(payment({ amount: 117, currency }))).json);
    const label = (i: number, value: string) =>
      post('/v1/labels', { transaction_id: screened[i]?.transaction_id, label: value, source: 'chargeback' });
    for (const i of [0, 1, 2, 3]) await label(i, 'fraud');
    await label(3, 'legitimate');
    await pay(payment());
    const { transaction } = (await get('/v1/policy/proposal?days=1')).json;
    expect(transaction.items).toEqual({ legitimate: 1, fraud: 3, unlabelled: 1, forced: 0 });
    const scores = screened.map(({ risk_score }) => risk_score as number);
    const lowest = Math.max(1, Math.min(...scores.slice(0, 3)));
    const { fraud, fraud_dollars } = transaction.trade_off[lowest - 1];
    expect(fraud).toBe(3);
    expect(fraud_dollars).toBeGreaterThan(117 * 1.5);
    expect(fraud_dollars).toBeLessThan(117 * 2.5);
    const highest = Math.max(...scores.slice(0, 3));
    expect(transaction.trade_off.slice(highest).every((row: Json) => row.fraud === 0)).toBe(true);
  });

  test('leaves out decisions that a list, a rule or a test address forced, also known fraud', async () => {
    const { pay, post, put, get, tenant } = await open();
    await post('/v1/lists', { name: 'stolen', treatment: 'block' });
    await post('/v1/lists/stolen/entries', { entries: [{ kind: 'user', value: 'thief' }] });
    const rule = { name: 'odd', expression: 'amount == 77', action: { decision: 'review' } };
    const { rule_id } = (await post('/v1/rules', rule)).json;
    for (const state of ['shadow', 'live']) await put(`/v1/rules/${rule_id}`, { state });
    const forced = [
      (await pay(payment({ user_id: 'thief' }))).json,
      (await pay(payment({ amount: 77 }))).json,
      (await pay(payment({ ip_address: REVIEW_IP }))).json,
    ];
    expect(forced.map(({ decision }) => decision)).toEqual(['block', 'review', 'review']);
    await post('/v1/labels', { transaction_id: forced[0]?.transaction_id, label: 'fraud', source: 'chargeback' });
    await store(tenant, 'transaction', repeat(1000, 20));
    const { transaction } = (await get('/v1/policy/proposal')).json;
    expect(transaction).toMatchObject({
      items: { legitimate: 0, fraud: 0, unlabelled: 1000, forced: 3 },
      proposed: { thresholds: { review: 21, block: 22 }, reviewed_per_10k: 0 },
    });
    expect(transaction.trade_off.every(({ fraud_dollars }: Json) => fraud_dollars === 0)).toBe(true);
  });

  test('proposes nothing where no thresholds are within the budget', async () => {
    const { tenant, get } = await open();
    await store(tenant, 'event', [...repeat(990, 5), ...repeat(10, 100)]);
    const { event } = (await get('/v1/policy/proposal')).json;
    expect([event.proposed, event.message]).toEqual([null, expect.stringContaining('No thresholds')]);
  });

  test('counts decisions of the period and of the own account and environment only', async () => {
    const [mine, other] = [await open(), await open()];
    await store(mine.tenant, 'event', repeat(3, 40), 5);
    await store(mine.tenant, 'event', repeat(4, 40), 20);
    await store(other.tenant, 'event', repeat(100, 90), 5);
    const items = async (of: typeof mine, query: string) =>
      (await of.get(`/v1/policy/proposal${query}`)).json.event.items.unlabelled;
    expect(await items(mine, '?days=6')).toBe(3);
    expect(await items(mine, '')).toBe(7);
    expect(await items(other, '')).toBe(100);
    const production = client(service, await service.key({ account: mine.account, environment: 'production' }));
    expect((await production.get('/v1/policy/proposal')).json.event.items.unlabelled).toBe(0);
    expect((await mine.get('/v1/policy/proposal?days=91')).status).toBe(400);
  });
});

describe('counting scores', () => {
  test('happens once for equal requests at the same time, and once at a time for all of an account', async () => {
    const [{ tenant }, other] = [await open(), await open()];
    await store(tenant, 'event', [0, 100]);
    let [reads, running, mostRunning] = [0, 0, 0];
    const observed: Pick<typeof backend, 'readLong'> = {
      readLong: async (of, sql, ...params) => {
        if (of === tenant) mostRunning = Math.max(mostRunning, ++running);
        reads++;
        return backend.readLong<never>(of, sql, ...params).finally(() => of === tenant && running--);
      },
    };
    const propose = makeProposals(observed, Date.now);
    const policy = { thresholds: { transaction: THRESHOLDS, event: THRESHOLDS }, budget: NO_BUDGET };
    const alone = await propose(tenant, 5, policy);
    expect(alone.event.items.unlabelled).toBe(2);
    const readsAlone = reads;
    const asked = [5, 5, 5, 6, 6].map((days) => propose(tenant, days, policy));
    const proposals = await Promise.all([...asked, propose(other.tenant, 5, policy)]);
    expect(proposals.map(({ event }) => event.items.unlabelled)).toEqual([2, 2, 2, 2, 2, 0]);
    expect([reads, mostRunning]).toEqual([readsAlone * 4, 1]);
  });

  test('gives the same counts in pages of any size, and stops at its limits', async () => {
    const [{ tenant }, other] = [await open(), await open()];
    const scores = [0, 7, 10, 99, 100, 7, 7, 50, 100, 1];
    for (const score of scores) {
      await store(tenant, 'event', [score]);
      await store(other.tenant, 'event', [100]);
    }
    const count = async (page: number, limits = { read: 1e6, counted: 1e6 }) => {
      const from = firstSeqAt(Date.now() - 1.5 * DAY_MS);
      const { counts, isPartial } = await countScores(backend, tenant, from, { page, ...limits });
      const bySum = new Map<number, number>();
      for (const { score, items } of counts) bySum.set(score, (bySum.get(score) ?? 0) + items);
      return { isPartial, counts: [...bySum].sort(([a], [b]) => a - b) };
    };
    const expected = [0, 1, 7, 10, 50, 99, 100].map((score) => [score, scores.filter((one) => one === score).length]);
    expect(await count(1000)).toEqual({ isPartial: false, counts: expected });
    for (const page of [1, 3]) expect((await count(page)).counts).toEqual(expected);
    const limited = await count(2, { read: 1e6, counted: 4 });
    expect([limited.isPartial, limited.counts.reduce((sum, [, items]) => sum + (items as number), 0)]).toEqual([
      true,
      4,
    ]);
    expect((await count(1, { read: 3, counted: 1e6 })).isPartial).toBe(true);
  });
});
