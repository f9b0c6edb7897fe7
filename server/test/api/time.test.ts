import { describe, expect, test } from 'vitest';
import {
  type Client,
  client,
  DAY_MS,
  HOUR_MS,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  START,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const key = await service.key();
const api = client(service, key);
const { pay, act, get, put, post } = api;
const WEEK = 7 * DAY_MS;
const RETENTION = 90 * DAY_MS;

/** The status of a case in every response that contains it. */
const statusesOf = async ({ get: read }: Client, screened: Json): Promise<Record<string, unknown>> => {
  const isListed = async (status: string) =>
    (await read(`/v1/cases?status=${status}&limit=100`)).json.cases.some((of: Json) => of.case_id === screened.case_id);
  const all = (await read('/v1/cases?limit=100')).json.cases;
  return {
    get: (await read(`/v1/cases/${screened.case_id}`)).json.status,
    list: all.find((of: Json) => of.case_id === screened.case_id)?.status,
    inOpen: await isListed('open'),
    inExpired: await isListed('expired'),
    profile: (await read(`/v1/users/${screened.user_id}/risk-profile`)).json.cases.by_status,
  };
};
const OPEN = {
  get: 'open',
  list: 'open',
  inOpen: true,
  inExpired: false,
  profile: { open: 1, approved: 0, rejected: 0, expired: 0 },
};
const EXPIRED = {
  get: 'expired',
  list: 'expired',
  inOpen: false,
  inExpired: true,
  profile: { open: 0, approved: 0, rejected: 0, expired: 1 },
};

describe('an unresolved case', () => {
  test('is open until the last millisecond of seven days, then expired, in every response', async () => {
    clock.set(START);
    const { json: screened } = await pay(payment({ ip_address: REVIEW_IP }));
    for (const [at, expected] of [
      [START, OPEN],
      [START + WEEK - 1, OPEN],
      [START + WEEK, EXPIRED],
      [START + WEEK + 1, EXPIRED],
      [START + 10 * WEEK, EXPIRED],
    ] as const) {
      clock.set(at);
      expect(await statusesOf(api, screened)).toEqual(expected);
    }
  });

  test.each([
    ['in the last millisecond', WEEK - 1, 200],
    ['at seven days', WEEK, 409],
    ['after that', WEEK + 1, 409],
  ])('can be resolved before it expires only: %s', async (_when, age, status) => {
    clock.set(START);
    const { json } = await act(login({ ip_address: REVIEW_IP }));
    clock.advance(age);
    const reply = await put(`/v1/cases/${json.case_id}`, { status: 'rejected' });
    expect(reply.status).toBe(status);
    if (status === 409) expect(reply.json.error.code).toBe('case_expired');
  });

  test('can be resolved by a review until the last millisecond', async () => {
    for (const [age, status] of [
      [WEEK - 1, 'rejected'],
      [WEEK, 'expired'],
    ] as const) {
      clock.set(START);
      const { json } = await pay(payment({ ip_address: REVIEW_IP }));
      clock.advance(age);
      await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block' });
      expect((await get(`/v1/cases/${json.case_id}`)).json.status).toBe(status);
    }
  });

  test('is still returned as expired after the retention of its screening', async () => {
    clock.set(START);
    const { json } = await pay(payment({ ip_address: REVIEW_IP }));
    clock.advance(RETENTION + DAY_MS);
    expect((await get(`/v1/cases/${json.case_id}`)).json.status).toBe('expired');
  });
});

describe('a screening', () => {
  test('is found until the last millisecond of 90 days, then not, for every type', async () => {
    clock.set(START);
    const { json: paid } = await pay(payment());
    const { json: acted } = await act(login());
    const paths = [
      `/v1/transactions/${paid.transaction_id}`,
      `/v1/decisions/${paid.decision_id}`,
      `/v1/events/${acted.event_id}`,
      `/v1/decisions/${acted.decision_id}`,
    ];
    for (const [age, status] of [
      [RETENTION - 1, 200],
      [RETENTION, 404],
      [RETENTION + 1, 404],
      [10 * RETENTION, 404],
    ] as const) {
      clock.set(START + age);
      for (const path of paths) {
        const reply = await get(path);
        expect([path, age, reply.status]).toEqual([path, age, status]);
        if (status === 404) expect(reply.json.error.code).toBe('not_found');
      }
    }
  });

  test('cannot be reviewed after its retention', async () => {
    clock.set(START);
    const { json } = await pay(payment());
    clock.advance(RETENTION - 1);
    expect((await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block' })).status).toBe(200);
    clock.advance(1);
    expect((await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'allow' })).status).toBe(404);
  });
});

describe('downtime', () => {
  test('counts toward expiry and retention', async () => {
    const downtime = makeClock();
    const before = await startService({ clock: downtime.now });
    const secret = await before.key();
    const first = client(before, secret);
    const { json: flagged } = await first.pay(payment({ ip_address: REVIEW_IP }));
    const { json: late } = await first.pay(payment({ ip_address: REVIEW_IP }));
    const idempotent = payment();
    const { json: kept } = await first.pay(idempotent, { 'Idempotency-Key': 'k' });
    await before.stop();

    downtime.advance(WEEK);
    const second = await startService({ clock: downtime.now, dataDir: before.dataDir });
    const api2 = client(second, secret);
    expect(await statusesOf(api2, flagged)).toEqual(EXPIRED);
    const refused = await api2.put(`/v1/cases/${late.case_id}`, { status: 'approved' });
    expect(refused.json.error.code).toBe('case_expired');
    const again = await api2.pay(idempotent, { 'Idempotency-Key': 'k' });
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(again.json.transaction_id).not.toBe(kept.transaction_id);
    const { velocity } = (await api2.get(`/v1/users/${idempotent.user_id}/risk-profile`)).json;
    expect([velocity['24h'].count, velocity['30d'].count]).toEqual([1, 2]);
    await second.stop();

    downtime.set(START + RETENTION);
    const third = await startService({ clock: downtime.now, dataDir: before.dataDir });
    const api3 = client(third, secret);
    expect((await api3.get(`/v1/transactions/${flagged.transaction_id}`)).status).toBe(404);
    expect((await api3.get(`/v1/decisions/${flagged.decision_id}`)).status).toBe(404);
    expect((await api3.get(`/v1/transactions/${again.json.transaction_id}`)).status).toBe(200);
    expect((await api3.get(`/v1/cases/${flagged.case_id}`)).json.status).toBe('expired');
  });
});

describe('a clock that jumps back', () => {
  test('neither loses nor reorders screenings', async () => {
    clock.set(START + 100 * DAY_MS);
    const user_id = 'back_in_time';
    const ids: string[] = [];
    for (const step of [0, -HOUR_MS, -DAY_MS, 2 * DAY_MS]) {
      clock.advance(step);
      ids.push((await pay(payment({ user_id }))).json.transaction_id);
    }
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect((await get(`/v1/transactions/${id}`)).status).toBe(200);
    expect((await get(`/v1/users/${user_id}/risk-profile`)).json.transactions.count).toBe(4);
  });
});
