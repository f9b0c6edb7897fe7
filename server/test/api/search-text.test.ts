import { beforeAll, expect, test } from 'vitest';
import {
  type Client,
  client,
  fieldErrors,
  type Json,
  makeClock,
  payment,
  type Service,
  startService,
} from '../fixtures/harness.ts';
import { queryOf, untilSearched } from '../fixtures/searched.ts';

const clock = makeClock();
/** Each look at the clock takes this long. */
let lookMs = 0;
let passed = 0;
const clockSources = { wall: clock.now, monotonic: () => (passed += lookMs), sleptMs: () => 0 };
let service: Service;
let api: Client;
let oldest: Json;

const OTHERS = 230;
beforeAll(async () => {
  service = await startService({ clock: clock.now, clockSources });
  api = client(service, await service.key());
  oldest = (await api.pay(payment({ metadata: { note: 'A Gift Card' } }))).json;
  for (let sent = 0; sent < OTHERS; sent++) {
    clock.advance(1);
    await api.pay(payment({ metadata: { gift_card: 'no' } }));
  }
  await untilSearched(api, clock);
});
const find = async (filter: Record<string, unknown>): Promise<Json> =>
  (await api.get(`/v1/screenings?${queryOf({ text: 'gift card', ...filter })}`)).json;

test('a search by text reads on until its time is over, and says how far back it looked', async () => {
  lookMs = 0;
  const whole = await find({});
  expect(whole.screenings.map(({ subject_id }: Json) => subject_id)).toEqual([oldest.transaction_id]);
  expect([whole.has_more, whole.looked_back_to]).toEqual([false, null]);
  lookMs = 300;
  const first = await find({});
  expect([first.screenings, first.has_more]).toEqual([[], true]);
  expect(Date.parse(first.looked_back_to)).toBeGreaterThan(Date.parse(oldest.screened_at));
  expect(Date.parse(first.looked_back_to)).toBeLessThan(clock.now() - 150);
  const next = await find({ before: first.next_before });
  expect(next.screenings).toHaveLength(1);
  expect([next.has_more, next.looked_back_to]).toEqual([false, null]);
});

test('an export by text has every matching row, however often its time was over', async () => {
  lookMs = 300;
  const { text } = await api.get('/v1/screenings/export?format=ndjson&text=gift%20card');
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).subject_id);
  expect(rows).toEqual([oldest.transaction_id]);
  lookMs = 0;
});

test('the text is one of the values: names of fields, other accounts and wildcards match nothing', async () => {
  expect((await find({ text: 'gift_card' })).screenings).toEqual([]);
  expect((await find({ text: 'a%card' })).screenings).toEqual([]);
  const other = client(service, await service.key({ account: 'other' }));
  expect((await other.get('/v1/screenings?text=gift%20card')).json.screenings).toEqual([]);
});

test('a card number in the text is masked as in the values, and says so', async () => {
  const { json: paid } = await api.pay(payment({ metadata: { note: 'card 4111 1111 1111 1111 stolen' } }));
  await untilSearched(api, clock);
  const { json } = await api.get(`/v1/screenings?${queryOf({ text: '4111 1111 1111 1111' })}`);
  expect(json.screenings.map(({ subject_id }: Json) => subject_id)).toEqual([paid.transaction_id]);
  expect(JSON.stringify(json)).not.toContain('1111 1111');
});

test('a text that is too short, or for an operation that counts, is refused; so is any without read_personal', async () => {
  for (const [path, field] of [
    ['/v1/screenings?text=a', 'text'],
    ['/v1/screenings?text=a%00b', 'text'],
    [`/v1/screenings?text=${'x'.repeat(201)}`, 'text'],
    ['/v1/screenings/groups?by=country&text=gift', 'text'],
    ['/v1/users?text=gift', 'text'],
  ] as const) {
    const refused = await api.get(path);
    expect([path, refused.status, Object.keys(fieldErrors(refused))]).toEqual([path, 400, [field]]);
  }
  const reader = client(service, await service.key({ role: 'reader' }));
  const refused = await reader.get('/v1/screenings?text=gift');
  expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
});
