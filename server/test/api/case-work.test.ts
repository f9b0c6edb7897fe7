import { MAX_NOTES_PER_CASE, MAX_TAGS_PER_CASE, PRIORITIES } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  MINUTE_MS,
  makeClock,
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
  const flag = async (): Promise<string> => (await api.flagPayment()).case_id;
  const read = async (id: string): Promise<Json> => (await api.get(`/v1/cases/${id}`)).json;
  const entries = async (): Promise<Json[]> =>
    (await api.get('/v1/audit?limit=100')).json.entries.filter(({ action }: Json) => action.startsWith('case.'));
  return { ...api, flag, read, entries };
};

describe('a snooze', () => {
  test('sets an open case aside until its time, and is audited once', async () => {
    const { flag, put, read, entries } = await open();
    const id = await flag();
    const before = await read(id);
    const until = iso(START + 2 * MINUTE_MS);
    for (const analyst_id of ['mara', 'lena'])
      expect(await put(`/v1/cases/${id}/snooze`, { until, analyst_id })).toMatchObject({
        status: 200,
        json: { ...before, snoozed_until: until },
      });
    expect(await entries()).toMatchObject([
      {
        action: 'case.snoozed',
        target: id,
        before: { snoozed_until: null },
        after: { snoozed_until: until, analyst_id: 'mara' },
      },
    ]);
    clock.advance(2 * MINUTE_MS);
    expect(await read(id)).toEqual(before);
  });

  test('keeps the case from being given out, until its time or until it is ended', async () => {
    const { flag, put, post } = await open();
    const next = async (): Promise<Json> => (await post('/v1/cases/next', { analyst_id: 'mara' })).json;
    const [first, second] = [await flag(), await flag()];
    for (const id of [first, second]) await put(`/v1/cases/${id}/snooze`, { until: iso(START + MINUTE_MS) });
    expect((await next()).error.code).toBe('none_waiting');
    await put(`/v1/cases/${second}/snooze`, { until: null });
    expect((await next()).case_id).toBe(second);
    clock.advance(MINUTE_MS);
    expect((await next()).case_id).toBe(first);
  });

  test('ends with the resolution, and is refused for a case that is not open', async () => {
    const { flag, put, post, read } = await open();
    const id = await flag();
    const until = iso(START + DAY_MS);
    await put(`/v1/cases/${id}/snooze`, { until });
    expect((await put(`/v1/cases/${id}`, { status: 'approved' })).json.snoozed_until).toBeNull();
    expect((await put(`/v1/cases/${id}/snooze`, { until })).json.error.code).toBe('case_not_open');
    await post(`/v1/cases/${id}/reopen`, {});
    expect((await read(id)).snoozed_until).toBeNull();
    clock.advance(7 * DAY_MS);
    expect((await put(`/v1/cases/${id}/snooze`, { until: null })).json.error.code).toBe('case_expired');
  });

  test('is refused for a time that has passed, or is after the expiry', async () => {
    const { flag, put, read } = await open();
    const id = await flag();
    for (const until of [iso(START), iso(START + 7 * DAY_MS + 1), 'tomorrow']) {
      const refused = await put(`/v1/cases/${id}/snooze`, { until });
      expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['until']]);
    }
    expect((await read(id)).snoozed_until).toBeNull();
    expect((await put(`/v1/cases/${id}/snooze`, { until: iso(START + 7 * DAY_MS) })).status).toBe(200);
  });
});

describe('a priority', () => {
  test('is set in any status of the case, and is audited once', async () => {
    const { flag, put, read, entries } = await open();
    const id = await flag();
    const before = await read(id);
    const { status, json } = await put(`/v1/cases/${id}/priority`, { priority: 'urgent' });
    expect([status, json]).toEqual([200, { ...before, priority: 'urgent' }]);
    expect(await read(id)).toEqual(json);
    await put(`/v1/cases/${id}/priority`, { priority: 'urgent' });
    expect(await entries()).toMatchObject([
      { action: 'case.priority_changed', target: id, before: { priority: 'normal' }, after: { priority: 'urgent' } },
    ]);
    await put(`/v1/cases/${id}`, { status: 'approved' });
    expect((await put(`/v1/cases/${id}/priority`, { priority: 'low' })).json).toMatchObject({
      status: 'approved',
      priority: 'low',
    });
  });

  test('orders the list and the next case, before the age', async () => {
    const { flag, put, get, post } = await open();
    const ids: string[] = [];
    for (const priority of ['normal', 'low', 'urgent', 'high', 'urgent']) {
      clock.advance(1000);
      const id = await flag();
      ids.push(id);
      await put(`/v1/cases/${id}/priority`, { priority });
    }
    const list = async (query: string): Promise<number[]> =>
      (await get(`/v1/cases?${query}`)).json.cases.map(({ case_id }: Json) => ids.indexOf(case_id));
    expect(await list('sort=priority')).toEqual([2, 4, 3, 0, 1]);
    expect(await list('priority=urgent')).toEqual([4, 2]);
    expect(await list('priority=low&status=open')).toEqual([1]);
    const next = async (more: Json = {}): Promise<number> =>
      ids.indexOf((await post('/v1/cases/next', { analyst_id: 'ana', ...more })).json.case_id);
    expect(await next({ priority: 'low' })).toBe(1);
    expect(await next({ sort: 'oldest' })).toBe(0);
    expect([await next(), await next(), await next()]).toEqual([2, 4, 3]);
  });

  test('of another name is refused', async () => {
    const { flag, put, get, read } = await open();
    const id = await flag();
    for (const body of [{}, { priority: 'asap' }, { priority: null }, { priority: 3 }])
      expect(fieldErrors(await put(`/v1/cases/${id}/priority`, body))).toHaveProperty('priority');
    expect((await get('/v1/cases?priority=asap')).status).toBe(400);
    expect((await read(id)).priority).toBe('normal');
  });
});

describe('tags', () => {
  test('replace each other, in alphabetical order, and are audited', async () => {
    const { flag, put, read, entries } = await open();
    const id = await flag();
    expect((await put(`/v1/cases/${id}/tags`, { tags: ['zeta', 'alpha'] })).json.tags).toEqual(['alpha', 'zeta']);
    await put(`/v1/cases/${id}/tags`, { tags: ['alpha', 'zeta'] });
    expect((await put(`/v1/cases/${id}/tags`, { tags: ['b-2'] })).json.tags).toEqual(['b-2']);
    await put(`/v1/cases/${id}/tags`, { tags: [] });
    expect((await read(id)).tags).toEqual([]);
    expect((await entries()).map(({ before, after }) => [before.tags, after.tags])).toEqual([
      [['b-2'], []],
      [['alpha', 'zeta'], ['b-2']],
      [[], ['alpha', 'zeta']],
    ]);
  });

  test('find exactly the cases that have them', async () => {
    const { flag, put, get, post } = await open();
    const ids: string[] = [];
    for (const tags of [['a_b'], ['axb'], ['a_b', 'c'], ['a_bc'], []]) {
      clock.advance(1000);
      const id = await flag();
      ids.push(id);
      await put(`/v1/cases/${id}/tags`, { tags });
    }
    const list = async (query: string): Promise<number[]> =>
      (await get(`/v1/cases?${query}`)).json.cases.map(({ case_id }: Json) => ids.indexOf(case_id));
    expect(await list('tag=a_b')).toEqual([2, 0]);
    expect(await list('tag=axb')).toEqual([1]);
    expect(await list('tag=c&sort=oldest')).toEqual([2]);
    expect(await list('tag=none')).toEqual([]);
    expect((await post('/v1/cases/next', { analyst_id: 'ana', tag: 'c' })).json.case_id).toBe(ids[2]);
  });

  test.each([
    ['too many', Array.from({ length: MAX_TAGS_PER_CASE + 1 }, (_, i) => `tag_${i}`)],
    ['one twice', ['a', 'a']],
    ['an empty one', ['']],
    ['a long one', ['x'.repeat(41)]],
    ['capitals', ['Fraud']],
    ['spaces', ['two words']],
    ['a quote', ['a"b']],
    ['a wildcard', ['%']],
    ['a card number', ['4111111111111111']],
    ['numbers', [7]],
    ['no list', 'a'],
  ])('are refused with %s, and the case keeps its tags', async (_name, tags) => {
    const { flag, put, read } = await open();
    const id = await flag();
    await put(`/v1/cases/${id}/tags`, { tags: ['kept'] });
    const refused = await put(`/v1/cases/${id}/tags`, { tags });
    expect(refused.status).toBe(400);
    expect(Object.keys(fieldErrors(refused)).every((field) => field.startsWith('tags'))).toBe(true);
    expect((await read(id)).tags).toEqual(['kept']);
  });

  test('and priorities that are set at once are all kept', async () => {
    const { flag, put, read } = await open();
    const id = await flag();
    const replies = await atOnce(20, (i) =>
      i % 2 === 0
        ? put(`/v1/cases/${id}/priority`, { priority: 'high' })
        : put(`/v1/cases/${id}/tags`, { tags: ['both'] }),
    );
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(await read(id)).toMatchObject({ priority: 'high', tags: ['both'] });
  });
});

describe('notes', () => {
  test('have author, text and time, and are listed newest first, in pages', async () => {
    const { flag, post, get, entries } = await open();
    const id = await flag();
    const notes: Json[] = [];
    for (const body of [{ text: 'First.', analyst_id: 'ana' }, { text: 'ü\n😀 second' }, { text: 'Third.' }]) {
      clock.advance(MINUTE_MS);
      const { status, json } = await post(`/v1/cases/${id}/notes`, body);
      expect([status, json]).toEqual([
        201,
        {
          note_id: expect.stringMatching(/^note_/),
          case_id: id,
          author: body.analyst_id ?? expect.stringMatching(/^key_/),
          text: body.text,
          created_at: iso(clock.now()),
        },
      ]);
      notes.unshift(json);
    }
    const path = `/v1/cases/${id}/notes`;
    expect((await get(path)).json).toEqual({ notes, has_more: false });
    expect((await get(`${path}?limit=2`)).json).toEqual({ notes: notes.slice(0, 2), has_more: true });
    const last = (await get(`${path}?limit=2&before=${notes[1].note_id}`)).json;
    expect(last).toEqual({ notes: notes.slice(2), has_more: false });
    const audited = await entries();
    expect(audited.map(({ action, target, after }) => [action, target, after.note_id])).toEqual(
      notes.map(({ note_id }) => ['case.noted', id, note_id]),
    );
    // The log is kept for ever, and a note may hold personal data.
    expect(JSON.stringify(audited)).not.toContain('Third.');
  });

  test('are taken whatever the status of the case, belong to it alone, and leave its own notes as they are', async () => {
    const { flag, post, put, get, read } = await open();
    const [one, other] = [await flag(), await flag()];
    const { json: resolved } = await put(`/v1/cases/${one}`, { status: 'approved', notes: 'Outcome.' });
    expect((await post(`/v1/cases/${one}/notes`, { text: 'After the resolution.' })).status).toBe(201);
    clock.advance(8 * DAY_MS);
    expect((await post(`/v1/cases/${other}/notes`, { text: 'After the expiry.' })).status).toBe(201);
    expect((await get(`/v1/cases/${one}/notes`)).json.notes).toMatchObject([{ text: 'After the resolution.' }]);
    expect(await read(one)).toEqual({ ...resolved, notes_count: 1 });
  });

  test('of a repeated request under an idempotency key are one note', async () => {
    const { flag, post, get } = await open();
    const id = await flag();
    const headers = { 'Idempotency-Key': 'note' };
    const first = await post(`/v1/cases/${id}/notes`, { text: 'Once.' }, headers);
    expect((await post(`/v1/cases/${id}/notes`, { text: 'Once.' }, headers)).text).toBe(first.text);
    expect((await get(`/v1/cases/${id}/notes`)).json.notes).toHaveLength(1);
  });

  test('have card numbers masked', async () => {
    const { flag, post, get } = await open();
    const id = await flag();
    const { json } = await post(`/v1/cases/${id}/notes`, { text: 'Card 4111 1111 1111 1111.' });
    expect([json.text, json.warnings]).toEqual(['Card 4111 11** **** 1111.', [expect.stringContaining('`text`')]]);
    expect((await get(`/v1/cases/${id}/notes`)).json.notes[0].text).toBe('Card 4111 11** **** 1111.');
  });

  test('are limited in number, exactly, also when they arrive at once', async () => {
    const { flag, post, get } = await open();
    const id = await flag();
    const tenant = (
      await service.app.backend.read<{ tenant: number }>('SELECT tenant FROM cases WHERE id = ?', id.slice(5))
    )[0]?.tenant as number;
    await service.app.backend.write(
      Array.from({ length: MAX_NOTES_PER_CASE - 3 }, (_, i) => ({
        sql: 'INSERT INTO case_notes (tenant, case_id, id, author, text, created_at) VALUES (?, ?, ?, ?, ?, ?)',
        params: [tenant, id.slice(5), `0${String(i).padStart(25, '0')}`, 'ana', 'x', START],
      })),
    );
    const replies = await atOnce(8, () => post(`/v1/cases/${id}/notes`, { text: 'One more.' }));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const { status, json } of replies.filter(({ status }) => status !== 201))
      expect([status, json.error.code]).toEqual([409, 'limit_reached']);
    expect((await get(`/v1/cases/${id}/notes?limit=100`)).json.has_more).toBe(true);
  });

  test.each([
    ['no text', {}],
    ['an empty text', { text: '' }],
    ['a long text', { text: 'x'.repeat(10_001) }],
    ['a NUL', { text: '\0' }],
  ])('are refused with %s', async (_name, body) => {
    const { flag, post, get } = await open();
    const id = await flag();
    expect(fieldErrors(await post(`/v1/cases/${id}/notes`, body))).toHaveProperty('text');
    expect((await get(`/v1/cases/${id}/notes`)).json.notes).toEqual([]);
  });
});

test('priorities are stored by their place in the list, which must not change', () => {
  expect(PRIORITIES).toEqual(['low', 'normal', 'high', 'urgent']);
});
