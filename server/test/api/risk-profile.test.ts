import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  DAY_MS,
  HOUR_MS,
  iso,
  login,
  MINUTE_MS,
  makeClock,
  payment,
  profilePath,
  REVIEW_IP,
  START,
  sendRaw,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const key = await service.key();
const { pay, flagPayment, act, get, put, post } = client(service, key);
const profile = async (userId: string) => (await get(profilePath(userId))).json;

const named = (ids: readonly string[]) => ids.map((id) => [JSON.stringify(id).slice(0, 30), id] as const);

describe('200', () => {
  test('every field reflects the screenings', async () => {
    clock.set(START);
    const user_id = 'ada';
    const device_token = 'dvc_1';
    const signup = await act({ user_id, type: 'signup', ip_address: '198.51.100.1', device_token });
    const failed = await act({
      user_id,
      type: 'login',
      outcome: 'failed',
      ip_address: '198.51.100.1',
      device_token,
    });
    clock.advance(HOUR_MS);
    const login = await act({ user_id, type: 'login', ip_address: '198.51.100.1', device_token });
    const first = await pay({
      user_id,
      amount: 0.1,
      currency: 'USD',
      ip_address: '198.51.100.1',
      device_token,
      billing_address: { country: 'de' },
    });
    clock.advance(HOUR_MS);
    const abroad = await pay({
      user_id,
      amount: 0.2,
      currency: 'usd',
      ip_address: '198.51.100.2',
      device_token: 'dvc_2',
      billing_address: { country: 'DE' },
      shipping_address: { country: 'FR' },
    });
    clock.advance(HOUR_MS);
    const reviewed = (await pay({ user_id, amount: 10, currency: 'XXX', ip_address: REVIEW_IP })).json;
    const payments = [first.json, abroad.json, reviewed];
    const screened = [...[signup, failed, login].map(({ json }) => json), ...payments];
    const [reviews, cases] = [payments, screened].map(
      (of) => of.filter(({ decision }) => decision === 'review').length,
    ) as [number, number];
    const at = (hours: number): string => iso(START + hours * HOUR_MS);
    expect(await profile(user_id)).toEqual({
      user_id,
      risk_score: Math.max(...screened.map((of) => of.risk_score)),
      risk_level: 'medium',
      first_seen_at: at(0),
      last_seen_at: at(3),
      transactions: {
        count: 3,
        total_by_currency: { USD: 0.3, XXX: 10 },
        by_decision: { allow: 3 - reviews, review: reviews, block: 0 },
      },
      events: { count: 3, by_type: { signup: 1, login: 2 } },
      cases: { count: cases, by_status: { open: cases, approved: 0, rejected: 0, expired: 0 } },
      confirmed_fraud: 0,
      velocity: {
        '1h': { count: 1, amount: 0 },
        '24h': { count: 3, amount: 0.3 },
        '7d': { count: 3, amount: 0.3 },
        '30d': { count: 3, amount: 0.3 },
      },
      devices: [
        { device_token: 'dvc_2', first_seen_at: at(2), last_seen_at: at(2), count: 1 },
        { device_token: 'dvc_1', first_seen_at: at(0), last_seen_at: at(1), count: 4 },
      ],
      ip_addresses: [
        { ip_address: REVIEW_IP, first_seen_at: at(3), last_seen_at: at(3), count: 1 },
        { ip_address: '198.51.100.2', first_seen_at: at(2), last_seen_at: at(2), count: 1 },
        { ip_address: '198.51.100.1', first_seen_at: at(0), last_seen_at: at(1), count: 4 },
      ],
      countries: [
        { country: 'FR', first_seen_at: at(2), last_seen_at: at(2), count: 1 },
        { country: 'DE', first_seen_at: at(1), last_seen_at: at(2), count: 2 },
      ],
      signals: expect.arrayContaining([
        { signal: 'test_address', count: 1, last_seen_at: at(3) },
        { signal: 'address_mismatch', count: 1, last_seen_at: at(2) },
      ]),
    });
  });

  test('the score is the highest of late, decays with time, and rises again with a new one', async () => {
    clock.set(START);
    const { user_id } = payment();
    expect((await pay(payment({ user_id }))).json.risk_score).toBeLessThan(50);
    expect(await profile(user_id as string)).toMatchObject({ risk_level: 'low' });
    const { json } = await pay(payment({ user_id, ip_address: BLOCK_IP }));
    expect(await profile(user_id as string)).toMatchObject({ risk_score: json.risk_score, risk_level: 'high' });
    clock.advance(7 * DAY_MS);
    const faded = await profile(user_id as string);
    expect(faded.risk_score).toBeLessThan(json.risk_score);
    expect(faded.risk_level).not.toBe('high');
    clock.advance(365 * DAY_MS);
    expect(await profile(user_id as string)).toMatchObject({ risk_score: 0, risk_level: 'low' });
    const { json: later } = await pay(payment({ user_id, ip_address: REVIEW_IP }));
    expect(await profile(user_id as string)).toMatchObject({ risk_score: later.risk_score, risk_level: 'medium' });
  });

  test('velocity counts payments, and never older ones than its window', async () => {
    clock.set(START);
    const body = { user_id: 'in_windows', amount: 10, currency: 'USD' };
    await pay(body);
    await act({ user_id: 'in_windows', type: 'login' });
    const windows = async () => {
      const { velocity } = await profile('in_windows');
      return Object.values(velocity as Record<string, { count: number; amount: number }>).map(({ count }) => count);
    };
    expect(await windows()).toEqual([1, 1, 1, 1]);
    const ages: [number, number[]][] = [
      [50 * MINUTE_MS, [1, 1, 1, 1]],
      [HOUR_MS, [0, 1, 1, 1]],
      [22 * HOUR_MS, [0, 1, 1, 1]],
      [DAY_MS, [0, 0, 1, 1]],
      [6.7 * DAY_MS, [0, 0, 1, 1]],
      [7 * DAY_MS, [0, 0, 0, 1]],
      [28.9 * DAY_MS, [0, 0, 0, 1]],
      [30 * DAY_MS, [0, 0, 0, 0]],
    ];
    for (const [age, counts] of ages) {
      clock.set(START + age);
      expect([age, await windows()]).toEqual([age, counts]);
    }
  });

  test('converts amounts in other currencies to US dollars', async () => {
    clock.set(START);
    await pay({ user_id: 'in_euros', amount: 100, currency: 'EUR' });
    await pay({ user_id: 'in_euros', amount: 1, currency: 'USD' });
    const { velocity, transactions } = await profile('in_euros');
    expect(velocity['1h'].count).toBe(2);
    expect(velocity['1h'].amount).toBeGreaterThan(80);
    expect(velocity['1h'].amount).toBeLessThan(160);
    expect(transactions.total_by_currency).toEqual({ EUR: 100, USD: 1 });
  });

  test('lists the newest 20 devices, addresses and countries, newest first', async () => {
    clock.set(START);
    const countries = 'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU'.split(' ');
    for (let i = 0; i < 22; i++) {
      clock.advance(HOUR_MS);
      await pay(
        payment({
          user_id: 'traveller',
          device_token: `${i}`,
          ip_address: `10.51.${i}.7`,
          billing_address: { country: countries[i] },
        }),
      );
    }
    clock.advance(HOUR_MS);
    await pay(
      payment({
        user_id: 'traveller',
        device_token: '5',
        ip_address: '10.51.5.7',
        billing_address: { country: countries[5] },
      }),
    );
    const { devices, ip_addresses, countries: listed } = await profile('traveller');
    const order = [5, ...Array.from({ length: 22 }, (_, i) => 21 - i).filter((i) => i !== 5)].slice(0, 20);
    expect(devices.map((of: { device_token: string }) => of.device_token)).toEqual(order.map(String));
    expect(ip_addresses.map((of: { ip_address: string }) => of.ip_address)).toEqual(order.map((i) => `10.51.${i}.7`));
    expect(listed.map((of: { country: string }) => of.country)).toEqual(order.map((i) => countries[i]));
    expect(devices[0]).toEqual({
      device_token: '5',
      first_seen_at: iso(START + 6 * HOUR_MS),
      last_seen_at: iso(START + 23 * HOUR_MS),
      count: 2,
    });
  });

  test('counts cases by status, and confirmed fraud by the last review of each decision', async () => {
    clock.set(START);
    const user_id = 'with_cases';
    const flagged = () => flagPayment({ user_id });
    const [expired, approved, rejected] = [await flagged(), await flagged(), await flagged()];
    clock.advance(DAY_MS);
    const open = await flagged();
    await put(`/v1/cases/${approved.case_id}`, { status: 'approved' });
    await put(`/v1/cases/${rejected.case_id}`, { status: 'rejected' });
    clock.set(START + 7 * DAY_MS);
    expect(await profile(user_id)).toMatchObject({
      cases: { count: 4, by_status: { open: 1, approved: 1, rejected: 1, expired: 1 } },
      confirmed_fraud: 1,
      risk_level: 'high',
    });
    await post(`/v1/decisions/${rejected.decision_id}/review`, { decision: 'allow' });
    expect(await profile(user_id)).toMatchObject({ confirmed_fraud: 0 });
    await post(`/v1/decisions/${open.decision_id}/review`, { decision: 'block' });
    await post(`/v1/decisions/${expired.decision_id}/review`, { decision: 'block' });
    expect(await profile(user_id)).toMatchObject({
      cases: { count: 4, by_status: { open: 0, approved: 1, rejected: 2, expired: 1 } },
      confirmed_fraud: 2,
    });
  });

  test('confirmed fraud does not decay', async () => {
    clock.set(START);
    const { json } = await pay(payment({ user_id: 'confirmed' }));
    await post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block' });
    clock.advance(80 * DAY_MS);
    expect(await profile('confirmed')).toMatchObject({ confirmed_fraud: 1, risk_level: 'high' });
  });

  test('a user with events only has a profile', async () => {
    clock.set(START);
    await act(login({ user_id: 'only_events' }));
    expect(await profile('only_events')).toMatchObject({
      transactions: { count: 0, total_by_currency: {}, by_decision: { allow: 0, review: 0, block: 0 } },
      events: { count: 1, by_type: { login: 1 } },
      velocity: { '30d': { count: 0, amount: 0 } },
    });
  });

  const ODD_IDS = [
    'a/b',
    '/',
    'a//b/../c',
    '%',
    '%2F',
    '%25',
    '100%',
    'a?b=c&d#e',
    'a;b',
    'a:b',
    'a+b c',
    '*',
    'Ünïcödé-用户-🧑‍🚀',
    'e\u0301',
    '\u00e9',
    '__proto__',
    'constructor',
    '7',
    "' OR 1=1 --",
    '"\\\n\t',
    '\u202e',
    'x'.repeat(255),
    '😀'.repeat(255),
    'ü/%'.repeat(85),
    'USER',
    'user',
  ];
  test.each(named(ODD_IDS))('a user with the id %s has a separate profile', async (_name, user_id) => {
    await pay(payment({ user_id }));
    const { json } = await get(`/v1/users/${encodeURIComponent(user_id)}/risk-profile`);
    expect([json.user_id, json.transactions.count]).toEqual([user_id, 1]);
    expect((await profile(user_id)).user_id).toBe(user_id);
  });

  test.each(['.', '..'])(
    'a user with the id %j has a profile too, for clients that do not normalize the path',
    async (user_id) => {
      await pay(payment({ user_id }));
      const { status, json } = await sendRaw(
        service,
        `GET ${profilePath(user_id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      expect([status, json.user_id]).toEqual([200, user_id]);
    },
  );
});

describe('404', () => {
  const UNKNOWN_IDS = ['never seen', 'x'.repeat(256), 'x'.repeat(1300), 'ADA', ' ada', 'ada '];
  test.each(named(UNKNOWN_IDS))('%s is unknown', async (_name, user_id) => {
    const { status, json } = await get(profilePath(user_id));
    expect([status, json.error.code]).toEqual([404, 'not_found']);
  });

  test('an id of 10,000 characters is not found, and is not logged', async () => {
    const { status, json } = await get(`/v1/users/${'x'.repeat(10_000)}/risk-profile`);
    expect([status, json.error.code]).toEqual([404, 'not_found']);
    expect(service.logs.join('\n')).not.toContain('xxxxxxxx');
  });

  test('an empty id is an unknown path', async () => {
    expect((await get('/v1/users//risk-profile')).status).toBe(404);
  });
});
