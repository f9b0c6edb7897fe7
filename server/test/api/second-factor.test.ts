import { describe, expect, test } from 'vitest';
import { codeAt, stepAt } from '../../src/people/totp.ts';
import { useStep } from '../../src/people/totp-store.ts';
import { type Json, MINUTE_MS, makeClock, startService } from '../fixtures/harness.ts';
import { addPerson, type Browser, browser, PASSWORD, refusal } from '../fixtures/people.ts';
import { readRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const STEP_MS = 30_000;
const codeNow = (secret: string, shift = 0): string => codeAt(secret, stepAt(clock.now()) + shift);

/** A person whose second factor is on. The code of the present step is used up. */
const withTotp = async () => {
  const { page, email, person } = await addPerson(service, { sandbox: 'analyst' });
  const { json } = await page.post('/v1/me/totp', { current_password: PASSWORD });
  expect((await page.put('/v1/me/totp', { code: codeNow(json.secret) })).status).toBe(200);
  clock.advance(STEP_MS);
  return { page, email, person, secret: json.secret as string, codes: json.recovery_codes as string[] };
};

/** The first step of a sign-in. */
const ticketOf = async (page: Browser, email: string): Promise<string> => {
  const { status, json, headers } = await page.signIn(email);
  expect([status, json.next, json.me, headers.get('set-cookie')]).toEqual([200, 'totp', null, null]);
  return json.ticket;
};
const sendCode = (page: Browser, ticket: string, code: string) => page.post('/v1/sign-in/totp', { ticket, code });

describe('with a second factor', () => {
  test('a password alone gives no session, and a code completes the sign-in', async () => {
    const { email, secret } = await withTotp();
    const page = browser(service);
    const ticket = await ticketOf(page, email);
    expect(refusal(await page.get('/v1/me'))).toEqual([401, 'invalid_session']);
    const { status, json } = await sendCode(page, ticket, codeNow(secret));
    expect([status, json.next, json.me.has_totp]).toEqual([200, null, true]);
    expect((await page.get('/v1/me')).json.email).toBe(email);
  });

  test('a code works once, also in another sign-in and at the same time', async () => {
    const { email, secret } = await withTotp();
    const [one, two] = [browser(service), browser(service)];
    const tickets = [await ticketOf(one, email), await ticketOf(two, email)] as const;
    const code = codeNow(secret);
    const replies = await Promise.all([sendCode(one, tickets[0], code), sendCode(two, tickets[1], code)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(refusal(await sendCode(two, tickets[1], codeNow(secret, -1)))).toEqual([401, 'invalid_sign_in']);
    expect((await sendCode(two, tickets[1], codeNow(secret, 1))).status).toBe(200);
  });

  test('the store takes no step that is not newer than the last: two processes cannot use one code', async () => {
    const { person } = await withTotp();
    const step = stepAt(clock.now());
    const take = (at: number) => service.app.backend.write([useStep(person.person_id.replace('person_', ''), at)]);
    const outcomes = [await take(step), await take(step), await take(step - 1), await take(step + 1)];
    expect(outcomes.map(({ written }) => written)).toEqual([true, false, false, true]);
  });

  test('a recovery code works once, in the spelling of a person', async () => {
    const { email, codes } = await withTotp();
    const page = browser(service);
    const typed = codes[3]?.toUpperCase().replaceAll('-', ' ') as string;
    expect((await sendCode(page, await ticketOf(page, email), typed)).status).toBe(200);
    const other = browser(service);
    const ticket = await ticketOf(other, email);
    expect(refusal(await sendCode(other, ticket, codes[3] as string))).toEqual([401, 'invalid_sign_in']);
    expect((await sendCode(other, ticket, codes[4] as string)).status).toBe(200);
  });

  test('a ticket ends after ten minutes, and when the password changes', async () => {
    const { email, secret, page } = await withTotp();
    const other = browser(service);
    const ticket = await ticketOf(other, email);
    const second = await ticketOf(other, email);
    const change = { password: 'four other silly words', current_password: PASSWORD };
    expect((await page.put('/v1/me', change)).status).toBe(200);
    expect(refusal(await sendCode(other, second, codeNow(secret)))).toEqual([401, 'invalid_sign_in']);
    const third = (await other.signIn(email, change.password)).json.ticket;
    clock.advance(10 * MINUTE_MS);
    for (const old of [ticket, third, 'invented', 'a'.repeat(1000)])
      expect(refusal(await sendCode(other, old, codeNow(secret)))).toEqual([401, 'invalid_sign_in']);
  });

  test('wrong codes make the next attempt wait, and right passwords in between do not reset the count', async () => {
    const { email, secret } = await withTotp();
    const page = browser(service);
    for (let attempt = 0; attempt < 5; attempt++) {
      const ticket = await ticketOf(page, email);
      expect(refusal(await sendCode(page, ticket, '000000'))).toEqual([401, 'invalid_sign_in']);
    }
    expect(refusal(await page.signIn(email))).toEqual([429, 'rate_limited']);
    clock.advance(MINUTE_MS);
    expect((await sendCode(page, await ticketOf(page, email), codeNow(secret))).status).toBe(200);
  });

  test('a link sets the password and still asks for a code', async () => {
    const { page, secret, person } = await withTotp();
    const key = await service.key();
    const { json } = await service.call('POST', `/v1/people/${person.person_id}/link`, { key, body: {} });
    const other = browser(service);
    const used = await other.post('/v1/sign-in/link', { token: json.token, password: 'four other silly words' });
    expect([used.status, used.json.next, used.headers.get('set-cookie')]).toEqual([200, 'totp', null]);
    expect(refusal(await page.get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect((await sendCode(other, used.json.ticket, codeNow(secret))).status).toBe(200);
  });
});

describe('a second factor', () => {
  test('is not asked for until a code has confirmed it, and confirming it gives another session', async () => {
    const { page, email } = await addPerson(service, { sandbox: 'analyst' });
    expect(refusal(await page.post('/v1/me/totp', {}))).toEqual([400, 'invalid_request']);
    expect(refusal(await page.post('/v1/me/totp', { current_password: 'wrong' }))).toEqual([401, 'invalid_sign_in']);
    const { json } = await page.post('/v1/me/totp', { current_password: PASSWORD });
    expect(json.recovery_codes).toHaveLength(10);
    const other = browser(service);
    expect((await other.signIn(email)).json.next).toBe(null);
    for (const code of ['000000', json.recovery_codes[0]])
      expect(refusal(await page.put('/v1/me/totp', { code }))).toEqual([401, 'invalid_sign_in']);
    const stolen = page.cookie();
    expect((await page.put('/v1/me/totp', { code: codeNow(json.secret) })).json.has_totp).toBe(true);
    for (const ended of [other, browser(service, 'sandbox', stolen)])
      expect(refusal(await ended.get('/v1/me'))).toEqual([401, 'invalid_session']);
    expect((await page.get('/v1/me')).status).toBe(200);
    expect(refusal(await page.post('/v1/me/totp', { current_password: PASSWORD }))).toEqual([409, 'totp_exists']);
  });

  test('is turned off with a code, not by a session alone', async () => {
    const { page, email, secret } = await withTotp();
    const remove = (code: string) => page.call('DELETE', '/v1/me/totp', { code });
    expect(refusal(await remove('000000'))).toEqual([401, 'invalid_sign_in']);
    expect((await remove(codeNow(secret))).status).toBe(204);
    expect((await browser(service).signIn(email)).json.next).toBe(null);
    expect(refusal(await remove(codeNow(secret)))).toEqual([404, 'not_found']);
  });

  test('is stored sealed, its recovery codes as hashes, and audited without either', async () => {
    const { secret, codes, person } = await withTotp();
    const tables = ['people', 'recovery_codes', 'audit'];
    const stored = await Promise.all(tables.map((table) => readRecords(service.dataDir, `SELECT * FROM ${table}`)));
    const text = JSON.stringify(stored, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
    for (const hidden of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
      expect(text).not.toContain(hidden);
    const key = await service.key();
    const { entries } = (await service.call('GET', `/v1/audit?target=${person.person_id}`, { key })).json;
    expect(entries.map(({ action }: Json) => action)).toEqual(
      expect.arrayContaining(['person.totp_created', 'person.totp_confirmed']),
    );
  });
});
