import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../client/src/index.ts';
import { forgedResponse, makeFaultyProxy } from '../client/test/faulty-proxy.ts';
import { BLOCK_IP, REVIEW_IP, startService } from '../server/test/fixtures/harness.ts';
import { startExample } from './example-process.ts';
import { followPage } from './page-follow.ts';
import { openShell } from './page-shell.ts';

const service = await startService();
const proxy = await makeFaultyProxy(service.url);
const key = await service.key({ role: 'service' });
const example = await startExample('login-guard/login.ts', {
  PORTCULLIS_URL: proxy.url,
  PORTCULLIS_KEY: key,
  BEHIND_PROXY: '1',
});
const shell = openShell({ PATH: process.env.PATH ?? '' });
afterAll(() => {
  shell.close();
  example.stop();
});
const portcullis = createClient({ url: service.url, apiKey: key });

const ADA = { user: 'ada', password: 'correct horse battery staple' };
const login = (from = '198.51.100.24', body: object = ADA) => example.post('/login', body, { 'x-forwarded-for': from });
const REFUSED = { status: 401, json: { error: 'User or password is wrong.' } };

describe('the example login', () => {
  test('has a README whose commands give the shown responses', async () => {
    const typed = (text: string): string => text.replaceAll('http://127.0.0.1:8081', example.url);
    const runs = ({ text }: { text: string }) => !text.includes('npm start');
    const followed = await followPage('examples/login-guard/README.md', { shell, typed, runs });
    expect(followed).toEqual({ commands: 3, answers: 3 });
  });

  test('gives an allowed user a session', async () => {
    const { status, headers } = await login();
    expect(status).toBe(200);
    expect(headers.get('set-cookie')).toMatch(/^session=\S{32}; HttpOnly; Secure/);
  });

  test('requires a code for a review, and accepts it once', async () => {
    const { status, json, headers } = await login(REVIEW_IP);
    expect([status, json.step_up, headers.get('set-cookie')]).toEqual([202, 'code', null]);
    const code = [...example.output().matchAll(/code for ada: (\d{6})/g)].at(-1)?.[1] as string;
    const enter = (given: string) => example.post('/login/code', { challenge: json.challenge, code: given });
    expect(await enter(code === '000000' ? '000001' : '000000')).toMatchObject(REFUSED);
    expect((await enter(code)).headers.get('set-cookie')).toMatch(/^session=/);
    expect(await enter(code)).toMatchObject(REFUSED);
  });

  test('discards a code after three wrong guesses', async () => {
    const { json } = await login(REVIEW_IP);
    const code = [...example.output().matchAll(/code for ada: (\d{6})/g)].at(-1)?.[1] as string;
    const enter = (given: string) => example.post('/login/code', { challenge: json.challenge, code: given });
    for (let i = 0; i < 3; i++) expect(await enter('wrong')).toMatchObject(REFUSED);
    expect(await enter(code)).toMatchObject(REFUSED);
  });

  test('gives the same response to a blocked user, an unknown user and a wrong password', async () => {
    expect(await login(BLOCK_IP)).toMatchObject(REFUSED);
    expect(await login(undefined, { ...ADA, user: 'unknown' })).toMatchObject(REFUSED);
    expect(await login(REVIEW_IP, { ...ADA, password: 'guess' })).toMatchObject(REFUSED);
    expect(await login(undefined, { user: 'x'.repeat(300) })).toMatchObject(REFUSED);
  });

  test('screens every attempt, including failed ones', async () => {
    const before = (await portcullis.users.getRiskProfile('ada')).events.count;
    await login(undefined, { ...ADA, password: 'guess', device_token: 'dvc_1' });
    const profile = await portcullis.users.getRiskProfile('ada');
    expect(profile.events.count).toBe(before + 1);
    expect(profile.devices.map(({ device_token }) => device_token)).toContain('dvc_1');
  });

  test('requires a code, and logs it, when Portcullis does not respond', async () => {
    proxy.next(...Array.from({ length: 4 }, () => forgedResponse('503 Service Unavailable')));
    expect(await login()).toMatchObject({ status: 202, json: { step_up: 'code' } });
    await example.printed(/^not screened: invalid_response/m);
  });

  test('responds with 400 to anything but a login', async () => {
    expect((await example.post('/login', 'not JSON')).status).toBe(400);
    expect((await example.post('/login', 'x'.repeat(20_000))).status).toBe(400);
    expect((await example.post('/elsewhere', ADA)).status).toBe(400);
  });
});
