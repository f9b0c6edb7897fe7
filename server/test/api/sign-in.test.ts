import { describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, makeClock, type Service, startService } from '../fixtures/harness.ts';
import { addPerson, browser, PASSWORD, refusal } from '../fixtures/people.ts';
import { changeRecords, readRecords } from '../fixtures/records.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const wrong = 'not the password';

const hashesOf = async ({ app }: Service): Promise<number> => {
  const reply = await app.http.inject({
    url: '/metrics',
    headers: { host: 'localhost', authorization: `Bearer ${await service.key()}` },
  });
  return Number(/^portcullis_password_hashes_total (\d+)$/m.exec(reply.body)?.[1]);
};

describe('a failed sign-in', () => {
  test('costs as many password hashes for an unknown person as for a known one, with the same answer', async () => {
    const { email } = await addPerson(service, { sandbox: 'reader' });
    const key = await service.key();
    await service.call('POST', '/v1/people', {
      key,
      body: { email: 'invited@acme.example', name: 'Invited', role: 'reader' },
    });
    const answers = [];
    for (const tried of [email, 'nobody@acme.example', 'invited@acme.example']) {
      const before = await hashesOf(service);
      const { status, json, headers } = await browser(service).signIn(tried, wrong);
      answers.push([(await hashesOf(service)) - before, status, json.error.message, headers.get('set-cookie')]);
    }
    const [first] = answers;
    expect(first).toEqual([1, 401, 'The e-mail address or the password is wrong.', null]);
    expect(answers).toEqual([first, first, first]);
  });

  test('stores no e-mail address that nobody has', async () => {
    await browser(service).signIn('stranger@elsewhere.example', wrong);
    const stored = JSON.stringify(await readRecords(service.dataDir, 'SELECT * FROM sign_in_failures'));
    expect(stored.length).toBeGreaterThan(10);
    expect(stored).not.toContain('stranger');
    expect(service.logs.join()).not.toContain('stranger');
  });
});

describe('after five failures for an e-mail address', () => {
  const tryFive = async (email: string): Promise<void> => {
    await changeRecords(service.dataDir, 'DELETE FROM sign_in_failures');
    for (let attempt = 0; attempt < 5; attempt++)
      expect(refusal(await browser(service).signIn(email, wrong))).toEqual([401, 'invalid_sign_in']);
  };

  test.each(['known', 'unknown'])('the next attempt waits, and the wait doubles (%s)', async (kind) => {
    const email = kind === 'known' ? (await addPerson(service, { sandbox: 'reader' })).email : 'nobody@acme.example';
    await tryFive(email);
    const waits = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      const { status, headers } = await browser(service).signIn(email, wrong);
      const seconds = Number(headers.get('retry-after'));
      waits.push([status, seconds]);
      clock.advance(seconds * 1000 - 1);
      expect((await browser(service).signIn(email, wrong)).status).toBe(429);
      clock.advance(1);
      expect((await browser(service).signIn(email, wrong)).status).toBe(401);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900].map((seconds) => [429, seconds]));
  });

  test('the right password waits, too, computes nothing, and then clears the failures', async () => {
    const { email } = await addPerson(service, { sandbox: 'reader' });
    await tryFive(email);
    const before = await hashesOf(service);
    expect(refusal(await browser(service).signIn(email))).toEqual([429, 'rate_limited']);
    expect(await hashesOf(service)).toBe(before);
    clock.advance(5000);
    expect((await browser(service).signIn(email)).status).toBe(200);
    expect(refusal(await browser(service).signIn(email, wrong))).toEqual([401, 'invalid_sign_in']);
  });

  test('a day without a failure forgets them', async () => {
    const { email } = await addPerson(service, { sandbox: 'reader' });
    await tryFive(email);
    clock.advance(DAY_MS + 1);
    expect(refusal(await browser(service).signIn(email, wrong))).toEqual([401, 'invalid_sign_in']);
    expect(refusal(await browser(service).signIn(email, wrong))).toEqual([401, 'invalid_sign_in']);
  });
});

test('after twenty failures from an address, every sign-in from it waits, and attempts at once count alike', async () => {
  await changeRecords(service.dataDir, 'DELETE FROM sign_in_failures');
  const { email } = await addPerson(service, { sandbox: 'reader' });
  const attempts = Array.from({ length: 30 }, (_, n) => browser(service).signIn(`guess${n}@acme.example`, wrong));
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(refusal(await browser(service).signIn(email))).toEqual([429, 'rate_limited']);
  clock.advance(MINUTE_MS);
  expect((await browser(service).signIn(email)).status).toBe(200);
  // A sign-in that succeeds makes nobody wait longer.
  expect((await browser(service).signIn(email)).status).toBe(200);
});

test('a hash of a lower cost is replaced at the next sign-in', async () => {
  const { email } = await addPerson(service, { sandbox: 'reader' });
  const { argon2Sync } = await import('node:crypto');
  const nonce = Buffer.alloc(16, 1);
  const tag = argon2Sync('argon2id', {
    message: PASSWORD,
    nonce,
    memory: 1024,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  });
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  const weak = `$argon2id$v=19$m=1024,t=1,p=1$${text(nonce)}$${text(tag)}`;
  await changeRecords(service.dataDir, `UPDATE people SET password = '${weak}' WHERE email = '${email}'`);
  expect((await browser(service).signIn(email)).status).toBe(200);
  const [row] = await readRecords<{ password: string }>(
    service.dataDir,
    `SELECT password FROM people WHERE email = '${email}'`,
  );
  expect(row?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await browser(service).signIn(email)).status).toBe(200);
});

test('the ways to sign in are listed without a key', async () => {
  const hosts = { sandbox: null, production: null };
  expect((await service.call('GET', '/v1/sign-in')).json).toEqual({ methods: ['password'], sso: null, hosts });
});
