import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  countRows,
  DAY_MS,
  HOUR_MS,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  startService,
  unknownId,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const api = client(service, await service.key());
const other = client(service, await service.key({ account: 'globex' }));
const flag = async (more: Record<string, unknown>, by = api): Promise<string> => (await by.flagPayment(more)).case_id;
/** The cases of an attack, oldest first. */
const attackOf = async (id: string, by = api): Promise<string[]> =>
  (await by.get(`/v1/cases?attack_of=${id}&sort=oldest&limit=100`)).json.cases.map(({ case_id }: Json) => case_id);
/** Time only goes on: a sweep in the background deletes links that are old by the clock. */
const begin = (): void => clock.advance(2 * DAY_MS);
let users = 0;
const newUser = (): string => `attacked ${users++}`;

describe('cases of one attack', () => {
  test('are those of one user, of payments and events, found from each of them', async () => {
    begin();
    const user_id = newUser();
    const ids = [await flag({ user_id })];
    clock.advance(1000);
    ids.push((await api.act(login({ user_id, ip_address: REVIEW_IP }))).json.case_id);
    clock.advance(1000);
    ids.push(await flag({ user_id }));
    await flag({ user_id: newUser() });
    for (const id of ids) expect(await attackOf(id)).toEqual(ids);
    const { cases } = (await api.get(`/v1/cases?attack_of=${ids[0]}&subject_type=event`)).json;
    expect(cases).toMatchObject([{ case_id: ids[1], subject_type: 'event', user_id, status: 'open' }]);
  });

  test('are those of users who share a device', async () => {
    begin();
    const device_token = `device of ${newUser()}`;
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      clock.advance(1000);
      ids.push(await flag({ user_id: newUser(), device_token }));
    }
    for (const id of ids) expect(await attackOf(id)).toEqual(ids);
  });

  test('go on with a user who changes the device, and with the device after that', async () => {
    begin();
    const [thief, victim, third] = [newUser(), newUser(), newUser()];
    const ids = [await flag({ user_id: thief, device_token: `${thief} one` })];
    for (const more of [
      { user_id: thief, device_token: `${thief} two` },
      { user_id: victim, device_token: `${thief} two` },
      { user_id: victim },
      { user_id: third, device_token: `${thief} one` },
    ]) {
      clock.advance(1000);
      ids.push(await flag(more));
    }
    expect(await attackOf(ids[4] as string)).toEqual(ids);
  });

  test('of a user in one attack with the device of another join that of the user, and the attacks stay apart', async () => {
    begin();
    const [one, two] = [newUser(), newUser()];
    const first = [await flag({ user_id: one })];
    const second = [await flag({ user_id: two, device_token: `device of ${two}` })];
    clock.advance(1000);
    first.push(await flag({ user_id: one, device_token: `device of ${two}` }));
    clock.advance(1000);
    second.push(await flag({ user_id: newUser(), device_token: `device of ${two}` }));
    expect(await attackOf(first[0] as string)).toEqual(first);
    expect(await attackOf(second[0] as string)).toEqual(second);
  });

  test('end a day after the last one, whether or not they were resolved', async () => {
    begin();
    const user_id = newUser();
    const first = [await flag({ user_id })];
    await api.put(`/v1/cases/${first[0]}`, { status: 'rejected' });
    clock.advance(DAY_MS - 1);
    first.push(await flag({ user_id }));
    clock.advance(DAY_MS - 1);
    first.push(await flag({ user_id }));
    clock.advance(DAY_MS);
    const later = await flag({ user_id });
    expect(await attackOf(first[0] as string)).toEqual(first);
    expect(await attackOf(later)).toEqual([later]);
  });

  test.each([1, 2, 3])('that are opened at the same moment are one attack (round %d)', async () => {
    begin();
    const [user_id, device_token] = [newUser(), `device of ${newUser()}`];
    const ids = await atOnce(20, (i) => flag(i % 2 ? { user_id, device_token } : { user_id: newUser(), device_token }));
    const found = await attackOf(ids[0] as string);
    expect(found.toSorted()).toEqual(ids.toSorted());
    const alone = newUser();
    const own = await atOnce(20, () => flag({ user_id: alone }));
    expect((await attackOf(own[7] as string)).toSorted()).toEqual(own.toSorted());
  });

  test('are resolved together, and every item is labelled', async () => {
    begin();
    const user_id = newUser();
    const screened = await atOnce(4, () => api.flagPayment({ user_id }));
    const case_ids = await attackOf(screened[0].case_id);
    // A case that is resolved already is left out.
    const [done, ...open] = case_ids;
    await api.put(`/v1/cases/${done}`, { status: 'rejected' });
    const bystander = await flag({ user_id: newUser() });
    const body = { attack_of: case_ids[2], status: 'rejected', reason: 'takeover', analyst_id: 'ana' };
    const { results } = (await api.post('/v1/cases/resolve', body)).json;
    expect(results.map(({ case_id, case: one }: Json) => [case_id, one.status, one.reason])).toEqual(
      open.map((id) => [id, 'rejected', 'takeover']),
    );
    expect((await api.post('/v1/cases/resolve', body)).json.results).toEqual([]);
    expect((await api.get(`/v1/cases/${bystander}`)).json.status).toBe('open');
    for (const { transaction_id } of screened)
      expect((await api.get(`/v1/labels?subject=${transaction_id}`)).json.labels[0].label).toBe('fraud');
    expect((await api.get(`/v1/cases?attack_of=${case_ids[0]}&status=open`)).json.total).toBe(0);
  });

  test('belong to one account: the same user and device elsewhere are another attack', async () => {
    begin();
    const same = { user_id: newUser(), device_token: 'shared device' };
    const [mine, foreign] = [await flag(same), await flag(same, other)];
    expect([await attackOf(mine), await attackOf(foreign, other)]).toEqual([[mine], [foreign]]);
    // A case of another account is as one that does not exist.
    expect([await attackOf(foreign), await attackOf(unknownId('case'))]).toEqual([[], []]);
    expect((await api.get('/v1/cases?attack_of=x')).status).toBe(400);
    const resolution = { attack_of: foreign, status: 'approved' };
    expect((await api.post('/v1/cases/resolve', resolution)).json.results).toEqual([]);
    expect((await other.get(`/v1/cases/${foreign}`)).json.status).toBe('open');
  });

  test('are counted once for a request that is repeated under its idempotency key', async () => {
    begin();
    const body = payment({ user_id: newUser(), ip_address: REVIEW_IP });
    const replies = await atOnce(2, () => api.pay(body, { 'Idempotency-Key': `attack ${body.user_id}` }));
    const [case_id] = replies.filter(({ status }) => status === 200).map(({ json }) => json.case_id);
    expect(await attackOf(case_id)).toEqual([case_id]);
  });
});

test('links that no case can join are deleted', async () => {
  begin();
  const user_id = newUser();
  const first = await flag({ user_id });
  clock.advance(DAY_MS - HOUR_MS);
  await service.app.retention.sweepAll();
  expect(await attackOf(await flag({ user_id }))).toHaveLength(2);
  const links = await countRows(service, 'attack_links');
  expect(links).toBe(1);
  clock.advance(DAY_MS);
  await service.app.retention.sweepAll();
  expect(await countRows(service, 'attack_links')).toBe(0);
  expect(await attackOf(first)).toHaveLength(2);
});
