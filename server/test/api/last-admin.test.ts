import { describe, expect, test } from 'vitest';
import { client, type Json, startService } from '../fixtures/harness.ts';
import { addPerson, addSecondFactor, type Browser, browser, PASSWORD, refusal } from '../fixtures/people.ts';

const service = await startService();
const pathOf = ({ person_id }: Json): string => `/v1/people/${person_id}`;

let accounts = 0;
/** Two administrators of the sandbox of an account of their own. */
const twoAdmins = async () => {
  const account = `team${accounts++}`;
  const [one, two] = [
    await addPerson(service, { sandbox: 'admin' }, account),
    await addPerson(service, { sandbox: 'admin' }, account),
  ];
  return { account, one, two, api: client(service, await service.key({ account })) };
};

describe('the last administrator', () => {
  test('can be neither removed nor given another role, by themselves or with a key', async () => {
    const { one, two, api } = await twoAdmins();
    expect((await one.page.delete(pathOf(two.person))).status).toBe(204);
    for (const caller of [one.page, api]) {
      const removed = await caller.delete(pathOf(one.person));
      expect(refusal(removed)).toEqual([409, 'last_admin']);
      expect(removed.json.error.message).toContain('Give another person the role admin');
      expect(refusal(await caller.put(pathOf(one.person), { role: 'manager' }))).toEqual([409, 'last_admin']);
    }
    expect((await one.page.put(pathOf(one.person), { name: 'Another Name' })).status).toBe(200);
    expect((await api.get('/v1/people')).json.people).toMatchObject([{ role: 'admin', name: 'Another Name' }]);
  });

  test('is the one who has signed in: an invitation does not count', async () => {
    const { one, two, api } = await twoAdmins();
    const invited = { email: `invited${accounts}@late.example`, name: 'Late', role: 'admin' };
    const { json } = await api.post('/v1/people', invited);
    expect((await api.delete(pathOf(two.person))).status).toBe(204);
    expect(refusal(await api.delete(pathOf(one.person)))).toEqual([409, 'last_admin']);
    await browser(service).post('/v1/sign-in/link', { token: json.link.token, password: PASSWORD });
    expect((await api.delete(pathOf(one.person))).status).toBe(204);
  });

  test('is counted in each environment', async () => {
    const { account, one, api } = await twoAdmins();
    const key = await service.key({ account, environment: 'production' });
    const production = client(service, key);
    await production.post('/v1/people', { email: one.email, name: 'Mara', role: 'admin' });
    expect(refusal(await production.delete(pathOf(one.person)))).toEqual([409, 'last_admin']);
    expect((await api.delete(pathOf(one.person))).status).toBe(204);
  });

  test('remains when two administrators take the role from each other at the same time', async () => {
    for (const change of [
      (page: Browser, other: Json) => page.delete(pathOf(other)),
      (page: Browser, other: Json) => page.put(pathOf(other), { role: 'reader' }),
    ]) {
      const { one, two, api } = await twoAdmins();
      const replies = await Promise.all([change(one.page, two.person), change(two.page, one.person)]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      const { people } = (await api.get('/v1/people')).json;
      expect(people.filter(({ role }: Json) => role === 'admin')).toHaveLength(1);
    }
  });
});

describe('a lost second factor', () => {
  test('is turned off by another administrator, and the password alone signs in again', async () => {
    const { one, two, api } = await twoAdmins();
    await addSecondFactor(two.page);
    expect((await two.page.signIn(two.email)).json.next).toBe('totp');
    expect((await one.page.delete(`${pathOf(two.person)}/totp`)).status).toBe(204);
    expect(refusal(await two.page.get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect((await browser(service).signIn(two.email)).json.next).toBe(null);
    expect(refusal(await one.page.delete(`${pathOf(two.person)}/totp`))).toEqual([404, 'not_found']);
    const { entries } = (await api.get('/v1/audit?action=person.totp_removed')).json;
    expect(entries).toMatchObject([
      {
        key_id: one.person.person_id,
        target: two.person.person_id,
        before: { has_totp: true },
        after: { has_totp: false },
      },
    ]);
  });

  test('is not turned off by its owner without a code: a stolen session is not enough', async () => {
    const { one } = await twoAdmins();
    await addSecondFactor(one.page);
    const reply = await one.page.delete(`${pathOf(one.person)}/totp`);
    expect(refusal(reply)).toEqual([403, 'insufficient_scope']);
    expect((await browser(service).signIn(one.email)).json.next).toBe('totp');
  });

  test('of an administrator of production is not turned off by an administrator of the sandbox', async () => {
    const { account, one } = await twoAdmins();
    const { page, person } = await addPerson(service, { sandbox: 'reader', production: 'admin' }, account);
    await addSecondFactor(page);
    expect(refusal(await one.page.delete(`${pathOf(person)}/totp`))).toEqual([403, 'insufficient_scope']);
  });
});
