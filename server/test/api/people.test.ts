import { describe, expect, test, vi } from 'vitest';
import { client, DAY_MS, HOUR_MS, type Json, MINUTE_MS, makeClock, startService } from '../fixtures/harness.ts';
import { addPerson, browser, PASSWORD, refusal } from '../fixtures/people.ts';
import { readRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
let weaklings = 0;
const OTHER_PASSWORD = 'four other silly words';

describe('a session', () => {
  test('reaches the operations of the role in the environment of the request', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'analyst' });
    expect((await page.get('/v1/cases')).status).toBe(200);
    expect(refusal(await page.post('/v1/rules', {}))).toEqual([403, 'insufficient_scope']);
    expect(refusal(await page.in('production').get('/v1/cases'))).toEqual([403, 'wrong_environment']);
    const { json } = await page.get('/v1/me');
    expect(json).toMatchObject({ email, account: 'acme', roles: { sandbox: 'analyst', production: null } });
    expect(json.permissions).toEqual({ sandbox: ['read', 'read_personal', 'review'], production: [] });
  });

  test('has a cookie that scripts cannot read, without Secure on this machine and with it elsewhere', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'reader' });
    const local = (await page.signIn(email)).headers.get('set-cookie');
    expect(local).toMatch(/^portcullis=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
    const body = JSON.stringify({ email, password: PASSWORD });
    const { sendRaw } = await import('../fixtures/harness.ts');
    const far = await sendRaw(
      service,
      `POST /v1/sign-in HTTP/1.1\r\nHost: fraud.example\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(far.headers.get('set-cookie')).toMatch(
      /^__Host-portcullis=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test('is stored as a hash, like passwords and links', async () => {
    const { page, person } = await addPerson(service, { sandbox: 'reader' });
    const stored = JSON.stringify([
      await readRecords(service.dataDir, 'SELECT * FROM sessions'),
      await readRecords(service.dataDir, 'SELECT * FROM sign_in_links'),
      await readRecords(service.dataDir, 'SELECT * FROM people'),
      await readRecords(service.dataDir, 'SELECT * FROM audit'),
    ]);
    for (const secret of [page.cookie().split('=')[1] as string, person.link.token, PASSWORD])
      expect(stored).not.toContain(secret);
    expect(service.logs.join()).not.toContain(PASSWORD);
  });

  test('ends after 12 hours without a request, and after 7 days in any case', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'reader' });
    clock.advance(12 * HOUR_MS - 6 * MINUTE_MS);
    expect((await page.get('/v1/me')).status).toBe(200);
    clock.advance(12 * HOUR_MS);
    expect(refusal(await page.get('/v1/me'))).toEqual([401, 'invalid_session']);
    await page.signIn(email);
    for (let hours = 0; hours < 7 * 24 - 10; hours += 10) {
      clock.advance(10 * HOUR_MS);
      expect((await page.get('/v1/me')).status).toBe(200);
    }
    clock.advance(10 * HOUR_MS);
    expect(refusal(await page.get('/v1/me'))).toEqual([401, 'invalid_session']);
  });

  test('is listed, and ends alone when its person ends it', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'reader' });
    const other = browser(service);
    await other.signIn(email);
    const { sessions } = (await page.get('/v1/me/sessions')).json;
    expect(sessions.map(({ is_current }: Json) => is_current)).toEqual([false, true]);
    expect((await page.delete(`/v1/me/sessions/${sessions[0].session_id}`)).status).toBe(204);
    expect(refusal(await other.get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect((await page.get('/v1/me')).status).toBe(200);
    const cookie = page.cookie();
    const out = await page.delete('/v1/me/session');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect(refusal(await browser(service, 'sandbox', cookie).get('/v1/me'))).toEqual([401, 'invalid_session']);
  });

  test('of another person cannot be ended', async () => {
    const { page } = await addPerson(service, { sandbox: 'admin' });
    const { page: other } = await addPerson(service, { sandbox: 'reader' });
    const [{ session_id }] = (await other.get('/v1/me/sessions')).json.sessions;
    expect(refusal(await page.delete(`/v1/me/sessions/${session_id}`))).toEqual([404, 'not_found']);
    expect((await other.get('/v1/me')).status).toBe(200);
  });
});

describe('an attack', () => {
  test.each([
    ['without the header of the environment', { 'x-portcullis-environment': undefined }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['from another origin', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
    ['without an origin', { 'sec-fetch-site': undefined }],
    ['from another site with our origin', { 'sec-fetch-site': 'cross-site', origin: service.url }],
  ])('by a request %s is refused and changes nothing', async (_, headers) => {
    const { page } = await addPerson(service, { sandbox: 'admin' });
    const reply = await page.post('/v1/lists', { name: 'attacked' }, headers);
    expect(refusal(reply)).toEqual([403, 'cross_site_request']);
    expect((await page.get('/v1/lists/attacked')).status).toBe(404);
  });

  test('by a sign-in from another site is refused, so that nobody is signed in as somebody else', async () => {
    const { email } = await addPerson(service, { sandbox: 'admin' });
    const body = { email, password: PASSWORD };
    const reply = await browser(service).post('/v1/sign-in', body, { 'sec-fetch-site': 'cross-site' });
    expect([...refusal(reply), reply.headers.get('set-cookie')]).toEqual([403, 'cross_site_request', null]);
  });

  test('the origin of the service counts where the browser sends no Sec-Fetch-Site', async () => {
    const { page } = await addPerson(service, { sandbox: 'admin' });
    const headers = { 'sec-fetch-site': undefined, origin: service.url };
    expect((await page.post('/v1/lists', { name: 'by_origin' }, headers)).status).toBe(201);
  });

  test('with a wrong environment in the header is refused', async () => {
    const { page } = await addPerson(service, { sandbox: 'admin' });
    const reply = await page.get('/v1/cases', { 'x-portcullis-environment': 'staging' });
    expect(refusal(reply)).toEqual([400, 'invalid_request']);
  });

  test('with a key and a cookie at once is refused', async () => {
    const { page } = await addPerson(service, { sandbox: 'admin' });
    const authorization = `Bearer ${await service.key()}`;
    expect(refusal(await page.get('/v1/cases', { authorization }))).toEqual([400, 'invalid_request']);
    const other = await page.get('/v1/cases', { authorization, cookie: 'theme=dark' });
    expect(other.status).toBe(200);
  });

  test('by a cookie set before the sign-in gains nothing: the sign-in gives another', async () => {
    const { email } = await addPerson(service, { sandbox: 'admin' });
    const planted = `portcullis=${'a'.repeat(43)}`;
    const victim = browser(service, 'sandbox', planted);
    expect((await victim.signIn(email)).status).toBe(200);
    expect(victim.cookie()).not.toBe(planted);
    expect(refusal(await browser(service, 'sandbox', planted).get('/v1/me'))).toEqual([401, 'invalid_session']);
  });

  test('by the cookie from before another sign-in is refused', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'admin' });
    const stolen = page.cookie();
    await page.signIn(email);
    expect(refusal(await browser(service, 'sandbox', stolen).get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect((await page.get('/v1/me')).status).toBe(200);
  });

  test.each(['', 'x', 'a'.repeat(43), "' OR 1=1 --", 'a'.repeat(5000)])(
    'by an invented cookie is refused (%#)',
    async (token) => {
      const reply = await browser(service, 'sandbox', `portcullis=${token}`).get('/v1/cases');
      expect(refusal(reply)).toEqual([401, 'invalid_session']);
    },
  );

  test('by a session on the people and cases of another account finds nothing', async () => {
    const { page } = await addPerson(service, { sandbox: 'admin' }, 'globex');
    const { person } = await addPerson(service, { sandbox: 'reader' });
    const { case_id } = await client(service, await service.key()).flagPayment();
    for (const path of [`/v1/people/${person.person_id}`, `/v1/cases/${case_id}`])
      expect(refusal(await page.put(path, { name: 'x', status: 'approved' }))).toEqual([404, 'not_found']);
    const { people } = (await page.get('/v1/people')).json;
    expect(people.every(({ email }: Json) => email.endsWith('@globex.example'))).toBe(true);
  });

  test('by a key on operations of a session is refused', async () => {
    const key = await service.key();
    expect(refusal(await service.call('GET', '/v1/me', { key }))).toEqual([401, 'invalid_session']);
  });
});

describe('every session of a person ends', () => {
  test('when the role changes, in the middle of a session', async () => {
    // Another administrator: the last one keeps the role.
    await addPerson(service, { sandbox: 'admin' });
    const { page, person, email } = await addPerson(service, { sandbox: 'admin' });
    const api = client(service, await service.key());
    expect((await page.get('/v1/audit')).status).toBe(200);
    await api.put(`/v1/people/${person.person_id}`, { role: 'reader' });
    expect(refusal(await page.get('/v1/audit'))).toEqual([401, 'invalid_session']);
    await page.signIn(email);
    expect(refusal(await page.get('/v1/audit'))).toEqual([403, 'insufficient_scope']);
  });

  test('when the password changes; the page that changed it gets another', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'reader' });
    const other = browser(service);
    await other.signIn(email);
    const old = page.cookie();
    const change = { password: OTHER_PASSWORD, current_password: PASSWORD };
    expect(refusal(await page.put('/v1/me', { ...change, current_password: 'wrong' }))).toEqual([
      401,
      'invalid_sign_in',
    ]);
    expect(refusal(await page.put('/v1/me', { password: OTHER_PASSWORD }))).toEqual([400, 'invalid_request']);
    expect((await page.put('/v1/me', change)).status).toBe(200);
    expect((await page.get('/v1/me')).status).toBe(200);
    for (const ended of [other, browser(service, 'sandbox', old)])
      expect(refusal(await ended.get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect(refusal(await other.signIn(email))).toEqual([401, 'invalid_sign_in']);
    expect((await other.signIn(email, OTHER_PASSWORD)).status).toBe(200);
  });

  test('when the person is removed', async () => {
    const { page, person, email } = await addPerson(service, { sandbox: 'reader' });
    await client(service, await service.key()).delete(`/v1/people/${person.person_id}`);
    expect(refusal(await page.get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect(refusal(await page.signIn(email))).toEqual([401, 'invalid_sign_in']);
  });
});

describe('a link', () => {
  test('works once', async () => {
    const { person } = await addPerson(service, { sandbox: 'reader' });
    const again = { token: person.link.token, password: OTHER_PASSWORD };
    expect(refusal(await browser(service).post('/v1/sign-in/link', again))).toEqual([404, 'invalid_link']);
  });

  test('works once, also when it is used twice at the same time', async () => {
    const api = client(service, await service.key());
    const { json } = await api.post('/v1/people', { email: 'twice@acme.example', name: 'Twice', role: 'reader' });
    const use = () => browser(service).post('/v1/sign-in/link', { token: json.link.token, password: PASSWORD });
    const statuses = (await Promise.all([use(), use()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
  });

  test('works for 24 hours, and only the newest one', async () => {
    const api = client(service, await service.key());
    const { json } = await api.post('/v1/people', { email: 'late@acme.example', name: 'Late', role: 'reader' });
    const use = (token: string) => browser(service).post('/v1/sign-in/link', { token, password: PASSWORD });
    const { json: second } = await api.post(`/v1/people/${json.person_id}/link`, {});
    expect(refusal(await use(json.link.token))).toEqual([404, 'invalid_link']);
    clock.advance(DAY_MS);
    expect(refusal(await use(second.token))).toEqual([404, 'invalid_link']);
    const { json: third } = await api.post(`/v1/people/${json.person_id}/link`, {});
    clock.advance(DAY_MS - 1);
    expect((await use(third.token)).status).toBe(200);
  });

  test.each([
    ['too short', 'short word'],
    ['common', 'Password1234!'],
    ['a sequence', '123456789012'],
    ['the e-mail address', 'weakling-2026!!'],
  ])('with a password that is %s is refused, and still works', async (_, password) => {
    const api = client(service, await service.key());
    const email = `weakling@attempt${weaklings++}.example`;
    const { json } = await api.post('/v1/people', { email, name: 'Weak', role: 'reader' });
    const reply = await browser(service).post('/v1/sign-in/link', { token: json.link.token, password });
    expect(refusal(reply)).toEqual([400, 'invalid_request']);
    expect(reply.json.error.details[0].field).toBe('password');
    const good = { token: json.link.token, password: PASSWORD };
    expect((await browser(service).post('/v1/sign-in/link', good)).status).toBe(200);
  });

  test('for a person with a role in production is not given to an administrator of the sandbox', async () => {
    const { person } = await addPerson(service, { sandbox: 'reader', production: 'admin' });
    const path = `/v1/people/${person.person_id}/link`;
    const { page } = await addPerson(service, { sandbox: 'admin', production: 'manager' });
    const key = await service.key();
    expect(refusal(await client(service, key).post(path, {}))).toEqual([403, 'insufficient_scope']);
    expect(refusal(await page.post(path))).toEqual([403, 'insufficient_scope']);
    const { page: admin } = await addPerson(service, { sandbox: 'admin', production: 'admin' });
    expect((await admin.post(path)).status).toBe(201);
  });

  test('of the first start makes the first administrator of both environments', async () => {
    const empty = await startService({ clock: clock.now });
    const path = await empty.app.people.firstLink('default');
    const token = path?.split('#')[1];
    expect(path).toBe(`/console/start#${token}`);
    const page = browser(empty);
    expect(refusal(await page.post('/v1/sign-in/link', { token, password: PASSWORD }))).toEqual([
      400,
      'invalid_request',
    ]);
    const body = { token, password: PASSWORD, email: 'Mara@Example.com', name: 'Mara' };
    expect((await page.post('/v1/sign-in/link', body)).json.me).toMatchObject({
      email: 'mara@example.com',
      roles: { sandbox: 'admin', production: 'admin' },
    });
    expect((await page.in('production').get('/v1/people')).json.people).toHaveLength(1);
    expect(refusal(await browser(empty).post('/v1/sign-in/link', body))).toEqual([404, 'invalid_link']);
    expect(await empty.app.people.firstLink('default')).toBe(undefined);
  });
});

describe('a person', () => {
  test('gets no role with permissions that the caller does not have', async () => {
    const api = client(service, await service.key());
    const { json } = await api.post('/v1/api-keys', { permissions: ['administer', 'read'] });
    const weak = client(service, json.secret);
    const reply = (role: string) => weak.post('/v1/people', { email: `${role}@weak.example`, name: 'x', role });
    expect(refusal(await reply('admin'))).toEqual([403, 'insufficient_scope']);
    expect((await reply('reader')).status).toBe(201);
  });

  test('has one e-mail address in the installation, in any spelling', async () => {
    const { email } = await addPerson(service, { sandbox: 'reader' });
    for (const account of ['acme', 'globex']) {
      const key = await service.key({ account });
      const body = { email: email.toUpperCase(), name: 'x', role: 'reader' };
      expect(refusal(await client(service, key).post('/v1/people', body))).toEqual([409, 'person_exists']);
    }
  });

  test('stays in production when removed from the sandbox', async () => {
    const { page, person, email } = await addPerson(service, { sandbox: 'reader', production: 'analyst' });
    await client(service, await service.key()).delete(`/v1/people/${person.person_id}`);
    await page.signIn(email);
    expect((await page.in('production').get('/v1/me')).json.roles).toEqual({ sandbox: null, production: 'analyst' });
    expect(refusal(await page.get('/v1/me'))).toEqual([403, 'wrong_environment']);
  });

  test('acts under their own name: reviews, resolutions and assignments have the e-mail address', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'analyst' });
    const api = client(service, await service.key());
    const { case_id, decision_id } = await api.flagPayment();
    const claimed = { analyst_id: 'somebody' };
    for (const reply of [
      await page.put(`/v1/cases/${case_id}`, { status: 'approved', ...claimed }),
      await page.post('/v1/cases/resolve', { case_ids: [case_id], status: 'approved', ...claimed }),
      await page.post(`/v1/decisions/${decision_id}/review`, { decision: 'allow', ...claimed }),
      await page.put(`/v1/cases/${case_id}/assignment`, { assignee: email, ...claimed }),
      await page.post('/v1/cases/next', claimed),
    ]) {
      expect(refusal(reply)).toEqual([400, 'invalid_request']);
      expect(reply.json.error.details[0].field).toBe('analyst_id');
    }
    expect((await api.get(`/v1/cases/${case_id}`)).json).toMatchObject({ status: 'open', assignee: null });
    expect((await page.put(`/v1/cases/${case_id}/assignment`, { assignee: email })).json.assignee).toBe(email);
    expect((await page.put(`/v1/cases/${case_id}`, { status: 'approved' })).json.analyst_id).toBe(email);
    const review = await page.post(`/v1/decisions/${decision_id}/review`, { decision: 'block', analyst_id: email });
    expect(review.json.reviews.at(-1).analyst_id).toBe(email);
  });

  test('is named by the audit log for changes and sign-ins, in each environment of the person', async () => {
    const { page, person, email } = await addPerson(service, { sandbox: 'admin', production: 'reader' });
    await page.post('/v1/lists', { name: 'audited' });
    await browser(service).signIn(email, 'wrong password!');
    const entriesIn = async (environment: 'sandbox' | 'production'): Promise<Json[]> => {
      const api = client(service, await service.key({ environment }));
      const { entries } = (await api.get('/v1/audit?limit=100')).json;
      return entries.filter(({ key_id }: Json) => key_id === person.person_id).map(({ action }: Json) => action);
    };
    await vi.waitUntil(async () => (await entriesIn('production'))[0] === 'sign_in.failed', { timeout: 90_000 });
    expect(await entriesIn('sandbox')).toEqual(['sign_in.failed', 'list.created', 'person.link_used']);
    expect(await entriesIn('production')).toEqual(['sign_in.failed', 'person.link_used']);
  });
});
