import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  DAY_MS,
  fieldErrors,
  iso,
  type Json,
  makeClock,
  START,
  startService,
  unknownId,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const api = client(service, await service.key());
const other = client(service, await service.key({ account: 'globex' }));
await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.resolved'] });
const { get, put } = api;
const resolve = (body: Json, headers: Record<string, string> = {}) => api.post('/v1/cases/resolve', body, headers);
const messagesAbout = async (caseId: string): Promise<Json[]> => {
  const rows = await service.app.backend.read<{ body: string }>(
    "SELECT body FROM deliveries WHERE type = 'case.resolved'",
  );
  return rows.map(({ body }) => JSON.parse(body).data).filter((data: Json) => data.case_id === caseId);
};

describe('several cases', () => {
  test('are resolved as each alone would be, with review, label and message', async () => {
    clock.set(START);
    const flagged = await atOnce(3, () => api.flagPayment());
    const before = await Promise.all(flagged.map(async ({ case_id }) => (await get(`/v1/cases/${case_id}`)).json));
    const resolution = { status: 'rejected', reason: 'card_testing', analyst_id: 'ana', notes: 'One attack.' };
    const { status, json } = await resolve({ case_ids: flagged.map(({ case_id }) => case_id), ...resolution });
    expect(status).toBe(200);
    const resolved = before.map((one) => ({ ...one, ...resolution, resolved_at: iso(START) }));
    expect(json).toEqual({ results: resolved.map((one) => ({ case_id: one.case_id, case: one, error: null })) });
    for (const [index, { case_id, decision_id, transaction_id }] of flagged.entries()) {
      expect((await get(`/v1/cases/${case_id}`)).json).toEqual(resolved[index]);
      expect((await get(`/v1/decisions/${decision_id}`)).json).toMatchObject({
        decision: 'block',
        reviews: [{ decision: 'block', reason: 'card_testing', analyst_id: 'ana', notes: 'One attack.' }],
      });
      expect((await get(`/v1/labels?subject=${transaction_id}`)).json.labels).toMatchObject([
        { label: 'fraud', reason: 'card_testing', origin: 'case', author: 'ana' },
      ]);
      expect(await messagesAbout(case_id)).toEqual([resolved[index]]);
    }
  });

  test('each have their own outcome: those that cannot be resolved are refused alone, in the order of the request', async () => {
    clock.set(START);
    const expired = (await api.flagPayment()).case_id;
    clock.advance(7 * DAY_MS);
    const [done, first, second] = (await atOnce(3, () => api.flagPayment())).map(({ case_id }) => case_id);
    const foreign = (await other.flagPayment()).case_id;
    await put(`/v1/cases/${done}`, { status: 'approved', analyst_id: 'ben' });
    const case_ids = [first, done, unknownId('case'), expired, foreign, second];
    const { results } = (await resolve({ case_ids, status: 'rejected' })).json;
    expect(results.map(({ case_id, case: one, error }: Json) => [case_id, one?.status ?? error.code])).toEqual([
      [first, 'rejected'],
      [done, 'case_not_open'],
      [unknownId('case'), 'not_found'],
      [expired, 'case_expired'],
      [foreign, 'not_found'],
      [second, 'rejected'],
    ]);
    // Another tenant's case is indistinguishable from one that does not exist.
    expect(results[4].error).toEqual(results[2].error);
    expect((await other.get(`/v1/cases/${foreign}`)).json.status).toBe('open');
    expect((await get(`/v1/cases/${done}`)).json).toMatchObject({ status: 'approved', analyst_id: 'ben' });
    expect(await messagesAbout(expired)).toEqual([]);
  });

  test('in two requests at once are resolved by one of them each', async () => {
    const case_ids = (await atOnce(10, () => api.flagPayment())).map(({ case_id }) => case_id);
    const replies = await Promise.all([
      resolve({ case_ids, status: 'approved' }),
      resolve({ case_ids: case_ids.toReversed(), status: 'rejected' }),
    ]);
    const results = replies.flatMap(({ json }) => json.results);
    const won = results.filter(({ error }: Json) => error === null);
    expect(won.map(({ case_id }: Json) => case_id).toSorted()).toEqual(case_ids.toSorted());
    for (const { case_id, case: one } of won) expect((await get(`/v1/cases/${case_id}`)).json).toEqual(one);
    for (const { error } of results.filter(({ error }: Json) => error !== null))
      expect(error.code).toBe('case_not_open');
  });

  test('have the first response when the request is repeated under its idempotency key', async () => {
    const { case_id } = await api.flagPayment();
    const body = { case_ids: [case_id], status: 'approved' };
    const headers = { 'Idempotency-Key': 'bulk' };
    const first = await resolve(body, headers);
    expect(first.json.results[0].error).toBeNull();
    const again = await resolve(body, headers);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(await messagesAbout(case_id)).toHaveLength(1);
  });

  test('up to a hundred are resolved at once', async () => {
    const case_ids = (await atOnce(100, () => api.flagPayment())).map(({ case_id }) => case_id);
    const { results } = (await resolve({ case_ids, status: 'approved' })).json;
    expect(results.filter(({ error }: Json) => error === null)).toHaveLength(100);
  });
});

describe('400', () => {
  const id = unknownId('case');
  test('refuses a resolution of neither cases nor an attack', async () => {
    expect(fieldErrors(await resolve({ status: 'approved' }))).toEqual({ case_ids: 'is required, or `attack_of`' });
  });

  test.each([
    ['no case', { case_ids: [], status: 'approved' }, 'case_ids'],
    ['one case twice', { case_ids: [id, id], status: 'approved' }, 'case_ids'],
    ['more than a hundred', { case_ids: Array(101).fill(id), status: 'approved' }, 'case_ids'],
    ['an id of another kind', { case_ids: [unknownId('txn')], status: 'approved' }, 'case_ids.0'],
    ['cases and an attack', { case_ids: [id], attack_of: id, status: 'approved' }, 'case_ids'],
    ['no status', { case_ids: [id] }, 'status'],
    ['the reason of a legitimate outcome', { case_ids: [id], status: 'approved', reason: 'mule' }, 'reason'],
  ])('refuses %s, and resolves nothing', async (_name, body, field) => {
    const { case_id } = await api.flagPayment();
    const case_ids = [...body.case_ids, ...(body.case_ids.length === 1 ? [case_id] : [])];
    const refused = await resolve({ ...body, case_ids });
    expect(refused.status).toBe(400);
    expect(Object.keys(fieldErrors(refused))).toContain(field);
    expect((await get(`/v1/cases/${case_id}`)).json.status).toBe('open');
  });
});
