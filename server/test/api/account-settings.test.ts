import { expect, test } from 'vitest';
import { client, fieldErrors, iso, type Json, MINUTE_MS, makeClock, START, startService } from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let accounts = 0;
const open = async () => {
  clock.set(START);
  const account = `account_${accounts++}`;
  return { account, ...client(service, await service.key({ account })) };
};
const DEFAULTS = {
  name: null,
  time_zone: 'UTC',
  review_target_minutes: null,
  note_required_on_reject: false,
  updated_at: null,
};

test('settings have defaults, keep what is left out, and belong to one environment', async () => {
  const { account, get, put } = await open();
  expect((await get('/v1/settings')).json).toEqual(DEFAULTS);
  const first = (await put('/v1/settings', { name: 'Nordlys', time_zone: 'Europe/Berlin' })).json;
  expect(first).toEqual({ ...DEFAULTS, name: 'Nordlys', time_zone: 'Europe/Berlin', updated_at: iso(START) });
  const second = (await put('/v1/settings', { name: '', review_target_minutes: 30 })).json;
  expect(second).toEqual({ ...first, name: null, review_target_minutes: 30 });
  expect((await get('/v1/settings')).json).toEqual(second);
  expect((await put('/v1/settings', { review_target_minutes: 0 })).json.review_target_minutes).toBeNull();
  const production = client(service, await service.key({ account, environment: 'production' }));
  expect((await production.get('/v1/settings')).json).toEqual(DEFAULTS);
  const { entries } = (await get('/v1/audit?target=settings')).json;
  expect(entries.map(({ action, after }: Json) => [action, after.time_zone])).toEqual([
    ['settings.changed', 'Europe/Berlin'],
    ['settings.changed', 'Europe/Berlin'],
    ['settings.changed', 'Europe/Berlin'],
  ]);
});

test.each([
  ['time_zone', 'Middle/Earth'],
  ['time_zone', ''],
  ['review_target_minutes', -1],
  ['review_target_minutes', 10_081],
  ['note_required_on_reject', 'yes'],
  ['name', 'x'.repeat(101)],
])('%s %j is refused, and nothing changes', async (field, value) => {
  const { get, put } = await open();
  const refused = await put('/v1/settings', { note_required_on_reject: true, [field]: value });
  expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, [field]]);
  expect((await get('/v1/settings')).json).toEqual(DEFAULTS);
});

test('an account can require notes to reject a case, one or several, and never to approve it', async () => {
  const { flagPayment, put, post, get } = await open();
  await put('/v1/settings', { note_required_on_reject: true });
  const [{ case_id: one }, { case_id: other }] = [await flagPayment(), await flagPayment()];
  for (const notes of [undefined, '', '  ']) {
    const body = { status: 'rejected', ...(notes === undefined ? {} : { notes }) };
    const replies = [
      await put(`/v1/cases/${one}`, body),
      await post('/v1/cases/resolve', { case_ids: [one, other], ...body }),
    ];
    for (const reply of replies) expect([reply.status, Object.keys(fieldErrors(reply))]).toEqual([400, ['notes']]);
  }
  expect((await get('/v1/cases?status=open')).json.total).toBe(2);
  expect((await put(`/v1/cases/${one}`, { status: 'rejected', notes: 'A stolen card.' })).status).toBe(200);
  expect((await put(`/v1/cases/${other}`, { status: 'approved' })).status).toBe(200);
});

test('cases are found by the review target of the account', async () => {
  const { flagPayment, put, get } = await open();
  const list = async (query: string): Promise<string[]> =>
    (await get(`/v1/cases?${query}&sort=oldest`)).json.cases.map(({ case_id }: Json) => case_id);
  const refused = await get('/v1/cases?target=over');
  expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['target']]);
  await put('/v1/settings', { review_target_minutes: 100 });
  const ids: string[] = [];
  // They will have waited 110, 100, 99, 75 and 74 minutes, and 5.
  for (const at of [0, 10, 11, 35, 36, 105]) {
    clock.set(START + at * MINUTE_MS);
    ids.push((await flagPayment()).case_id);
  }
  clock.set(START + 110 * MINUTE_MS);
  expect(await list('target=over')).toEqual(ids.slice(0, 2));
  expect(await list('target=soon')).toEqual(ids.slice(2, 4));
  await put(`/v1/cases/${ids[0]}`, { status: 'approved' });
  expect(await list('target=over')).toEqual([ids[1]]);
  expect(await list(`target=over&start_date=${iso(START + 11 * MINUTE_MS)}`)).toEqual([]);
});
