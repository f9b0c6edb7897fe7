import { networkOf } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeRandom } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { type Client, type Json, makeClock, payment, startService } from '../fixtures/harness.ts';
import { queryOf, searchAll, untilSearched } from '../fixtures/searched.ts';
import { type Known, makeItems, naive, subjectId, usdOf } from '../fixtures/searched-world.ts';

const ITEMS = rounds(100, 1500);
const clock = makeClock();
const random = makeRandom(SEED);
let api: Client;
let items: Known[];

beforeAll(async () => {
  const service = await startService({ clock: clock.now });
  ({ api, items } = await makeItems(service, clock, random, ITEMS));
}, timeoutMs(240_000));

const GROUPINGS: Record<string, (item: Known) => string | null | undefined> = {
  user_id: ({ request }) => request.user_id,
  device: ({ request }) => request.device_token,
  ip_address: ({ request }) => request.ip_address,
  network: ({ request }) => request.ip_address && networkOf(request.ip_address),
  email: ({ request }) => request.email,
  payment_fingerprint: ({ request }) => request.payment_fingerprint,
  counterparty_id: ({ request }) => request.counterparty_id,
  country: ({ country }) => country,
  currency: ({ request }) => request.currency,
  type: ({ isEvent }) => (isEvent ? 'event' : 'transaction'),
  event_type: ({ isEvent, request }) => (isEvent ? request.type : null),
  outcome: ({ isEvent, request }) => (isEvent ? request.outcome : null),
  decision: ({ decision }) => decision,
  label: ({ label }) => label,
  hour: ({ result }) => `${result.screened_at.slice(0, 13)}:00:00.000Z`,
  day: ({ result }) => `${result.screened_at.slice(0, 10)}T00:00:00.000Z`,
};
/** Filters that groups, users and exports are compared under. */
const FILTERS: Record<string, Json>[] = [
  {},
  { user_id: 'user_1' },
  { decision: 'block' },
  { label: 'fraud', type: 'event' },
];

const figuresOf = (of: readonly Known[]) => ({
  items: of.length,
  amount_usd: Math.round(of.reduce((sum, item) => sum + (usdOf(item) ?? 0), 0) * 100) / 100,
  review: of.filter(({ decision }) => decision === 'review').length,
  block: of.filter(({ decision }) => decision === 'block').length,
  fraud: of.filter(({ label }) => label === 'fraud').length,
});

describe(`over ${ITEMS} random items (seed ${SEED})`, () => {
  test.each(Object.keys(GROUPINGS))('groups by %s are those of a naive count', async (by) => {
    for (const filter of FILTERS) {
      const { status, json } = await api.get(`/v1/screenings/groups?${queryOf({ by, ...filter, limit: 100 })}`);
      expect([status, json.cut, json.looked_back_to]).toEqual([200, false, null]);
      const expected = Map.groupBy(naive(items, filter), (item) => GROUPINGS[by]?.(item) ?? null);
      const found = json.groups.map(({ value, last_seen_at, ...figures }: Json) => [value, last_seen_at, figures]);
      expect(new Set(found)).toEqual(
        new Set([...expected].map(([value, of]) => [value, of[0]?.result.screened_at, figuresOf(of)])),
      );
      const sizes = json.groups.map((group: Json) => group.items);
      expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a));
    }
  });

  test('users appear once each, by their newest item that matches', async () => {
    for (const filter of [{}, { decision: 'block' }, { label: 'fraud' }, { type: 'event' }, { signal: 'new_device' }]) {
      const found: string[] = [];
      for (let before: string | null = null; ; ) {
        const page: Json = (
          await api.get(`/v1/users?${queryOf({ ...filter, limit: 2, ...(before === null ? {} : { before }) })}`)
        ).json;
        found.push(...page.users.map(({ user_id }: Json) => user_id));
        if (!page.has_more) break;
        before = page.next_before;
      }
      const expected = new Set(naive(items, filter).map(({ request }) => request.user_id));
      expect([filter, found]).toEqual([filter, [...expected]]);
    }
  });

  test('the figures of a user are those of a naive count', async () => {
    for (const user of (await api.get('/v1/users')).json.users) {
      const { user_id, first_seen_at, last_seen_at, risk_score, decision, ...figures } = user;
      const of = naive(items, { user_id });
      const [newest, oldest] = [of[0], of.at(-1)];
      expect(figures).toEqual(figuresOf(of));
      expect([first_seen_at, last_seen_at]).toEqual([oldest?.result.screened_at, newest?.result.screened_at]);
      expect([risk_score, decision]).toEqual([newest?.result.risk_score, newest?.decision]);
    }
  });

  test('an export has the items of the list, in both formats', async () => {
    for (const filter of FILTERS) {
      const listed = await searchAll(api, filter, 200);
      const ndjson = await api.get(`/v1/screenings/export?${queryOf({ format: 'ndjson', ...filter })}`);
      const rows = ndjson.text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      expect(rows.map(({ subject_id }) => subject_id)).toEqual(naive(items, filter).map(subjectId));
      expect(rows).toMatchObject(listed);
      const csv = await api.get(`/v1/screenings/export?${queryOf({ format: 'csv', ...filter })}`);
      const [header, ...lines] = csv.text.trimEnd().split('\r\n');
      // A line of JSON has `imported` only if it is true.
      const columns = header?.split(',').filter((name) => name !== 'imported');
      expect(columns).toEqual(Object.keys(rows[0] ?? (await exportedRow())));
      expect(lines.map((line) => line.split(',')[1])).toEqual(rows.map(({ subject_id }) => subject_id));
    }
  });

  test('no page of users skips or repeats a user while items arrive', async () => {
    const expected = [...new Set(items.map(({ request }) => request.user_id))];
    const found: string[] = [];
    for (let before: string | null = null; ; ) {
      const page: Json = (await api.get(`/v1/users?limit=2${before === null ? '' : `&before=${before}`}`)).json;
      found.push(...page.users.map(({ user_id }: Json) => user_id));
      if (!page.has_more) break;
      before = page.next_before;
      await api.pay(payment({ user_id: expected.at(-1) }));
      await untilSearched(api, clock);
    }
    expect(found).toEqual(expected);
  });
});

const exportedRow = async (): Promise<Json> =>
  JSON.parse((await api.get('/v1/screenings/export?format=ndjson&limit=1')).text);
