import { expect, test } from 'vitest';
import { listPeople, makePersonLink } from '../../src/commands/people.ts';
import { runCommand } from '../fixtures/command.ts';
import { client, startService } from '../fixtures/harness.ts';
import { browser, PASSWORD, refusal } from '../fixtures/people.ts';
import { settingsOf } from '../fixtures/records.ts';

const service = await startService();
const config = await settingsOf(service.dataDir);
const mara = { email: 'Mara@Example.com', account: 'acme', name: 'Mara' };
const linkOf = async (flags = mara): Promise<string> => {
  const { out, err, code } = await runCommand(() => makePersonLink(config, { ...flags, json: true }));
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out).token;
};

test('people link adds an administrator of both environments beside a running service, and resets a password', async () => {
  const page = browser(service);
  expect((await page.post('/v1/sign-in/link', { token: await linkOf(), password: PASSWORD })).json.me).toMatchObject({
    email: 'mara@example.com',
    account: 'acme',
    roles: { sandbox: 'admin', production: 'admin' },
  });
  const other = 'four other silly words';
  const again = browser(service);
  expect((await again.post('/v1/sign-in/link', { token: await linkOf(), password: other })).status).toBe(200);
  expect(refusal(await page.get('/v1/me'))).toEqual([401, 'invalid_session']);
  expect((await again.in('production').get('/v1/people')).json.people).toHaveLength(1);
  const { entries } = (await client(service, await service.key()).get('/v1/audit')).json;
  expect(entries.map(({ key_id, action }: { key_id: string; action: string }) => [key_id, action])).toContainEqual([
    'key_command_line',
    'person.link_created',
  ]);
});

test('people link shows the address of the link, and the end of it', async () => {
  const { out } = await runCommand(() => makePersonLink(config, { ...mara, email: 'new@example.com' }));
  expect(out).toContain('new@example.com is now an administrator of acme');
  expect(out).toMatch(/until 20\d\d-.*Z:\n\n {2}http:\/\/127\.0\.0\.1:\d+\/console\/invite#[\w-]{43}\n/);
});

test.each([
  ['a text that is no address', { ...mara, email: 'mara' }, /must be an address/],
  ['an address of another account', { ...mara, account: 'globex' }, /belongs to another account/],
])('people link refuses %s', async (_, flags, message) => {
  const { code, err, out } = await runCommand(() => makePersonLink(config, flags));
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(message);
});

test('people list shows everybody with their roles, and no secret', async () => {
  const { out } = await runCommand(() => listPeople(config, {}));
  expect(out).toMatch(/^person_\w{26} {2}acme +mara@example\.com +sandbox: admin, production: admin$/m);
  const { out: json } = await runCommand(() => listPeople(config, { json: true }));
  expect(JSON.parse(json)[0]).toMatchObject({ email: 'mara@example.com', has_password: true });
  expect(json).not.toContain('argon2');
});
