import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type PortcullisClient } from '../client/src/index.ts';
import { BODY, MESSAGE, OTHER_SECRET, SECRET, signed } from '../client/test/sign.ts';
import { answered, type Fault, makeWire } from '../client/test/wire.ts';
import { type Service, startService } from '../server/test/harness.ts';
import { type Example, startExample } from './example-process.ts';
import { blocksOf } from './page-blocks.ts';
import { openShell } from './page-shell.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../examples/python-caller', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).error === undefined;

describe.skipIf(!hasPython)('the example caller in Python', () => {
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  let service: Service;
  let wire: Awaited<ReturnType<typeof makeWire>>;
  let portcullis: PortcullisClient;
  let key = '';
  beforeAll(async () => {
    service = await startService();
    wire = await makeWire(service.url);
    key = await service.key({ role: 'service' });
    env.PORTCULLIS_KEY = key;
    portcullis = createClient({ url: service.url, apiKey: key });
  });
  const call = (...args: string[]) =>
    run('python3', [`${folder}/caller.py`, ...args], { env: { ...env, PORTCULLIS_URL: wire.url } }).then(
      ({ stdout }) => ({ code: 0, said: stdout.trim() }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr.trim() }),
    );

  test('its README can be followed, and what it prints is as shown', async () => {
    const blocks = blocksOf(readFileSync(`${folder}/README.md`, 'utf8'));
    const commands = blocks.filter(({ language }) => language === 'sh');
    const shown = blocks.filter(({ language }) => language === '').map(({ text }) => text);
    const shell = openShell({ ...env, PORTCULLIS_URL: service.url });
    await shell.run(`cd '${fileURLToPath(new URL('..', import.meta.url))}'`);
    const printed: string[] = [];
    for (const { text } of commands) printed.push((await shell.run(text.replace('sk_test_…', key))).trim());
    shell.close();
    expect(printed).toEqual(shown);
  });

  test.each<[string, Fault[]]>([
    ['is lost', ['lose', 'reset']],
    ['comes in half', ['half', 'half']],
    ['never comes', ['stall']],
    ['is that of a proxy', [answered('502 Bad Gateway', {}, '<html>'), answered('503 Service Unavailable')]],
  ])('screens a payment once though the answer %s', async (_, faults) => {
    const user = `user_${Math.random().toString(36).slice(2)}`;
    wire.next(...faults);
    expect(await call(user, '20', 'EUR', `order_${user}`)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^allow \d+/),
    });
    expect(await call(user, '20', 'EUR', `order_${user}`)).toMatchObject({ code: 0 });
    expect((await portcullis.users.getRiskProfile(user)).transactions.count).toBe(1);
  });

  test('says what was refused, by whom and under which id, and does not ask again', async () => {
    const before = wire.requests.length;
    const { code, said } = await call('user_1842', '-1', 'EUR', 'A-1');
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(/^invalid_request: The request has 1 fault.* \(request req_\w+\)$/),
    ]);
    expect(wire.requests).toHaveLength(before + 1);
  });

  test('does not follow a redirect, and shows no key when it fails', async () => {
    const elsewhere = await makeWire(service.url);
    wire.next(answered('302 Found', { location: elsewhere.url }));
    const { code, said } = await call('user_1842', '1', 'EUR', 'A-2');
    expect([code, said]).toEqual([1, expect.stringContaining('invalid_response')]);
    expect(elsewhere.requests).toEqual([]);
    expect(said).not.toContain(key);
  });

  describe('its receiver', () => {
    let receiver: Example;
    beforeAll(async () => {
      receiver = await startExample('python-caller/receiver.py', { ...env, WEBHOOK_SECRET: SECRET });
    });
    afterAll(() => receiver?.stop());
    const now = Math.floor(Date.now() / 1000);
    const send = (headers: Record<string, string>, body = BODY) => receiver.post('/', body, headers);

    test('takes what is genuine, also while the secret is being rotated', async () => {
      expect((await send({ ...signed(BODY, { at: now }) })).status).toBe(204);
      expect((await send({ ...signed(BODY, { at: now, secrets: [OTHER_SECRET, SECRET] }) })).status).toBe(204);
      await receiver.printed(new RegExp(`${MESSAGE.id} ${MESSAGE.type}\n${MESSAGE.id}`));
    });

    test('refuses what is not', async () => {
      const genuine = { ...signed(BODY, { at: now }) };
      const refused = [
        send(genuine, BODY.replace('Zoë', 'Zoe')),
        send({ ...signed(BODY, { at: now, secrets: [OTHER_SECRET] }) }),
        send({ ...signed(BODY, { at: now - 400 }) }),
        send({ ...signed(BODY, { at: now + 400 }) }),
        send({ 'x-service-signature': `t=${now}` }),
        send({ 'x-service-signature': `t=${now},v1=ä` }),
        send({ 'x-service-signature': `t=²,v1=${'0'.repeat(64)}` }),
        send({}),
      ];
      expect((await Promise.all(refused)).map(({ status }) => status)).toEqual(refused.map(() => 400));
    });
  });
});
