import { describe, expect, test, vi } from 'vitest';
import {
  atOnce,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  makeClock,
  payment,
  START,
  startService,
} from '../fixtures/harness.ts';
import { addPerson } from '../fixtures/people.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let accounts = 0;
/** Calls of a new account. */
const open = async () => {
  clock.set(START);
  const account = `account_${accounts++}`;
  return { account, ...client(service, await service.key({ account })) };
};

describe('GET with include', () => {
  test('adds the subject, the decision, what is usual, notes, activity and presence to a case, as their own operations return them', async () => {
    const { pay, flagPayment, get, post, put } = await open();
    const user_id = 'ada';
    await pay(payment({ user_id }));
    clock.advance(1000);
    const { case_id, decision_id } = await flagPayment({ user_id });
    await post(`/v1/cases/${case_id}/notes`, { text: 'Called.' });
    await put(`/v1/cases/${case_id}/presence`, { analyst_id: 'mara' });
    const plain = (await get(`/v1/cases/${case_id}`)).json;
    const until = iso(clock.now());
    clock.advance(1000);
    await vi.waitUntil(async () => (await get('/v1/screenings')).json.screenings.length === 2, { timeout: 90_000 });
    const { json } = await get(`/v1/cases/${case_id}?include=subject,decision,usual,notes,activity,presence`);
    const { subject, knowledge, full_decision, usual, case_notes, activity, present, ...rest } = json;
    expect(rest).toEqual(plain);
    const decided = (await get(`/v1/decisions/${decision_id}?include=subject`)).json;
    expect({ ...full_decision, subject, knowledge }).toEqual(decided);
    expect({ ...usual, as_of: '' }).toEqual({ ...(await get(`/v1/users/ada/usual?until=${until}`)).json, as_of: '' });
    expect(usual.items).toBe(1);
    expect(case_notes).toEqual((await get(`/v1/cases/${case_id}/notes`)).json.notes);
    expect(activity).toEqual((await get(`/v1/cases/${case_id}/activity`)).json.entries);
    expect(present).toEqual([{ analyst_id: 'mara', seen_at: until }]);
  });

  test('has what is left of an old case, and null for the rest', async () => {
    const { flagPayment, get } = await open();
    const { case_id } = await flagPayment();
    clock.advance(91 * DAY_MS);
    const { json } = await get(`/v1/cases/${case_id}?include=subject,decision,usual`);
    expect(json).toMatchObject({ case_id, subject: null, knowledge: null, full_decision: null, usual: null });
  });

  test('refuses names that it does not know, and personal data to a reader, before the case is looked up', async () => {
    const { account, flagPayment } = await open();
    const { case_id } = await flagPayment();
    const reader = client(service, await service.key({ account, role: 'reader' }));
    for (const include of ['links', 'subject,links', '', 'notes,']) {
      const refused = await reader.get(`/v1/cases/${case_id}?include=${include}`);
      expect([refused.status, Object.keys(fieldErrors(refused))]).toEqual([400, ['include']]);
    }
    for (const include of ['subject', 'notes,usual', 'decision,subject']) {
      const { status, json } = await reader.get(`/v1/cases/case_01m7ejnjyqetkazatznps5mye3?include=${include}`);
      expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
    }
    expect((await reader.get(`/v1/cases/${case_id}?include=decision,notes,activity,presence`)).status).toBe(200);
  });
});

describe('the activity of a case', () => {
  test('has every step of its life with who took it, newest first', async () => {
    const { account, flagPayment, get, post, put } = await open();
    const { case_id, decision_id } = await flagPayment();
    const path = `/v1/cases/${case_id}`;
    const { page, email } = await addPerson(service, { sandbox: 'analyst' }, account);
    const key_id = (await get('/v1/api-keys')).json.api_keys[0].key_id;
    const until = iso(START + DAY_MS);
    let noted: Json;
    const steps: (() => Promise<{ status: number; json: Json }>)[] = [
      () => put(`${path}/assignment`, { assignee: 'mara' }),
      () => put(`${path}/assignment`, { assignee: null, analyst_id: 'mara' }),
      () => page.put(`${path}/priority`, { priority: 'high' }),
      () => put(`${path}/tags`, { tags: ['b', 'a'] }),
      () => page.put(`${path}/snooze`, { until }),
      async () => {
        noted = await post(`${path}/notes`, { text: 'Called.', analyst_id: 'lena' });
        return noted as never;
      },
      () => put(path, { status: 'approved', analyst_id: 'lena' }),
      () => page.post(`${path}/reopen`, {}),
      () => put(path, { status: 'rejected' }),
      () => post(`/v1/decisions/${decision_id}/review`, { decision: 'allow', analyst_id: 'mara' }),
    ];
    for (const step of steps) {
      clock.advance(1000);
      expect((await step()).status).toBeLessThan(300);
    }
    const { entries, cut } = (await get(`${path}/activity`)).json;
    const expected = [
      ['opened', null, null],
      ['assigned', key_id, 'mara'],
      ['released', 'mara', null],
      ['priority_changed', email, 'high'],
      ['tags_changed', key_id, 'a,b'],
      ['snoozed', email, until],
      ['noted', 'lena', noted.json.note_id],
      ['resolved', 'lena', 'approved'],
      ['reopened', email, null],
      ['resolved', null, 'rejected'],
      ['overridden', 'mara', 'allow'],
    ].map(([kind, who, value], index) => ({ kind, at: iso(START + index * 1000), who, value }));
    expect(entries).toEqual(expected.toReversed());
    expect(cut).toBe(false);
  });

  test('ends with the expiry of a case that nobody resolved', async () => {
    const { flagPayment, get } = await open();
    const { case_id } = await flagPayment();
    clock.advance(7 * DAY_MS);
    expect((await get(`/v1/cases/${case_id}/activity`)).json.entries).toEqual([
      { kind: 'expired', at: iso(START + 7 * DAY_MS), who: null, value: null },
      { kind: 'opened', at: iso(START), who: null, value: null },
    ]);
  });
});

describe('presence', () => {
  test('shows who has a case open for 45 seconds after their last request, and belongs to that case', async () => {
    const { account, flagPayment, get, put } = await open();
    const [one, other] = [await flagPayment(), await flagPayment()];
    const { page, email } = await addPerson(service, { sandbox: 'reader' }, account);
    const names = async ({ case_id }: Json): Promise<string[]> =>
      (await get(`/v1/cases/${case_id}?include=presence`)).json.present.map(({ analyst_id }: Json) => analyst_id);
    expect(await names(one)).toEqual([]);
    await put(`/v1/cases/${one.case_id}/presence`, { analyst_id: 'mara' });
    clock.advance(25_000);
    const { json } = await page.put(`/v1/cases/${one.case_id}/presence`, {});
    expect(json.present).toEqual([
      { analyst_id: 'mara', seen_at: iso(START) },
      { analyst_id: email, seen_at: iso(clock.now()) },
    ]);
    expect(await names(other)).toEqual([]);
    clock.advance(20_000);
    expect(await names(one)).toEqual([email]);
    clock.advance(25_000);
    expect(await names(one)).toEqual([]);
  });

  test('of more names than anybody needs is bounded', async () => {
    const { flagPayment, put } = await open();
    const path = `/v1/cases/${(await flagPayment()).case_id}/presence`;
    for (let batch = 0; batch < 6; batch++)
      await atOnce(10, (index) => put(path, { analyst_id: `analyst_${batch * 10 + index}` }));
    expect((await put(path, { analyst_id: 'one_more' })).json.present.length).toBeLessThan(61);
  });
});
