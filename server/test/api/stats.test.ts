import { MAX_DAYS_OF_HOURS } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  type Client,
  client,
  DAY_MS,
  fieldErrors,
  HOUR_MS,
  iso,
  type Json,
  MINUTE_MS,
  makeClock,
  payment,
  type Service,
  START,
  startService,
} from '../fixtures/harness.ts';
import { untilSearched } from '../fixtures/searched.ts';
import { isShared } from '../fixtures/shared-store.ts';

const clock = makeClock();
let service: Service;
beforeAll(async () => {
  service = await startService({ clock: clock.now });
});

let accounts = 0;
/** An account without any item. */
const newAccount = async (): Promise<Client> =>
  client(service, await service.key({ account: `account_${accounts++}` }));

const totalsOf = async (api: Client): Promise<Json> => {
  await untilSearched(api, clock);
  return (await api.get('/v1/stats/decisions')).json.totals;
};
const label = (api: Client, { transaction_id }: Json, value: string) =>
  api.post('/v1/labels', { transaction_id, label: value, source: 'test' });

describe('GET /v1/stats/decisions', () => {
  test('shows every hour or day, also those without an item', async () => {
    const api = await newAccount();
    const { points, totals, from, until } = (await api.get('/v1/stats/decisions')).json;
    expect([from, until]).toEqual(['2026-10-16T00:00:00.000Z', '2026-11-15T00:00:00.000Z']);
    expect(points).toHaveLength(30);
    expect(points.every(({ at: _, ...point }: Json) => JSON.stringify(point) === JSON.stringify(totals))).toBe(true);
    const hours = (await api.get(`/v1/stats/decisions?step=1h&from=${iso(START)}&until=${iso(START + 1)}`)).json;
    expect(hours.points.map(({ at }: Json) => at)).toEqual(['2026-11-14T09:00:00.000Z']);
  });

  test('a label moves the amount once, however often it is repeated or changed', async () => {
    const api = await newAccount();
    const held = (await api.pay(payment({ amount: 10.01, currency: 'USD', ip_address: BLOCK_IP }))).json;
    const missed = (await api.pay(payment({ amount: 20.02, currency: 'USD' }))).json;
    const before = await totalsOf(api);
    expect(before).toMatchObject({ block: 1, allow: 1, amount_usd: 30.03, held_usd: 10.01, saved_usd: 0, fraud: 0 });
    for (const value of ['fraud', 'fraud', 'legitimate', 'fraud', 'fraud']) await label(api, held, value);
    await label(api, missed, 'fraud');
    expect(await totalsOf(api)).toEqual({ ...before, saved_usd: 10.01, fraud: 2, fraud_usd: 30.03 });
    await label(api, held, 'legitimate');
    expect(await totalsOf(api)).toEqual({ ...before, fraud: 1, legitimate: 1, fraud_usd: 20.02 });
  });

  test('a label counts in the hour of its item, and a review does not change the decision', async () => {
    const api = await newAccount();
    const { decision_id, screened_at } = await api.flagPayment({ amount: 5, currency: 'USD' });
    clock.advance(3 * HOUR_MS);
    await api.post(`/v1/decisions/${decision_id}/review`, { decision: 'block' });
    await untilSearched(api, clock);
    const { points } = (await api.get(`/v1/stats/decisions?step=1h&from=${screened_at}`)).json;
    expect(points[0]).toMatchObject({ review: 1, block: 0, fraud: 1, held_usd: 5, saved_usd: 5 });
    expect(points.slice(1).every(({ fraud, review, block }: Json) => fraud + review + block === 0)).toBe(true);
  });

  test('counts an amount whose currency has no cents, and the largest amounts', async () => {
    const api = await newAccount();
    await api.pay(payment({ amount: 1e12, currency: 'USD' }));
    await api.pay(payment({ amount: 0.01, currency: 'USD' }));
    expect((await totalsOf(api)).amount_usd).toBe(1_000_000_000_000.01);
  });
});

describe('400', () => {
  test.each(['decisions', 'scores', 'signals', 'rules', 'countries', 'cases'])('%s: an empty range', async (path) => {
    const api = await newAccount();
    const reply = await api.get(`/v1/stats/${path}?from=2026-11-02&until=2026-11-01`);
    expect([reply.status, fieldErrors(reply)]).toEqual([400, { until: 'must not be less than `from`' }]);
    const future = await api.get(`/v1/stats/${path}?from=2036-11-02`);
    expect([future.status, fieldErrors(future)]).toEqual([400, { from: 'must not be in the future' }]);
  });

  test('hours of more than a month', async () => {
    const api = await newAccount();
    const days = (count: number) => `/v1/stats/decisions?step=1h&from=${iso(clock.now() - count * DAY_MS)}`;
    const { json } = await api.get(days(MAX_DAYS_OF_HOURS));
    expect(json.points).toHaveLength(MAX_DAYS_OF_HOURS * 24 + 1);
    expect(fieldErrors(await api.get(days(MAX_DAYS_OF_HOURS + 1)))).toHaveProperty('step');
  });
});

describe('GET /v1/stats/cases', () => {
  test('counts cases by the day of each event, and the time to resolve them', async () => {
    const api = await newAccount();
    clock.set(Date.parse('2026-12-01T08:00:00Z'));
    const flag = async (): Promise<string> => (await api.flagPayment()).case_id;
    const resolve = (caseId: string, status: string, analyst?: string) =>
      api.put(`/v1/cases/${caseId}`, { status, ...(analyst === undefined ? {} : { analyst_id: analyst }) });
    const [first, second, third] = [await flag(), await flag(), await flag()];
    clock.advance(10 * MINUTE_MS);
    await resolve(first, 'approved', 'mara');
    clock.advance(10 * MINUTE_MS);
    await resolve(second, 'rejected', 'mara');
    clock.set(Date.parse('2026-12-02T08:00:00Z'));
    await resolve(third, 'rejected');
    await flag();
    clock.set(Date.parse('2026-12-09T08:00:00Z'));
    expect((await api.get('/v1/stats/cases?from=2026-12-01')).json.totals.within_target).toBeNull();
    await api.put('/v1/settings', { review_target_minutes: 10 });
    const { json } = await api.get('/v1/stats/cases?from=2026-12-01');
    expect(json).toMatchObject({ from: '2026-12-01T00:00:00.000Z', until: '2026-12-10T00:00:00.000Z' });
    const day = (at: string) => json.days.find((one: Json) => one.at.startsWith(at));
    expect(json.days).toHaveLength(9);
    expect(day('2026-12-01')).toMatchObject({
      ...{ opened: 3, approved: 1, rejected: 1, expired: 0 },
      seconds_to_resolve: { p50: 600, p90: 1200 },
      within_target: 1,
    });
    expect(day('2026-12-02')).toMatchObject({
      ...{ opened: 1, approved: 0, rejected: 1, expired: 0 },
      seconds_to_resolve: { p50: 86_400, p90: 86_400 },
      within_target: 0,
    });
    expect(day('2026-12-09')).toMatchObject({ opened: 0, approved: 0, expired: 1, seconds_to_resolve: null });
    expect(json.totals).toEqual({
      ...{ opened: 4, approved: 1, rejected: 2, expired: 1 },
      seconds_to_resolve: { p50: 1200, p90: 86_400 },
      within_target: 1,
    });
    expect(json.analysts).toEqual([
      { analyst_id: 'mara', approved: 1, rejected: 1, seconds_to_resolve: { p50: 600, p90: 1200 }, within_target: 1 },
      {
        analyst_id: null,
        approved: 0,
        rejected: 1,
        seconds_to_resolve: { p50: 86_400, p90: 86_400 },
        within_target: 0,
      },
    ]);
  });
});

describe('GET /v1/stats/service', () => {
  test('shows the store, recent screenings of the account and the latency of the process', async () => {
    const [api, other] = [await newAccount(), await newAccount()];
    await api.pay(payment());
    clock.advance(2 * MINUTE_MS);
    await api.pay(payment());
    await other.pay(payment({ device_token: 'device_1' }));
    await untilSearched(api, clock);
    const { json } = await api.get('/v1/stats/service');
    expect(json).toMatchObject({
      store: isShared ? 'postgresql' : 'embedded',
      screenings_per_minute: 1,
      deliveries_pending: 0,
    });
    // The other account sent a device, and this one did not.
    expect(json.members).toContainEqual({ type: 'transaction', name: 'device_token', requests: 2, share: 0 });
    expect(json.members).toContainEqual({ type: 'event', name: 'email', requests: 0, share: null });
    expect(json.latency_ms.p50).toBeGreaterThan(0);
    expect(json.latency_ms.p99).toBeGreaterThanOrEqual(json.latency_ms.p50);
    expect(json.search_behind_seconds).toBeGreaterThanOrEqual(0);
  });
});

test('sums end with the retention of their items, and are deleted', async () => {
  const api = await newAccount();
  await api.flagPayment();
  const countSums = async (): Promise<number> => (await totalsOf(api)).review;
  expect(await countSums()).toBe(1);
  clock.advance(91 * DAY_MS);
  expect((await api.get('/v1/stats/decisions?from=2026-01-01')).json.totals.review).toBe(0);
  await service.app.retention.sweepAll();
  clock.set(clock.now() - 30 * DAY_MS);
  expect((await api.get('/v1/stats/decisions?from=2026-01-01')).json.totals.review).toBe(0);
});
