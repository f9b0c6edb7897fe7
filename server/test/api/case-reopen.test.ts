import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  DAY_MS,
  HOUR_MS,
  type Json,
  MINUTE_MS,
  makeClock,
  START,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const api = client(service, await service.key());
await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.resolved', 'case.reopened'] });
const { get, put, flagPayment } = api;
const read = async (id: string): Promise<Json> => (await get(`/v1/cases/${id}`)).json;
const reopen = (id: string, body: Json = {}, headers: Record<string, string> = {}) =>
  api.post(`/v1/cases/${id}/reopen`, body, headers);
const messagesAbout = async (caseId: string): Promise<Json[]> => {
  const rows = await service.app.backend.read<{ body: string }>(
    "SELECT body FROM deliveries WHERE type IN ('case.resolved', 'case.reopened') ORDER BY message_id",
  );
  return rows.map(({ body }) => JSON.parse(body)).filter(({ data }: Json) => data.case_id === caseId);
};

describe('a resolved case', () => {
  test('is reopened as it was before, with a message and an audit entry', async () => {
    clock.set(START);
    const { case_id: id } = await flagPayment();
    await put(`/v1/cases/${id}/assignment`, { assignee: 'ana' });
    await put(`/v1/cases/${id}/tags`, { tags: ['kept'] });
    const before = await read(id);
    clock.advance(MINUTE_MS);
    const resolution = { status: 'rejected', reason: 'mule', analyst_id: 'ana', notes: 'Wrong.' };
    const { json: resolved } = await put(`/v1/cases/${id}`, resolution);
    clock.advance(MINUTE_MS);
    const { status, json } = await reopen(id, { analyst_id: 'ben' });
    expect([status, json]).toEqual([200, before]);
    expect(await read(id)).toEqual(before);
    expect((await messagesAbout(id)).map(({ type, data }) => [type, data])).toEqual([
      ['case.resolved', resolved],
      ['case.reopened', before],
    ]);
    const { entries } = (await get(`/v1/audit?target=${id}`)).json;
    expect(entries[0]).toMatchObject({
      action: 'case.reopened',
      before: { status: 'rejected', reason: 'mule', analyst_id: 'ana', resolved_at: resolved.resolved_at },
      after: { status: 'open', analyst_id: 'ben' },
    });
  });

  test('keeps its outcome until the next resolution replaces it: one review and one label are in force at any time', async () => {
    clock.set(START);
    const { case_id: id, decision_id, transaction_id, user_id } = await flagPayment();
    const state = async (): Promise<Json[]> => {
      const { decision, reviews } = (await get(`/v1/decisions/${decision_id}`)).json;
      const { labels } = (await get(`/v1/labels?subject=${transaction_id}`)).json;
      const { confirmed_fraud } = (await get(`/v1/users/${user_id}/risk-profile`)).json;
      return [decision, reviews.length, labels[0]?.label, confirmed_fraud];
    };
    await put(`/v1/cases/${id}`, { status: 'rejected' });
    expect(await state()).toEqual(['block', 1, 'fraud', 1]);
    await reopen(id);
    expect(await state()).toEqual(['block', 1, 'fraud', 1]);
    clock.advance(MINUTE_MS);
    expect((await put(`/v1/cases/${id}`, { status: 'approved', analyst_id: 'ben' })).status).toBe(200);
    expect(await state()).toEqual(['allow', 2, 'legitimate', 0]);
    await reopen(id);
    expect((await put(`/v1/cases/${id}`, { status: 'approved' })).status).toBe(200);
    expect(await state()).toEqual(['allow', 3, 'legitimate', 0]);
  });

  test('expires after seven days if nobody resolves it again, and its first outcome stays in force', async () => {
    clock.set(START);
    const { case_id: id, decision_id, transaction_id } = await flagPayment();
    await put(`/v1/cases/${id}`, { status: 'approved' });
    await reopen(id);
    clock.set(START + 7 * DAY_MS);
    expect(await read(id)).toMatchObject({ status: 'expired', resolved_at: null });
    // An expiry is no outcome: what a person found out stays the best that is known.
    expect((await get(`/v1/decisions/${decision_id}`)).json).toMatchObject({ decision: 'allow', reviews: [{}] });
    const { labels } = (await get(`/v1/labels?subject=${transaction_id}`)).json;
    expect(labels.map(({ label }: Json) => label)).toEqual(['legitimate']);
    expect((await put(`/v1/cases/${id}`, { status: 'approved' })).json.error.code).toBe('case_expired');
    expect((await reopen(id)).json.error.code).toBe('case_expired');
  });

  test('waits again for somebody to take it', async () => {
    const other = client(service, await service.key({ account: 'globex' }));
    clock.set(START);
    const { case_id: id } = await other.flagPayment();
    await other.put(`/v1/cases/${id}`, { status: 'approved' });
    await other.post(`/v1/cases/${id}/reopen`, {});
    expect((await other.post('/v1/cases/next', { analyst_id: 'ana' })).json.case_id).toBe(id);
  });

  test('is reopened once by twenty requests at once', async () => {
    clock.set(START);
    const { case_id: id } = await flagPayment();
    await put(`/v1/cases/${id}`, { status: 'approved' });
    const replies = await atOnce(20, () => reopen(id));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, json } of replies.filter(({ status }) => status !== 200))
      expect([status, json.error.code]).toEqual([409, 'case_not_resolved']);
    expect((await messagesAbout(id)).filter(({ type }) => type === 'case.reopened')).toHaveLength(1);
  });

  test('has the first response when the request is repeated under its idempotency key', async () => {
    clock.set(START);
    const { case_id: id } = await flagPayment();
    await put(`/v1/cases/${id}`, { status: 'approved' });
    const headers = { 'Idempotency-Key': 'reopen' };
    const first = await reopen(id, {}, headers);
    const again = await reopen(id, {}, headers);
    expect([first.status, again.text]).toEqual([200, first.text]);
  });
});

describe('409', () => {
  test.each([
    ['is open', 0, undefined, 'case_not_resolved', 'is open'],
    ['was resolved a day ago', DAY_MS, 'approved', 'case_not_resolved', 'approved more than a day ago'],
    ['would be expired', HOUR_MS, 'rejected', 'case_expired', 'Seven days'],
  ])('a case that %s is not reopened', async (_name, after, status, code, words) => {
    clock.set(START);
    const { case_id: id } = await flagPayment();
    if (code === 'case_expired') clock.set(START + 7 * DAY_MS - HOUR_MS);
    if (status !== undefined) await put(`/v1/cases/${id}`, { status });
    clock.advance(after);
    const before = await read(id);
    const refused = await reopen(id);
    expect([refused.status, refused.json.error.code]).toEqual([409, code]);
    expect(refused.json.error.message).toContain(words);
    expect(await read(id)).toEqual(before);
  });

  test('the last millisecond of the day is early enough', async () => {
    clock.set(START);
    const { case_id: id } = await flagPayment();
    await put(`/v1/cases/${id}`, { status: 'approved' });
    clock.advance(DAY_MS - 1);
    expect((await reopen(id)).status).toBe(200);
  });

  test('a case whose item has as many labels as it may have stays resolved', async () => {
    clock.set(START);
    const { case_id: id, transaction_id } = await flagPayment();
    const label = (i: number) => ({ transaction_id, label: i % 2 ? 'fraud' : 'legitimate', source: 'test' });
    await put(`/v1/cases/${id}`, { status: 'approved' });
    for (let i = 0; i < 99; i++) await api.post('/v1/labels', label(i));
    const refused = await reopen(id);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'limit_reached']);
    expect((await read(id)).status).toBe('approved');
  });
});
