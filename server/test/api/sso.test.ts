import { describe, expect, test } from 'vitest';
import { MINUTE_MS, makeClock, startService } from '../fixtures/harness.ts';
import { CLIENT_SECRET, finishSso, signInBySso, startProvider, startSso, visitProvider } from '../fixtures/oidc.ts';
import { addPerson, browser, PASSWORD, refusal } from '../fixtures/people.ts';

const ORIGIN = 'http://127.0.0.1:9';
const clock = makeClock(Date.now());
const provider = await startProvider([ORIGIN]);
const service = await startService({ clock: clock.now, env: provider.env });

let accounts = 0;
/** A person of the service with an account at the provider. */
const addLinked = async (more: object = {}) => {
  const added = await addPerson(service, { sandbox: 'analyst' });
  const login = `login${accounts++}`;
  const account = { login, sub: `sub-${login}`, email: added.email, email_verified: true, ...more };
  await provider.add(account);
  return { ...added, login, account };
};
/** A person who has not used their link yet. */
const invite = async (email: string) => {
  const body = { email, name: 'Invited', role: 'reader' };
  return (await service.call('POST', '/v1/people', { key: await service.key(), body })).json;
};
const messageOf = ({ json }: { json: { error?: { message: string } } }): string => json.error?.message ?? '';

describe('a sign-in through the provider', () => {
  test('opens a session like one by password, and leaves no cookie of its own behind', async () => {
    const { login, email } = await addLinked();
    const page = browser(service);
    const reply = await signInBySso(page, login);
    expect([reply.status, reply.json.me.email, reply.json.return_to]).toEqual([200, email, '/console']);
    expect(reply.headers.get('set-cookie')).toMatch(/^portcullis=[\w-]{43}; .*portcullis-sso=; Path=\/; Max-Age=0;/);
    expect((await page.get('/v1/cases')).status).toBe(200);
    expect((await page.get('/v1/me/sessions')).json.sessions[0].is_current).toBe(true);
    expect((await page.delete('/v1/me/session')).status).toBe(204);
    expect((await page.get('/v1/me')).status).toBe(401);
  });

  test('is listed with the name of the provider', async () => {
    const { json } = await service.call('GET', '/v1/sign-in');
    expect(json).toMatchObject({ methods: ['password', 'sso'], sso: { label: 'Example ID' } });
  });

  test('takes a person who was invited and has no password, in any spelling of the address', async () => {
    await invite('invited@acme.example');
    await provider.add({ login: 'i', sub: 'i', email: 'Invited@Acme.example', email_verified: true });
    const { json } = await signInBySso(browser(service), 'i');
    expect(json.me).toMatchObject({ email: 'invited@acme.example', has_password: false });
    const { people } = (await service.call('GET', '/v1/people', { key: await service.key() })).json;
    const found = people.find(({ person_id }: { person_id: string }) => person_id === json.me.person_id);
    expect(found).toMatchObject({ has_sso: true, has_password: false });
  });

  test('asks for no code of an app: the second factor of the provider counts', async () => {
    const { login, page } = await addLinked();
    const { secret } = (await page.post('/v1/me/totp', { current_password: PASSWORD })).json;
    const { codeAt, stepAt } = await import('../../src/people/totp.ts');
    expect((await page.put('/v1/me/totp', { code: codeAt(secret, stepAt(clock.now())) })).status).toBe(200);
    expect((await signInBySso(browser(service), login)).json.me.has_totp).toBe(true);
  });

  test('is found by issuer and subject from the second time on, whatever the address is then', async () => {
    const { login, account, person } = await addLinked();
    expect((await signInBySso(browser(service), login)).status).toBe(200);
    await provider.add({ ...account, email: 'renamed@acme.example', email_verified: false });
    expect((await signInBySso(browser(service), login)).json.me.person_id).toBe(person.person_id);
  });

  test('is written to the audit log with the identity, in every environment of the person', async () => {
    const { email } = await addPerson(service, { sandbox: 'reader', production: 'reader' }, 'audited');
    await provider.add({ login: 'audited', sub: 'audited-sub', email, email_verified: true });
    const { json } = await signInBySso(browser(service), 'audited');
    for (const environment of ['sandbox', 'production'] as const) {
      const key = await service.key({ account: 'audited', environment });
      const [entry] = (await service.call('GET', '/v1/audit?action=session.created', { key })).json.entries;
      expect(entry).toMatchObject({
        key_id: json.me.person_id,
        after: { person_id: json.me.person_id, sso: { issuer: provider.issuer, subject: 'audited-sub' } },
      });
    }
  });

  test('goes back to a page of the console, and to no other address', async () => {
    const { login } = await addLinked();
    const page = browser(service);
    const query = await visitProvider(await startSso(page, { return_to: '/console/sandbox/cases?x=1' }), login);
    expect((await finishSso(page, query)).json.return_to).toBe('/console/sandbox/cases?x=1');
    const elsewhere = ['https://evil.example', '//evil.example', '/console.evil.example', '/\\evil.example', '/docs'];
    for (const return_to of elsewhere)
      expect(refusal(await browser(service).post('/v1/sign-in/sso', { return_to }))).toEqual([400, 'invalid_request']);
  });

  test('sends the browser back to the address of the settings, whatever the Host header is', async () => {
    const { json } = await browser(service).post('/v1/sign-in/sso', {}, { host: 'evil.example' });
    expect(new URL(json.url).searchParams.get('redirect_uri')).toBe(`${ORIGIN}/console/sso`);
  });
});

describe('nobody is signed in', () => {
  const refuse = async (reply: Promise<Parameters<typeof refusal>[0]>, message: string): Promise<void> => {
    const got = await reply;
    expect([...refusal(got), messageOf(got)]).toEqual([401, 'invalid_sign_in', expect.stringContaining(message)]);
    expect(got.headers.get('set-cookie')).toBeNull();
  };

  test('with an address that the provider does not confirm', async () => {
    for (const email_verified of [false, undefined]) {
      const { login } = await addLinked({ email_verified });
      await refuse(signInBySso(browser(service), login), 'does not confirm your e-mail address');
    }
  });

  test('with an address that becomes the one of a person only when it is normalised', async () => {
    await invite('kim@acme.example');
    await provider.add({ login: 'kelvin', sub: 'kelvin', email: '\u212aim@acme.example', email_verified: true });
    await refuse(signInBySso(browser(service), 'kelvin'), 'does not confirm your e-mail address');
  });

  test('whom no administrator added, or who was removed since', async () => {
    await provider.add({ login: 'stranger', sub: 'stranger', email: 'stranger@x.example', email_verified: true });
    await refuse(signInBySso(browser(service), 'stranger'), 'Ask an administrator to add you.');
    expect(service.logs.join()).not.toContain('stranger@x.example');
    const { login, person } = await addLinked();
    const page = browser(service);
    expect((await signInBySso(page, login)).status).toBe(200);
    await service.call('DELETE', `/v1/people/${person.person_id}`, { key: await service.key() });
    expect((await page.get('/v1/me')).status).toBe(401);
    await refuse(signInBySso(browser(service), login), 'Ask an administrator to add you.');
  });

  test('by another account of the provider that has the same address, until a link was used', async () => {
    const { login, email, person } = await addLinked();
    expect((await signInBySso(browser(service), login)).status).toBe(200);
    await provider.add({ login: 'successor', sub: 'successor', email, email_verified: true });
    await refuse(signInBySso(browser(service), 'successor'), 'another account of Example ID');
    const key = await service.key();
    const audit = async () => (await service.call('GET', '/v1/audit?action=sign_in.failed', { key })).json.entries;
    await expect.poll(async () => (await audit())[0]?.target).toBe(person.person_id);
    const { token } = (await service.call('POST', `/v1/people/${person.person_id}/link`, { key, body: {} })).json;
    expect((await browser(service).post('/v1/sign-in/link', { token, password: PASSWORD })).status).toBe(200);
    expect((await signInBySso(browser(service), 'successor')).status).toBe(200);
    await refuse(signInBySso(browser(service), login), 'another account of Example ID');
  });

  test('who refuses at the provider', async () => {
    await refuse(signInBySso(browser(service), undefined), 'did not sign you in');
  });

  test('with another state, another nonce, or the code of another sign-in', async () => {
    const { login } = await addLinked();
    for (const name of ['state', 'nonce']) {
      const page = browser(service);
      const url = new URL(await startSso(page));
      url.searchParams.set(name, 'x'.repeat(43));
      await refuse(finishSso(page, await visitProvider(url.href, login)), 'Begin again.');
    }
    const [mine, theirs] = [browser(service), browser(service)];
    const own = new URLSearchParams(await visitProvider(await startSso(mine), login));
    const other = new URLSearchParams(await visitProvider(await startSso(theirs), login));
    own.set('code', other.get('code') as string);
    await refuse(finishSso(mine, own.toString()), 'Begin again.');
  });

  test('in another browser, with a used code, or after ten minutes', async () => {
    const { login } = await addLinked();
    const page = browser(service);
    const query = await visitProvider(await startSso(page), login);
    const cookie = page.cookie();
    await refuse(finishSso(browser(service), query), 'Begin again.');
    expect((await finishSso(page, query)).status).toBe(200);
    await refuse(finishSso(browser(service, 'sandbox', cookie), query), 'Begin again.');
    const late = browser(service);
    const unused = await visitProvider(await startSso(late), login);
    clock.advance(10 * MINUTE_MS);
    await refuse(finishSso(late, unused), 'Begin again.');
  });

  test('by a page of another site', async () => {
    for (const path of ['/v1/sign-in/sso', '/v1/sign-in/sso/callback']) {
      const sent = { query: 'code=x&state=x' };
      const reply = await browser(service).post(path, sent, { 'sec-fetch-site': 'cross-site' });
      expect(refusal(reply)).toEqual([403, 'cross_site_request']);
    }
  });
});

test('after twenty failures from an address, the next waits, and a sign-in that succeeds counts as none', async () => {
  const own = await startService({ clock: clock.now, env: provider.env });
  const { email } = await addPerson(own, { sandbox: 'reader' });
  await provider.add({ login: 'patient', sub: 'patient', email, email_verified: true });
  const fail = async () => {
    const page = browser(own);
    await startSso(page);
    return refusal(await finishSso(page, 'code=guess&state=guess'));
  };
  for (let failure = 0; failure < 19; failure++) expect(await fail()).toEqual([401, 'invalid_sign_in']);
  expect((await signInBySso(browser(own), 'patient')).status).toBe(200);
  expect(await fail()).toEqual([401, 'invalid_sign_in']);
  expect(await fail()).toEqual([429, 'rate_limited']);
  clock.advance(MINUTE_MS);
  expect((await signInBySso(browser(own), 'patient')).status).toBe(200);
});

test('neither the secret of the client nor codes and tokens are logged', () => {
  const logs = service.logs.join('\n');
  expect(logs).toContain('single sign-on failed');
  expect(logs).not.toContain(CLIENT_SECRET);
  expect(logs).not.toMatch(/code=|id_token|access_token|eyJ/);
});
