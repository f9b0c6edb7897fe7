import { describe, expect, test } from 'vitest';
import { startService } from '../fixtures/harness.ts';
import { CLIENT_SECRET, finishSso, signInBySso, startProvider, startSso, visitProvider } from '../fixtures/oidc.ts';
import { addPerson, browser, PASSWORD, refusal } from '../fixtures/people.ts';

const ORIGIN = 'http://fraud.example.com';
const SANDBOX_ORIGIN = 'http://sandbox.fraud.example.com';
/** The settings take plain HTTP on this machine alone. The proxy in front of the service has the certificate. */
const https = (origin: string): string => origin.replace('http:', 'https:');
const provider = await startProvider([https(ORIGIN), https(SANDBOX_ORIGIN)], { inToken: true });
const AWAY = 'cannot be reached, or refuses this service. Sign in with your password, or try again later.';

const start = (env: Record<string, string> = {}) => startService({ env: { ...provider.env, ...env } });
const addAccount = async (service: Awaited<ReturnType<typeof start>>, login: string, verified?: boolean) => {
  const { email } = await addPerson(service, { production: 'reader' }, login);
  const claim = verified === undefined ? {} : { email_verified: verified };
  await provider.add({ login, sub: login, email, ...claim });
  return email;
};

describe('a provider that is away', () => {
  test('makes the start say so, and passwords work', async () => {
    const gone = await startProvider([https(ORIGIN)]);
    await gone.stop();
    const service = await startService({ env: gone.env });
    const { email } = await addPerson(service, { sandbox: 'reader' });
    const { status, json } = await browser(service).post('/v1/sign-in/sso', {});
    expect([status, json.error.code, json.error.message]).toEqual([
      424,
      'provider_unavailable',
      `The provider of Example ID ${AWAY}`,
    ]);
    expect((await service.call('GET', '/v1/sign-in')).json.methods).toEqual(['password', 'sso']);
    expect((await browser(service).signIn(email, PASSWORD)).status).toBe(200);
    expect(service.logs.join()).toContain('ECONNREFUSED');
  });

  test('after the start makes the end say so, without a sign-in', async () => {
    const own = await startProvider([https(ORIGIN)]);
    const service = await startService({ env: own.env });
    const page = browser(service);
    const url = await startSso(page);
    await own.stop();
    const { state } = Object.fromEntries(new URL(url).searchParams);
    const query = `code=x&state=${state}&iss=${encodeURIComponent(own.issuer)}`;
    expect(refusal(await finishSso(page, query))).toEqual([424, 'provider_unavailable']);
  });
});

test('a provider that refuses the secret of the client is an error of the settings, without the secret in the log', async () => {
  const service = await start({ OIDC_CLIENT_SECRET: 'another secret' });
  await addAccount(service, 'refused', true);
  expect(refusal(await signInBySso(browser(service), 'refused'))).toEqual([424, 'provider_unavailable']);
  expect(service.logs.join()).toContain('check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET');
  expect(service.logs.join()).not.toContain('another secret');
});

test('a provider that calls itself something else is refused', async () => {
  const service = await start({ OIDC_ISSUER: provider.issuer.replace('127.0.0.1', 'localhost') });
  expect(refusal(await browser(service).post('/v1/sign-in/sso', {}))).toEqual([424, 'provider_unavailable']);
});

test('without a provider there is no single sign-on', async () => {
  const service = await startService();
  expect((await service.call('GET', '/v1/sign-in')).json).toMatchObject({ methods: ['password'], sso: null });
  for (const [path, body] of [
    ['/v1/sign-in/sso', {}],
    ['/v1/sign-in/sso/callback', { query: 'code=x' }],
  ] as const)
    expect(refusal(await browser(service).post(path, body))).toEqual([404, 'not_found']);
});

describe('OIDC_TRUST_EMAIL=on', () => {
  test('takes an address about which the provider says nothing, and none that it calls unverified', async () => {
    const service = await start({ OIDC_TRUST_EMAIL: 'on' });
    const email = await addAccount(service, 'silent');
    expect((await signInBySso(browser(service), 'silent')).json.me.email).toBe(email);
    await addAccount(service, 'unverified', false);
    expect(refusal(await signInBySso(browser(service), 'unverified'))).toEqual([401, 'invalid_sign_in']);
  });

  test('is off by default', async () => {
    const service = await start();
    await addAccount(service, 'quiet');
    expect(refusal(await signInBySso(browser(service), 'quiet'))).toEqual([401, 'invalid_sign_in']);
  });
});

describe('with a host name for an environment', () => {
  const originOf = (url: string): string => new URL(new URL(url).searchParams.get('redirect_uri') as string).origin;
  test('the browser comes back to the host where it began, with a cookie for it alone', async () => {
    const service = await start({ SANDBOX_HOST: 'sandbox.fraud.example.com' });
    const email = await addAccount(service, 'hosted', true);
    const page = browser(service);
    const host = { host: 'sandbox.fraud.example.com' };
    const { json, headers } = await page.post('/v1/sign-in/sso', {}, host);
    expect(originOf(json.url)).toBe(https(SANDBOX_ORIGIN));
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-portcullis-sso=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const query = await visitProvider(json.url, 'hosted');
    expect((await page.post('/v1/sign-in/sso/callback', { query }, host)).json.me.email).toBe(email);
    const { json: other } = await browser(service).post('/v1/sign-in/sso', {}, { host: 'evil.example' });
    expect(originOf(other.url)).toBe(https(ORIGIN));
  });
});

test('the cookie of a sign-in shows nothing of it', async () => {
  const service = await start();
  const page = browser(service);
  const url = new URL(await startSso(page, { return_to: '/console/production' }));
  const opened = Buffer.from(page.cookie().split('=')[1] as string, 'base64url').toString('latin1');
  for (const secret of ['/console', url.searchParams.get('state'), url.searchParams.get('nonce'), CLIENT_SECRET])
    expect(opened).not.toContain(secret);
});
