import { describe, expect, test } from 'vitest';
import {
  client,
  DAY_MS,
  fieldErrors,
  HOUR_MS,
  iso,
  type Json,
  makeClock,
  START,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { flagPayment, get, put } = client(service, await service.key());
const openCase = async (): Promise<string> => (await flagPayment()).case_id;
const list = async (query = '') => (await get(`/v1/cases${query}`)).json;
const idsOf = (listed: Json): string[] => listed.cases.map((of: Json) => of.case_id);

// One case on each of days 0 to 4, and 25 at the same time on day 5. The oldest is expired, one approved, one rejected.
const byDay: string[] = [];
for (let day = 0; day < 5; day++) {
  clock.set(START + day * DAY_MS);
  byDay.push(await openCase());
}
clock.set(START + 5 * DAY_MS);
const tied: string[] = [];
for (let i = 0; i < 25; i++) tied.push(await openCase());
clock.set(START + 7 * DAY_MS);
const [expired, approved, rejected] = byDay as [string, string, string];
await put(`/v1/cases/${approved}`, { status: 'approved' });
await put(`/v1/cases/${rejected}`, { status: 'rejected' });
const newestFirst = [...byDay, ...tied].reverse();

describe('200', () => {
  test('lists cases newest first, with their total and the page', async () => {
    const listed = await list();
    expect(Object.keys(listed).sort()).toEqual(['cases', 'has_more', 'limit', 'offset', 'total']);
    expect(listed).toMatchObject({ total: 30, limit: 20, offset: 0, has_more: true });
    expect(idsOf(listed)).toEqual(newestFirst.slice(0, 20));
  });

  test('lists each case as its GET returns it', async () => {
    for (const entry of (await list('?limit=100')).cases) {
      expect((await get(`/v1/cases/${entry.case_id}`)).json).toEqual(entry);
    }
  });

  test.each([1, 3, 7, 20, 29, 30, 31, 100])(
    'pages of %d contain every case once, also cases with the same time',
    async (limit) => {
      const ids: string[] = [];
      for (let offset = 0; ; offset += limit) {
        const listed = await list(`?limit=${limit}&offset=${offset}`);
        expect(listed).toMatchObject({ total: 30, limit, offset });
        ids.push(...idsOf(listed));
        expect(listed.has_more).toBe(ids.length < 30);
        if (!listed.has_more) break;
      }
      expect(ids).toEqual(newestFirst);
    },
  );

  test('an offset at or beyond the end returns an empty page', async () => {
    for (const offset of [30, 31, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      expect(await list(`?offset=${offset}`)).toEqual({ cases: [], total: 30, limit: 20, offset, has_more: false });
    }
  });

  test.each([
    ['open', [...tied].reverse().concat(byDay.slice(3).reverse())],
    ['expired', [expired]],
    ['approved', [approved]],
    ['rejected', [rejected]],
  ])('status=%s lists only such cases, with their total', async (status, ids) => {
    const listed = await list(`?status=${status}&limit=100`);
    expect(idsOf(listed)).toEqual(ids);
    expect(listed).toMatchObject({ total: ids.length, has_more: false });
    expect(listed.cases.every((of: Json) => of.status === status)).toBe(true);
  });

  test('includes the start and excludes the end, to the millisecond', async () => {
    const at = START + 2 * DAY_MS;
    const between = async (from: number, before: number) =>
      idsOf(await list(`?start_date=${iso(from)}&end_date=${iso(before)}`));
    expect(await between(at, at + 1)).toEqual([rejected]);
    expect(await between(at + 1, at + DAY_MS)).toEqual([]);
    expect(await between(at - 1, at)).toEqual([]);
    expect(await between(at, at)).toEqual([]);
    expect(await between(at + DAY_MS, at)).toEqual([]);
    expect(await between(at, at + DAY_MS + 1)).toEqual([byDay[3], rejected]);
  });

  const DAY_2 = START + 2 * DAY_MS;
  test.each([
    ['2026-11-16T09:30:00.000Z', 28],
    ['2026-11-16T09:30:00Z', 28],
    ['2026-11-16t09:30:00z', 28],
    ['2026-11-16T09:30:00.0Z', 28],
    ['2026-11-16T09:30:00.000000000Z', 28],
    ['2026-11-16T11:30:00+02:00', 28],
    ['2026-11-16T00:30:00-09:00', 28],
    ['2026-11-16T15:00:00.001+05:30', 27],
    ['2026-11-16T09:29:59.999Z', 28],
    ['2026-11-16T09:30:00.001Z', 27],
    ['2026-11-16', 28],
    ['2026-11-17', 27],
    ['0001-01-01', 30],
    ['9999-12-31', 0],
    ['2024-02-29', 30],
  ])('accepts the date %s', async (start, total) => {
    expect(iso(DAY_2)).toBe('2026-11-16T09:30:00.000Z');
    expect((await list(`?start_date=${encodeURIComponent(start)}`)).total).toBe(total);
    expect((await list(`?end_date=${encodeURIComponent(start)}`)).total).toBe(30 - total);
  });

  test('combines filters and pages', async () => {
    const query = `?status=open&start_date=${iso(START + 4 * DAY_MS)}&end_date=${iso(START + 5 * DAY_MS + HOUR_MS)}`;
    const listed = await list(`${query}&limit=10&offset=20`);
    expect(listed).toMatchObject({ total: 26, has_more: false });
    expect(idsOf(listed)).toEqual([...tied.slice(0, 5).reverse(), byDay[4]]);
  });

  test('an account without cases has an empty list', async () => {
    const other = client(service, await service.key({ account: 'empty' }));
    expect((await other.get('/v1/cases')).json).toEqual({ cases: [], total: 0, limit: 20, offset: 0, has_more: false });
  });
});

describe('400', () => {
  const WHOLE = 'must be a whole number';
  const DATE = expect.stringContaining('RFC 3339');
  test.each([
    ['limit=0', { limit: 'must be at least 1' }],
    ['limit=-1', { limit: 'must be at least 1' }],
    ['limit=101', { limit: 'must be at most 100' }],
    ['limit=abc', { limit: WHOLE }],
    ['limit=', { limit: WHOLE }],
    ['limit', { limit: WHOLE }],
    ['limit=1.5', { limit: WHOLE }],
    ['limit=1e1', { limit: WHOLE }],
    ['limit=0x10', { limit: WHOLE }],
    ['limit=%2010', { limit: WHOLE }],
    ['limit=99999999999999999999', { limit: WHOLE }],
    ['limit=10&limit=20', { limit: 'must be given once' }],
    ['limit[]=10', { 'limit[]': expect.stringContaining('is not a parameter') }],
    ['offset=-1', { offset: 'must be at least 0' }],
    ['offset=abc', { offset: WHOLE }],
    ['offset=', { offset: WHOLE }],
    ['offset=9999999999999999', { offset: expect.any(String) }],
    ['status=closed', { status: 'must be one of open, approved, rejected, expired' }],
    ['status=OPEN', { status: 'must be one of open, approved, rejected, expired; did you mean `open`?' }],
    ['status=', { status: 'must be one of open, approved, rejected, expired' }],
    ['status=open&status=expired', { status: 'must be given once' }],
    ['start_date=yesterday', { start_date: DATE }],
    ['start_date=', { start_date: expect.any(String) }],
    ['start_date=2026-02-30', { start_date: DATE }],
    ['start_date=2026-13-01', { start_date: DATE }],
    ['start_date=2025-02-29', { start_date: DATE }],
    ['start_date=14.11.2026', { start_date: DATE }],
    ['start_date=1763112600', { start_date: DATE }],
    ['start_date=2026-11-14T09:30:00', { start_date: DATE }],
    ['start_date=2026-11-14T25:00:00Z', { start_date: DATE }],
    ['start_date=2026-11-14T09:60:00Z', { start_date: DATE }],
    ['end_date=2026-11-14T09:30:00%2B25:00', { end_date: DATE }],
    ['end_date=2026-11-14T09:30:00+02:00', { end_date: DATE }],
    ['end_date=2026-11', { end_date: DATE }],
    ['page=2', { page: 'is not a parameter' }],
    ['Status=open', { Status: 'is not a parameter; did you mean `status`?' }],
    ['startdate=2026-11-14', { startdate: 'is not a parameter; did you mean `start_date`?' }],
    ['__proto__=x', { ['__proto__']: 'is not a parameter' }],
    [
      'limit=0&offset=x&status=y&start_date=z&end_date=&foo=1',
      {
        limit: expect.any(String),
        offset: WHOLE,
        status: expect.any(String),
        start_date: DATE,
        end_date: expect.any(String),
        foo: 'is not a parameter',
      },
    ],
  ])('refuses ?%s and lists every error', async (query, errors) => {
    const reply = await get(`/v1/cases?${query}`);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
    expect(Object.entries(fieldErrors(reply)).sort()).toEqual(Object.entries(errors).sort());
  });
});
