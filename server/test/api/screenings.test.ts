import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Client,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  login,
  makeClock,
  payment,
  type Service,
  startService,
  unknownId,
} from '../fixtures/harness.ts';
import { queryOf, searchAll, untilSearched } from '../fixtures/searched.ts';

const clock = makeClock();
let service: Service;
let api: Client;

beforeAll(async () => {
  service = await startService({ clock: clock.now });
  api = client(service, await service.key());
});

const idsOf = (items: readonly Json[]): string[] => items.map(({ subject_id }) => subject_id);
const find = async (filter: Record<string, unknown>): Promise<Json[]> => {
  await untilSearched(api, clock);
  return searchAll(api, filter, 200);
};

describe('GET /v1/screenings', () => {
  test('shows payments and events with what applies now, the newest first', async () => {
    const held = await api.flagPayment({ user_id: 'shown', amount: 80, currency: 'usd' });
    clock.advance(1);
    const seen = (await api.act(login({ user_id: 'shown', outcome: 'failed' }))).json;
    await api.put(`/v1/cases/${held.case_id}`, { status: 'rejected' });
    await untilSearched(api, clock);
    const common = { user_id: 'shown', country: null };
    expect((await api.get('/v1/screenings?user_id=shown')).json).toEqual({
      screenings: [
        {
          ...common,
          subject_type: 'event',
          subject_id: seen.event_id,
          screened_at: seen.screened_at,
          amount: null,
          currency: null,
          amount_usd: null,
          event_type: 'login',
          outcome: 'failed',
          risk_score: seen.risk_score,
          decision: seen.decision,
          automated_decision: seen.decision,
          signals: seen.signals,
          label: null,
          decision_id: seen.decision_id,
          case_id: seen.case_id,
        },
        {
          ...common,
          subject_type: 'transaction',
          subject_id: held.transaction_id,
          screened_at: held.screened_at,
          amount: 80,
          currency: 'USD',
          amount_usd: 80,
          event_type: null,
          outcome: null,
          risk_score: held.risk_score,
          decision: 'block',
          automated_decision: 'review',
          signals: held.signals,
          label: 'fraud',
          decision_id: held.decision_id,
          case_id: held.case_id,
        },
      ],
      has_more: false,
      next_before: null,
      looked_back_to: null,
      as_of: iso(clock.now()),
    });
  });

  test('finds other spellings of what screening counts as the same', async () => {
    const sent = payment({ email: 'Same+shop@example.com', ip_address: '2001:DB8:7:0:0:0:0:1' });
    const { transaction_id } = (await api.pay(sent)).json;
    for (const filter of [
      { email: 'same@example.com' },
      { ip_address: '2001:db8:7::1' },
      { network: '2001:db8:7::/48' },
      { network: '2001:db8:7:9::1' },
    ])
      expect([filter, idsOf(await find(filter))]).toEqual([filter, [transaction_id]]);
  });

  test('follows a label, the opposite label and an override', async () => {
    const user_id = 'relabelled';
    const { transaction_id, decision_id } = (await api.pay(payment({ user_id }))).json;
    const expectFound = async (filter: Record<string, unknown>): Promise<void> =>
      expect([filter, idsOf(await find({ user_id, ...filter }))]).toEqual([filter, [transaction_id]]);
    await expectFound({ label: 'none', decision: 'allow' });
    await api.post('/v1/labels', { transaction_id, label: 'fraud', source: 'chargeback' });
    await expectFound({ label: 'fraud', decision: 'allow' });
    await api.post('/v1/labels', { transaction_id, label: 'legitimate', source: 'bank' });
    await expectFound({ label: 'legitimate', decision: 'allow' });
    await api.post(`/v1/decisions/${decision_id}/review`, { decision: 'block' });
    await expectFound({ label: 'fraud', decision: 'block' });
    expect(await find({ user_id, label: 'legitimate' })).toEqual([]);
  });

  test('neither skips nor repeats an item while others arrive and change', async () => {
    const user_id = 'paged';
    const sent: string[] = [];
    const send = async (): Promise<void> => {
      clock.advance(1);
      sent.unshift((await api.pay(payment({ user_id }))).json.transaction_id);
    };
    for (let item = 0; item < 12; item++) await send();
    await untilSearched(api, clock);
    const first = [...sent];
    const found = await searchAll(api, { user_id }, 3, async () => {
      await send();
      await api.post('/v1/labels', { transaction_id: sent[0], label: 'fraud', source: 'test' });
      await untilSearched(api, clock);
    });
    expect(idsOf(found)).toEqual(first);
  });

  test('returns to each tenant only its own items', async () => {
    const email = 'shared@example.com';
    const keys = [
      await service.key({ account: 'one', environment: 'sandbox' }),
      await service.key({ account: 'one', environment: 'production' }),
      await service.key({ account: 'two', environment: 'sandbox' }),
    ];
    const own: string[] = [];
    for (const key of keys) own.push((await client(service, key).pay(payment({ email }))).json.transaction_id);
    for (const [at, key] of keys.entries()) {
      const tenant = client(service, key);
      await untilSearched(tenant, clock);
      for (const filter of [{}, { email }, { decision: 'allow' }])
        expect(idsOf(await searchAll(tenant, filter, 200))).toEqual([own[at]]);
    }
  });

  test('refuses a cursor of another account, of another environment, and of nothing', async () => {
    const other = client(service, await service.key({ account: 'elsewhere' }));
    const { transaction_id } = (await other.pay(payment())).json;
    const production = client(service, await service.key({ environment: 'production' }));
    const { event_id } = (await production.act(login())).json;
    const message = 'is not an item of this account and environment, or is past its retention';
    for (const before of [transaction_id, event_id, unknownId('txn'), transaction_id.replace('txn_', 'evt_')]) {
      const refused = await api.get(`/v1/screenings?${queryOf({ before })}`);
      expect([before, refused.status, fieldErrors(refused)]).toEqual([before, 400, { before: message }]);
    }
  });

  test.each([
    ['before', 'txn_1'],
    ['before', "txn_01m7ejnjyqetkazatznps5mye3' OR 1=1"],
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '1e2'],
    ['score_min', '-1'],
    ['score_max', '101'],
    ['usd_min', 'NaN'],
    ['usd_min', '-0.01'],
    ['usd_max', '1e400'],
    ['type', 'payment'],
    ['decision', 'ALLOW'],
    ['label', 'unknown'],
    ['country', 'XX'],
    ['signal', 'new device'],
    ['rule', 'rule_1'],
    ['ip_address', '198.51.100.256'],
    ['network', '198.51.100.0/33'],
    ['network', '198.51.0.0/16'],
    ['email', 'nobody'],
    ['user_id', ''],
    ['user_id', 'x'.repeat(256)],
    ['user_id', 'a\0b'],
    ['from', 'yesterday'],
    ['until', '2026-02-30'],
    ['offset', '10'],
  ])('refuses %s=%s with the name of the parameter', async (name, value) => {
    const refused = await api.get(`/v1/screenings?${queryOf({ [name]: value })}`);
    expect([refused.status, refused.json.error.code, Object.keys(fieldErrors(refused))]).toEqual([
      400,
      'invalid_request',
      [name],
    ]);
  });

  test('refuses ranges that hold nothing, and a parameter that is sent twice', async () => {
    const empty = await api.get(
      '/v1/screenings?score_min=2&score_max=1&usd_min=2&usd_max=1.5&from=2026-02-02&until=2026-02-01',
    );
    expect([empty.status, Object.keys(fieldErrors(empty)).sort()]).toEqual([400, ['score_max', 'until', 'usd_max']]);
    expect((await api.get('/v1/screenings?user_id=a&user_id=b')).status).toBe(400);
  });

  test('lets a key without read_personal search by user, and not by address, device, e-mail or card', async () => {
    const reader = client(service, await service.key({ role: 'reader' }));
    expect((await reader.get('/v1/screenings?user_id=shown')).status).toBe(200);
    for (const filter of [
      { ip_address: '198.51.100.1' },
      { network: '198.51.100.0/24' },
      { device_token: 'device' },
      { email: 'a@example.com' },
      { payment_fingerprint: 'pm_1' },
    ]) {
      const refused = await reader.get(`/v1/screenings?${queryOf(filter)}`);
      expect([filter, refused.status, refused.json.error.code]).toEqual([filter, 403, 'insufficient_scope']);
    }
  });

  test('finds nothing that is past its retention, before and after the sweep', async () => {
    const user_id = 'expiring';
    await api.pay(payment({ user_id }));
    expect(await find({ user_id })).toHaveLength(1);
    // The search above moved the clock on by a millisecond.
    clock.advance(90 * DAY_MS - 2);
    expect(await searchAll(api, { user_id }, 200)).toHaveLength(1);
    clock.advance(1);
    expect(await searchAll(api, { user_id }, 200)).toEqual([]);
    await service.app.retention.sweepAll();
    expect(await find({})).toEqual([]);
    const { transaction_id } = (await api.pay(payment({ user_id }))).json;
    expect(idsOf(await find({ user_id }))).toEqual([transaction_id]);
  });
});
