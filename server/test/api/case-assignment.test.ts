import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  login,
  MINUTE_MS,
  makeClock,
  REVIEW_IP,
  START,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let accounts = 0;
/** Calls of a new account, which has no other cases. */
const open = async () => {
  clock.set(START);
  const api = client(service, await service.key({ account: `account_${accounts++}` }));
  const flag = async (more: Record<string, unknown> = {}): Promise<string> => (await api.flagPayment(more)).case_id;
  const read = async (id: string): Promise<Json> => (await api.get(`/v1/cases/${id}`)).json;
  const assign = (id: string, body: Json) => api.put(`/v1/cases/${id}/assignment`, body);
  const next = (body: Json, headers: Record<string, string> = {}) => api.post('/v1/cases/next', body, headers);
  const entries = async (): Promise<Json[]> =>
    (await api.get('/v1/audit?limit=100')).json.entries.filter(({ action }: Json) => action === 'case.assigned');
  return { ...api, flag, read, assign, next, entries };
};

describe('an assignment', () => {
  test('gives an open case to a person, with the time, and is audited', async () => {
    const { flag, read, assign, entries } = await open();
    const id = await flag();
    const before = await read(id);
    clock.advance(MINUTE_MS);
    const { status, json } = await assign(id, { assignee: 'ana' });
    expect([status, json]).toEqual([200, { ...before, assignee: 'ana', assigned_at: iso(START + MINUTE_MS) }]);
    expect(await read(id)).toEqual(json);
    expect(await entries()).toMatchObject([
      { target: id, before: { assignee: null }, after: { assignee: 'ana', analyst_id: null, force: false } },
    ]);
  });

  test('that is repeated changes nothing', async () => {
    const { flag, assign, entries } = await open();
    const id = await flag();
    const { json } = await assign(id, { assignee: 'ana' });
    clock.advance(MINUTE_MS);
    expect((await assign(id, { assignee: 'ana' })).json).toEqual(json);
    expect(await entries()).toHaveLength(1);
  });

  test.each([
    ['claimed', { assignee: 'ben' }],
    ['claimed by somebody who names another', { assignee: 'ben', analyst_id: 'ben' }],
    ['released', { assignee: null }],
    ['released by another', { assignee: null, analyst_id: 'ben' }],
  ])('stays when it is %s, and the error names who has the case', async (_name, body) => {
    const { flag, read, assign, entries } = await open();
    const id = await flag();
    const { json } = await assign(id, { assignee: 'ana' });
    const refused = await assign(id, body);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'case_taken']);
    expect(refused.json.error.message).toContain('assigned to ana.');
    expect(await read(id)).toEqual(json);
    expect(await entries()).toHaveLength(1);
  });

  test.each([
    ['handed over by who has it', { assignee: 'ben', analyst_id: 'ana' }, 'ben'],
    ['released by who has it', { assignee: null, analyst_id: 'ana' }, null],
    ['taken over by force', { assignee: 'ben', force: true }, 'ben'],
    ['released by force', { assignee: null, force: true }, null],
  ])('is %s', async (_name, body, assignee) => {
    const { flag, assign, entries } = await open();
    const id = await flag();
    await assign(id, { assignee: 'ana' });
    clock.advance(MINUTE_MS);
    const { status, json } = await assign(id, body);
    expect([status, json.assignee]).toEqual([200, assignee]);
    expect(json.assigned_at).toBe(assignee === null ? null : iso(START + MINUTE_MS));
    expect((await entries())[0]).toMatchObject({ before: { assignee: 'ana' }, after: { assignee } });
  });

  test('does not keep others from resolving the case, and stays on the resolved case', async () => {
    const { flag, put, assign } = await open();
    const id = await flag();
    await assign(id, { assignee: 'ana' });
    const { status, json } = await put(`/v1/cases/${id}`, { status: 'approved', analyst_id: 'ben' });
    expect([status, json.assignee, json.analyst_id]).toEqual([200, 'ana', 'ben']);
  });

  test('of a resolved or expired case is refused, with its status', async () => {
    const { flag, put, read, assign } = await open();
    const [resolved, expired] = [await flag(), await flag()];
    await put(`/v1/cases/${resolved}`, { status: 'rejected' });
    clock.advance(7 * DAY_MS);
    for (const [id, code, status] of [
      [resolved, 'case_not_open', 'rejected'],
      [expired, 'case_expired', 'expired'],
    ] as const) {
      const refused = await assign(id, { assignee: 'ana', force: true });
      expect([refused.status, refused.json.error.code]).toEqual([409, code]);
      expect(refused.json.error.message).toContain(status);
      expect(await read(id)).toMatchObject({ status, assignee: null });
    }
  });

  test.each([
    ['without an assignee', {}, ['assignee']],
    ['with an empty assignee', { assignee: '' }, ['assignee']],
    ['with a long assignee', { assignee: 'x'.repeat(256) }, ['assignee']],
    ['with everything wrong', { assignee: 7, analyst_id: '', force: 'yes' }, ['analyst_id', 'assignee', 'force']],
  ])('%s is refused, and the case stays as it is', async (_name, body, fields) => {
    const { flag, read, assign } = await open();
    const id = await flag();
    const refused = await assign(id, body);
    expect([refused.status, Object.keys(fieldErrors(refused)).sort()]).toEqual([400, fields]);
    expect(await read(id)).toMatchObject({ assignee: null });
  });

  test('of one case by twenty people at once is given to one of them', async () => {
    const { flag, read, assign, entries } = await open();
    const id = await flag();
    const replies = await atOnce(20, (i) => assign(id, { assignee: `analyst_${i}` }));
    const [winner, ...others] = replies.filter(({ status }) => status === 200).map(({ json }) => json);
    expect(others).toEqual([]);
    expect(await read(id)).toEqual(winner);
    for (const { status, json } of replies.filter(({ status }) => status !== 200)) {
      expect([status, json.error.code]).toEqual([409, 'case_taken']);
      expect(json.error.message).toContain(`assigned to ${winner.assignee}.`);
    }
    expect(await entries()).toHaveLength(1);
  });
});

describe('the list', () => {
  test('has the cases of an assignee, or those without one', async () => {
    const { flag, get, assign } = await open();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      clock.advance(1000);
      ids.unshift(await flag());
    }
    await assign(ids[0] as string, { assignee: 'ana' });
    await assign(ids[2] as string, { assignee: 'ana' });
    await assign(ids[3] as string, { assignee: 'ben' });
    const list = async (query: string) =>
      (await get(`/v1/cases?${query}`)).json.cases.map(({ case_id }: Json) => ids.indexOf(case_id));
    expect(await list('assignee=ana')).toEqual([0, 2]);
    expect(await list('assignee=ana&status=open&sort=oldest')).toEqual([2, 0]);
    expect(await list('assignee=none')).toEqual([1]);
    expect(await list('assignee=none&subject_type=event')).toEqual([]);
    expect(await list('assignee=carl')).toEqual([]);
    expect((await get('/v1/cases?assignee=ana&limit=1')).json).toMatchObject({ total: 2, has_more: true });
    expect((await get('/v1/cases?assignee=')).status).toBe(400);
  });
});

describe('the next case', () => {
  test('is the oldest that waits and matches, and each is given once', async () => {
    const { flag, act, put, read, assign, next, entries } = await open();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      clock.advance(1000);
      ids.push(await flag());
    }
    clock.advance(1000);
    const event = (await act(login({ ip_address: REVIEW_IP }))).json.case_id;
    await assign(ids[0] as string, { assignee: 'ana' });
    await put(`/v1/cases/${ids[1]}`, { status: 'approved' });
    const taken = await next({ analyst_id: 'ben' });
    expect([taken.status, taken.json.case_id, taken.json.assignee]).toEqual([200, ids[2], 'ben']);
    expect(taken.json).toEqual(await read(ids[2] as string));
    expect((await next({ analyst_id: 'ben', subject_type: 'event' })).json.case_id).toBe(event);
    expect((await next({ analyst_id: 'ana', end_date: iso(clock.now()) })).json.case_id).toBe(ids[3]);
    const none = await next({ analyst_id: 'ana' });
    expect([none.status, none.json.error.code]).toEqual([404, 'none_waiting']);
    expect((await entries()).map(({ after }) => after.assignee)).toEqual(['ana', 'ben', 'ben', 'ana']);
  });

  test('is never an expired one', async () => {
    const { flag, next } = await open();
    await flag();
    clock.advance(7 * DAY_MS);
    expect((await next({ analyst_id: 'ana' })).json.error.code).toBe('none_waiting');
    const id = await flag();
    expect((await next({ analyst_id: 'ana' })).json.case_id).toBe(id);
  });

  test('is the same for a request that is repeated under its idempotency key', async () => {
    const { flag, next } = await open();
    await flag();
    await flag();
    const headers = { 'Idempotency-Key': 'next' };
    const first = await next({ analyst_id: 'ana' }, headers);
    const again = await next({ analyst_id: 'ana' }, headers);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await next({ analyst_id: 'ana' })).status).toBe(200);
  });

  test.each([
    ['without an analyst', {}, 'analyst_id'],
    ['with an unknown order', { analyst_id: 'ana', sort: 'size' }, 'sort'],
    ['with a range of scores that holds nothing', { analyst_id: 'ana', score_min: 5, score_max: 4 }, 'score_max'],
  ])('is refused %s', async (_name, body, field) => {
    const { flag, next, read } = await open();
    const id = await flag();
    const refused = await next(body);
    expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, [field]]);
    expect(await read(id)).toMatchObject({ assignee: null });
  });

  test.each([1, 2])('of twenty people who ask at once is another for each of them (round %d)', async () => {
    const { flag, put, next, get } = await open();
    const ids = await atOnce(12, () => flag());
    // Resolutions of some of these cases at the same time.
    const resolving = atOnce(3, (i) => put(`/v1/cases/${ids[i]}`, { status: 'approved' }));
    const replies = await atOnce(20, (i) => next({ analyst_id: `analyst_${i}` }));
    await resolving;
    const taken = replies.filter(({ status }) => status === 200).map(({ json }) => json);
    expect(new Set(taken.map(({ case_id }) => case_id)).size).toBe(taken.length);
    expect(taken.length).toBeGreaterThanOrEqual(9);
    for (const { status, json } of replies.filter(({ status }) => status !== 200))
      expect([status, json.error.code]).toEqual([404, 'none_waiting']);
    const { cases } = (await get('/v1/cases?limit=100')).json;
    const held = cases.filter(({ assignee }: Json) => assignee !== null);
    expect(new Map(held.map(({ case_id, assignee }: Json) => [case_id, assignee]))).toEqual(
      new Map(taken.map(({ case_id, assignee }) => [case_id, assignee])),
    );
    expect(cases.filter(({ status, assignee }: Json) => status === 'open' && assignee === null)).toEqual([]);
  });

  test('belongs to the account of the key', async () => {
    const [one, other] = [await open(), await open()];
    await one.flag();
    expect((await other.next({ analyst_id: 'ana' })).json.error.code).toBe('none_waiting');
  });
});
