import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type PortcullisClient } from '../client/src/index.ts';
import { type Fault, forgedResponse, makeFaultyProxy } from '../client/test/faulty-proxy.ts';
import { BODY, MESSAGE, OTHER_SECRET, SECRET, signed } from '../client/test/sign.ts';
import { type Service, startService } from '../server/test/fixtures/harness.ts';
import { type Example, startExample } from './example-process.ts';
import { blocksOf } from './page-blocks.ts';
import { openShell } from './page-shell.ts';
import { expectBlocks, readPage } from './page-update.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../examples/python-caller', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).error === undefined;

describe.skipIf(!hasPython)('the Python example', () => {
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  let service: Service;
  let proxy: Awaited<ReturnType<typeof makeFaultyProxy>>;
  let portcullis: PortcullisClient;
  let key = '';
  beforeAll(async () => {
    service = await startService();
    proxy = await makeFaultyProxy(service.url);
    key = await service.key({ role: 'service' });
    env.PORTCULLIS_KEY = key;
    portcullis = createClient({ url: service.url, apiKey: key });
  });
  const call = (...args: string[]) =>
    run('python3', [`${folder}/caller.py`, ...args], { env: { ...env, PORTCULLIS_URL: proxy.url } }).then(
      ({ stdout }) => ({ code: 0, output: stdout.trim() }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, output: stderr.trim() }),
    );

  test('has a README whose commands print the shown output', async () => {
    const page = 'examples/python-caller/README.md';
    const blocks = blocksOf(readPage(page));
    const commands = blocks.filter(({ language }) => language === 'sh');
    const shell = openShell({ ...env, PORTCULLIS_URL: service.url });
    await shell.run(`cd '${fileURLToPath(new URL('..', import.meta.url))}'`);
    const printed: string[] = [];
    for (const { text } of commands) printed.push((await shell.run(text.replace('sk_test_…', key))).trim());
    shell.close();
    expectBlocks(
      page,
      blocks.filter(({ language }) => language === ''),
      printed,
    );
  });

  test.each<[string, Fault[]]>([
    ['is lost', ['lose', 'reset']],
    ['comes in half', ['half', 'half']],
    ['never comes', ['stall']],
    [
      'is that of a proxy',
      [forgedResponse('502 Bad Gateway', {}, '<html>'), forgedResponse('503 Service Unavailable')],
    ],
  ])('screens a payment once when the response %s', async (_, faults) => {
    const user = `user_${Math.random().toString(36).slice(2)}`;
    proxy.next(...faults);
    expect(await call(user, '20', 'EUR', `order_${user}`)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^allow \d+/),
    });
    expect(await call(user, '20', 'EUR', `order_${user}`)).toMatchObject({ code: 0 });
    expect((await portcullis.users.getRiskProfile(user)).transactions.count).toBe(1);
  });

  test('reports a refusal with its request id, and does not retry', async () => {
    const before = proxy.requests.length;
    const { code, output } = await call('user_1842', '-1', 'EUR', 'A-1');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^invalid_request: The request is invalid: .* \(request req_\w+\)$/),
    ]);
    expect(proxy.requests).toHaveLength(before + 1);
  });

  test('does not follow a redirect, and prints no key when it fails', async () => {
    const elsewhere = await makeFaultyProxy(service.url);
    proxy.next(forgedResponse('302 Found', { location: elsewhere.url }));
    const { code, output } = await call('user_1842', '1', 'EUR', 'A-2');
    expect([code, output]).toEqual([1, expect.stringContaining('invalid_response')]);
    expect(elsewhere.requests).toEqual([]);
    expect(output).not.toContain(key);
  });

  describe('its receiver', () => {
    let receiver: Example;
    beforeAll(async () => {
      receiver = await startExample('python-caller/receiver.py', { ...env, WEBHOOK_SECRET: SECRET });
    });
    afterAll(() => receiver?.stop());
    const now = Math.floor(Date.now() / 1000);
    const send = (headers: Record<string, string>, body = BODY) => receiver.post('/', body, headers);

    test('accepts genuine deliveries, also during a rotation of the secret', async () => {
      expect((await send({ ...signed(BODY, { at: now }) })).status).toBe(204);
      expect((await send({ ...signed(BODY, { at: now, secrets: [OTHER_SECRET, SECRET] }) })).status).toBe(204);
      await receiver.printed(new RegExp(`${MESSAGE.id} ${MESSAGE.type}\n${MESSAGE.id}`));
    });

    test('refuses forged deliveries', async () => {
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
