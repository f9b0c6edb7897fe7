import { expect, test } from 'vitest';
import {
  client,
  fieldErrors,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  startService,
} from '../fixtures/harness.ts';
import { queryOf } from '../fixtures/searched.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const api = client(service, await service.key());
/** Cases of the test address have one score. Rules add others. */
for (const [name, expression, points] of [
  ['large', 'amount > 100.0', 45],
  ['larger', 'amount > 200.0', 8],
] as const) {
  const { rule_id } = (await api.post('/v1/rules', { name, expression, action: { points } })).json;
  for (const state of ['shadow', 'live']) await api.put(`/v1/rules/${rule_id}`, { state });
}
for (const user_id of ['a_b', 'axb', 'c']) {
  for (const amount of [50, 150, 250]) {
    clock.advance(1000);
    await api.pay(payment({ user_id, amount, device_token: `device of ${user_id}` }));
  }
  clock.advance(1000);
  await api.flagPayment({ user_id });
  await api.act(login({ user_id, ip_address: REVIEW_IP }));
}
/** One case is snoozed. */
const { case_id: snoozed } = (await api.get('/v1/cases?limit=1')).json.cases[0];
await api.put(`/v1/cases/${snoozed}/snooze`, { until: new Date(clock.now() + 3_600_000).toISOString() });
const list = async (query: Record<string, unknown>): Promise<Json[]> =>
  (await api.get(`/v1/cases?${queryOf({ limit: 100, ...query })}`)).json.cases;
const all = await list({});
const scores = [...new Set(all.map(({ risk_score }) => risk_score))].sort((a, b) => a - b);
const signals = [...new Set(all.flatMap((one) => one.signals as string[]))];

const MATCHES: Record<string, (one: Json, value: Json) => boolean> = {
  user_id: (one, value) => one.user_id === value,
  subject_type: (one, value) => one.subject_type === value,
  signal: (one, value) => one.signals.includes(value),
  score_min: (one, value) => one.risk_score >= value,
  score_max: (one, value) => one.risk_score <= value,
  status: (one, value) => one.status === value,
  usd_min: (one, value) => one.amount_usd !== null && one.amount_usd >= value,
  country: (one, value) => one.country === value,
  event_type: (one, value) => one.event_type === value,
  snoozed: (one, value) => (one.snoozed_until !== null) === value,
};
const VALUES: [string, Json][] = [
  ...['a_b', 'axb', 'nobody'].map((value): [string, Json] => ['user_id', value]),
  ...['transaction', 'event'].map((value): [string, Json] => ['subject_type', value]),
  ...[...signals, 'new.device', 'newxdevice', 'device'].map((value): [string, Json] => ['signal', value]),
  ...scores.flatMap((value): [string, Json][] => [
    ['score_min', value],
    ['score_max', value],
  ]),
  ['status', 'open'],
  ['usd_min', 0],
  ['usd_min', 200],
  ['country', 'NG'],
  ['event_type', 'login'],
  ['event_type', 'signup'],
  ['snoozed', true],
  ['snoozed', false],
];

test('each filter, and each two filters, list the cases that a naive scan finds', async () => {
  expect(scores.length).toBeGreaterThan(1);
  expect(signals.length).toBeGreaterThan(1);
  for (const first of VALUES)
    for (const second of VALUES) {
      const filter = Object.fromEntries([first, second]);
      if (filter.score_min > filter.score_max) continue;
      const expected = all.filter((one) =>
        Object.entries(filter).every(([name, value]) => MATCHES[name]?.(one, value)),
      );
      expect([filter, await list(filter)]).toEqual([filter, expected]);
    }
});

test('lists the oldest first, the highest score first or the largest amount first', async () => {
  const ids = (cases: Json[]): string[] => cases.map(({ case_id }) => case_id);
  expect(ids(await list({ sort: 'oldest' }))).toEqual(ids(all.toReversed()));
  expect(ids(await list({ sort: 'score' }))).toEqual(ids(all.toSorted((a, b) => b.risk_score - a.risk_score)));
  const usd = (one: Json): number => one.amount_usd ?? -1;
  expect(ids(await list({ sort: 'amount' }))).toEqual(ids(all.toSorted((a, b) => usd(b) - usd(a))));
});

test.each([
  ['sort', 'usd'],
  ['country', 'ZZ'],
  ['snoozed', 'maybe'],
  ['user_id', ''],
  ['signal', '%'],
  ['score_min', '101'],
  ['subject_type', 'payment'],
])('refuses %s=%s with the name of the parameter', async (name, value) => {
  const refused = await api.get(`/v1/cases?${queryOf({ [name]: value })}`);
  expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, [name]]);
});

test('refuses a range of scores that holds nothing', async () => {
  const refused = await api.get('/v1/cases?score_min=5&score_max=4');
  expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['score_max']]);
});
