import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { createKey, listKeys, revokeKeyById, rollKey } from '../../src/commands/keys.ts';
import { migrate } from '../../src/commands/migrate.ts';
import { trainAccount } from '../../src/commands/train-account.ts';
import { runCommand } from '../fixtures/command.ts';
import {
  client,
  DAY_MS,
  HOUR_MS,
  type Json,
  login,
  makeFolder,
  payment,
  saved,
  startService,
} from '../fixtures/harness.ts';
import { isStored, settingsOf } from '../fixtures/records.ts';
import { storeEnv } from '../fixtures/shared-store.ts';

const CLI = fileURLToPath(new URL('../../bin/portcullis.js', import.meta.url));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

const start = (args: readonly string[], env: Record<string, string>) => {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env } });
  children.add(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const ended = new Promise<number | null>((done) => {
    child.on('close', (code) => {
      children.delete(child);
      done(code);
    });
  });
  return { child, output, ended };
};
const storeOf = (env: Record<string, string>) => (env.DATA_DIR === undefined ? {} : storeEnv(env.DATA_DIR));
const run = async (args: readonly string[], env: Record<string, string>) => {
  const { output, ended } = start(args, { ...(await storeOf(env)), ...env });
  const code = await ended;
  return { ...output, code };
};
/** Starts the service as its own process and waits until it prints its address. */
const serve = async (env: Record<string, string>) => {
  const started = start(['serve'], { PORT: '0', ...(await storeOf(env)), ...env });
  await expect.poll(() => started.output.out).toContain('serves at');
  return { ...started, url: /serves at (\S+)/.exec(started.output.out)?.[1] as string };
};
/** Everything that a command prints. */
const outputOf = async (command: () => unknown): Promise<string> => {
  const { out, err } = await runCommand(command);
  return out + err;
};
const status = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/v1/api-keys`, { headers: { authorization: `Bearer ${key}` } })).status;

describe('serve', () => {
  test('creates an admin key for each environment on an empty store, and shows them once', async () => {
    const DATA_DIR = makeFolder();
    const first = await serve({ DATA_DIR });
    const [sandbox, production] = first.output.out.match(/sk_(?:test|live)_\w+/g) as [string, string];
    expect(sandbox).toMatch(/^sk_test_[0-9A-Za-z]{32,}$/);
    expect(production).toMatch(/^sk_live_[0-9A-Za-z]{32,}$/);
    expect(first.output.out).toContain('"default"');
    expect([await status(first.url, sandbox), await status(first.url, production)]).toEqual([200, 200]);

    const body = JSON.stringify(payment({ user_id: 'before' }));
    const headers = { authorization: `Bearer ${sandbox}`, 'content-type': 'application/json' };
    const { transaction_id } = (await (
      await fetch(`${first.url}/v1/transactions/screen`, { method: 'POST', headers, body })
    ).json()) as Json;
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await isStored(DATA_DIR, sandbox)).toBe(false);

    const second = await serve({ DATA_DIR });
    expect(second.output.out).not.toMatch(/sk_/);
    const again = await fetch(`${second.url}/v1/transactions/${transaction_id}`, { headers });
    expect(again.status).toBe(200);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
  });

  test('uses the keys of API_KEYS instead, shows none, and warns about weak ones', async () => {
    const strong = `sk_test_${'aB3'.repeat(12)}`;
    const weak = 'sk_live_shortkey';
    const { url, output, child, ended } = await serve({ DATA_DIR: makeFolder(), API_KEYS: `${strong},${weak}` });
    expect([await status(url, strong), await status(url, weak), await status(url, 'sk_test_other')]).toEqual([
      200, 200, 401,
    ]);
    expect(output.out + output.err).not.toMatch(/aB3aB3|shortkey/);
    expect(output.out).toMatch(/"weak":1/);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('accepts only the keys that API_KEYS names now', async () => {
    const [a, b] = [`sk_test_${'a1'.repeat(16)}`, `sk_test_${'b2'.repeat(16)}`];
    const dataDir = makeFolder();
    // In this process: that the command hands over the keys of API_KEYS is shown above.
    const statuses = async (keys: string[]): Promise<number[]> => {
      const service = await startService({ dataDir });
      await service.app.keys.provide(keys);
      const found = [await status(service.url, a), await status(service.url, b)];
      await service.stop();
      return found;
    };
    expect(await statuses([a, b])).toEqual([200, 200]);
    expect(await statuses([b])).toEqual([401, 200]);
    expect(await statuses([a])).toEqual([200, 401]);
    expect(await statuses([])).toEqual([401, 401]);
  });

  test('reports all invalid settings at once, without secrets, and exits with 2', async () => {
    const mistakes = {
      PORT: '65536',
      LOG_LEVEL: 'loud',
      SECRET_KEY: 'hidden-1',
      API_KEYS: 'hidden-2,sk_test_hidden!3',
      ROLE: 'boss',
      SANDBOX_HOST: 'no host',
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/99',
      WEBHOOK_CA_FILE: '/nowhere/ca.pem',
      DATABASE_URL: 'mysql://user:hidden-4@db/x',
      REDIS_URL: 'http://:hidden-5@cache',
    };
    for (const command of [['serve'], ['keys', 'create']]) {
      const { code, err, out } = await run(command, mistakes);
      expect([command, code, out]).toEqual([command, 2, '']);
      for (const name of Object.keys(mistakes)) expect(err).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
      expect(err).not.toContain('hidden');
    }
  });
});

describe('keys', () => {
  test('are created, listed and revoked, for people and for programs', async () => {
    const DATA_DIR = makeFolder();
    const config = await settingsOf(DATA_DIR);
    const options = [
      '--account',
      'acme',
      '--environment',
      'production',
      '--role',
      'analyst',
      '--label',
      'Ada',
      '--json',
    ];
    const made = await run(['keys', 'create', ...options], { DATA_DIR });
    expect(made.code).toBe(0);
    const key = JSON.parse(made.out);
    expect(key).toMatchObject({ account: 'acme', environment: 'production', role: 'analyst' });
    expect(key.secret).toMatch(/^sk_live_\w{32,}$/);
    const listed = await outputOf(() => listKeys(config, { json: true }));
    expect(JSON.parse(listed)).toMatchObject([{ key_id: key.key_id, account: 'acme', role: 'analyst', label: 'Ada' }]);
    expect(listed).not.toContain(key.secret);
    expect(await outputOf(() => listKeys(config, {}))).toContain(key.key_id);
    expect(await outputOf(() => createKey(config, { account: 'b', environment: 'sandbox', role: 'reader' }))).toMatch(
      /sk_test_\w{32,}/,
    );
    expect(await outputOf(() => revokeKeyById(config, key.key_id))).toContain('is revoked');
    expect(JSON.parse(await outputOf(() => listKeys(config, { json: true })))).toMatchObject([{ account: 'b' }]);
    const again = await runCommand(() => revokeKeyById(config, key.key_id));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`Key ${key.key_id} does not exist`)]);
  });

  test('are limited to permissions, a lifetime and networks, and rolled with an overlap', async () => {
    const service = await startService();
    const DATA_DIR = service.dataDir;
    const config = await settingsOf(DATA_DIR);
    const made = await run(
      [
        'keys',
        'create',
        '--permissions',
        'screen,read',
        '--expires-in',
        '90d',
        '--network',
        '127.0.0.0/8',
        '--network',
      ].concat(['2001:db8::/32', '--json']),
      { DATA_DIR },
    );
    expect([made.code, made.err]).toEqual([0, '']);
    const key = JSON.parse(made.out);
    expect(key).toMatchObject({
      role: 'restricted',
      permissions: ['screen', 'read'],
      allowed_networks: ['127.0.0.0/8', '2001:db8::/32'],
    });
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBeGreaterThan(90 * DAY_MS - 60_000);
    expect(await status(service.url, key.secret)).toBe(403);
    expect(await outputOf(() => listKeys(config, {}))).toMatch(
      /restricted \(screen, read\) .* until 20.* from 127\.0\.0\.0\/8, 2001:db8::\/32/,
    );
    const rolled = JSON.parse(
      await outputOf(() => rollKey(config, key.key_id, { overlap: 0, label: 'next', json: true })),
    );
    expect(rolled).toMatchObject({ permissions: ['screen', 'read'], label: 'next', replaced: { key_id: key.key_id } });
    expect(await status(service.url, rolled.secret)).toBe(403);
    await expect.poll(() => status(service.url, key.secret)).toBe(401);
    expect(JSON.parse(await outputOf(() => listKeys(config, { json: true })))).toMatchObject([
      { key_id: rolled.key_id },
    ]);
    const again = await runCommand(() => rollKey(config, key.key_id, { overlap: 0 }));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`Key ${key.key_id} does not exist`)]);
    expect(await outputOf(() => rollKey(config, rolled.key_id, { overlap: HOUR_MS }))).toMatch(
      /works until .*\n\n {2}sk_test_/,
    );
  });

  test.each([
    [
      'an unknown permission',
      ['--permissions', 'all'],
      /Expected some of screen, read, read_personal, review, tune, administer/,
    ],
    ['a role and permissions', ['--role', 'admin', '--permissions', 'read'], /cannot be used with option '--role/],
    ['a network that is none', ['--network', '10.0.0.0/99'], /Expected an IP address, or a network/],
    ['a lifetime that is none', ['--expires-in', 'soon'], /Expected a length of time/],
  ])('with %s are refused', async (_, options, message) => {
    const { code, err } = await run(['keys', 'create', ...options], { DATA_DIR: makeFolder() });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test('with an unknown role are refused', async () => {
    const { code, err } = await run(['keys', 'create', '--role', 'owner'], { DATA_DIR: makeFolder() });
    expect(code).toBe(2);
    expect(err).toMatch(/^error: .*owner.*admin, manager, service, analyst, reader/);
  });

  test('work at once in a running service, and stop working within seconds of being revoked', async () => {
    const DATA_DIR = makeFolder();
    const server = await serve({ DATA_DIR, API_KEYS: `sk_test_${'aB3'.repeat(12)}` });
    const made = await run(['keys', 'create', '--role', 'admin', '--json'], { DATA_DIR });
    const { key_id, secret } = JSON.parse(made.out);
    expect(await status(server.url, secret)).toBe(200);
    const listed = await run(['keys', 'list'], { DATA_DIR });
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(key_id)]);
    expect(listed.out).not.toContain(secret);
    expect(await run(['migrate'], { DATA_DIR })).toMatchObject({ code: 0, out: 'The store is up to date.\n' });
    // Used before, so that the service has it in its cache.
    expect(await status(server.url, secret)).toBe(200);
    expect(await run(['keys', 'revoke', key_id], { DATA_DIR })).toMatchObject({ code: 0 });
    await expect.poll(() => status(server.url, secret), { interval: 100 }).toBe(401);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('can be created and revoked beside a running service without disturbing its counts', async () => {
    const service = await startService();
    const config = await settingsOf(service.dataDir);
    const { pay, act, get } = client(service, await service.key());
    const made: Json[] = [];
    for (let round = 1; round <= 3; round++) {
      // These screenings are counted in memory and not saved yet: the command must leave saving to the service.
      for (let i = 0; i < 5; i++) {
        await pay(payment({ user_id: `user_${i}`, device_token: `d_${round}_${i}`, payment_fingerprint: 'pm' }));
        await act(login({ user_id: `new_${round}_${i}`, device_token: 'shared' }));
      }
      const key = { account: 'acme', environment: 'sandbox', role: 'reader', json: true } as const;
      made.push(JSON.parse(await outputOf(() => createKey(config, key))));
    }
    for (let i = 0; i < 5; i++) {
      const { transactions, devices, velocity } = (await get(`/v1/users/user_${i}/risk-profile`)).json;
      expect([transactions.count, devices.length, velocity['1h'].count]).toEqual([3, 3, 3]);
    }
    expect((await client(service, made[2].secret).get('/v1/cases')).status).toBe(200);
    await outputOf(() => revokeKeyById(config, made[0].key_id));
    expect((await client(service, made[0].secret).get('/v1/cases')).status).toBe(401);
    await saved(service);
    expect(service.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    await service.stop();
    const after = await startService({ dataDir: service.dataDir });
    const key = await after.key();
    for (let i = 0; i < 5; i++) {
      const { json } = await client(after, key).get(`/v1/users/user_${i}/risk-profile`);
      expect([json.transactions.count, json.devices.length]).toEqual([3, 3]);
    }
    const { json } = await client(after, key).act(login({ user_id: 'last', device_token: 'shared' }));
    expect(json.signals).toContain('shared_device');
  });
});

describe('train --account', () => {
  test('reports missing data, for people and for programs, and exits with 0', async () => {
    const DATA_DIR = makeFolder();
    const config = await settingsOf(DATA_DIR);
    await outputOf(() => createKey(config, { account: 'acme', environment: 'production', role: 'admin' }));
    const shown = await run(['train', '--account', 'acme'], { DATA_DIR });
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^acme: Not enough to learn from: .+\n$/)]);
    const printed = JSON.parse(
      await outputOf(() => trainAccount(config, { account: 'acme', maturityDays: 7, json: true })),
    );
    expect(printed).toMatchObject({ account: 'acme', promoted: false, status: 'done', progress: 1, model: null });
    expect(printed.training_id).toMatch(/^trn_/);
  });

  test('does not create an unknown account, and exits with 1', async () => {
    const DATA_DIR = makeFolder();
    const config = await settingsOf(DATA_DIR);
    const refusal = (account: string) => expect.stringContaining(`Account ${account} has no production key`);
    const unknown = await run(['train', '--account', 'unknown'], { DATA_DIR });
    expect(unknown).toEqual({ code: 1, out: '', err: refusal('unknown') });
    expect(await runCommand(() => trainAccount(config, { account: '' }))).toEqual({
      code: 1,
      out: '',
      err: refusal(''),
    });
    const made = await outputOf(() => listKeys(config, { json: true }));
    expect(JSON.parse(made)).toEqual([]);
  });

  test.each([
    [[], "error: missing argument 'file'"],
    [['history.csv'], "error: required option '--out <file>'"],
    [['history.csv', '--out', 'model.json', '--maturity-days', '7'], "'--maturity-days' requires '--account'"],
    [['history.csv', '--account', 'acme'], 'cannot be combined with a file'],
    [['--account', 'acme', '--seed', '1'], 'cannot be combined with a file or its options'],
    [['--account', 'acme', '--maturity-days', '90'], 'from 0 to 89'],
  ])('refuses %j with the reason', async (args, message) => {
    const { code, err } = await run(['train', ...args], { DATA_DIR: makeFolder() });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('refuses while the service trains, but not for a training whose process is gone', async () => {
    const service = await startService({ env: { TRAIN_DAILY: 'off' } });
    const { post, get } = client(service, await service.key({ environment: 'production' }));
    const insert = (id: string, aliveUntil: number) =>
      service.app.backend.write([
        {
          sql: `INSERT INTO trainings (id, account, status, started_at, labels_through, alive_until, progress)
            VALUES (?, 'acme', 'running', ?, 0, ?, 0.25)`,
          params: [id, Date.now(), aliveUntil],
        },
      ]);
    const [lost, alive] = ['01m7ejnjyqetkazatznps5mye3', '01m7ejnjyqetkazatznps5mye4'];
    await insert(lost, Date.now() - 1);
    expect((await get(`/v1/trainings/trn_${lost}`)).json).toMatchObject({
      status: 'failed',
      message: 'The service was stopped. Train again.',
    });
    const config = await settingsOf(service.dataDir);
    expect(await outputOf(() => trainAccount(config, { account: 'acme' }))).toContain('Not enough to learn from');
    await insert(alive, Date.now() + 60_000);
    expect((await get(`/v1/trainings/trn_${alive}`)).json).toMatchObject({ status: 'running', progress: 0.25 });
    expect((await post('/v1/models/train', {})).status).toBe(409);
    const refused = await runCommand(() => trainAccount(config, { account: 'acme' }));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('A training of acme is in progress')]);
  });
});

describe('migrate', () => {
  test('migrates a store once', async () => {
    const config = await settingsOf(makeFolder());
    expect(await outputOf(() => migrate(config))).toMatch(/^Applied 001-/);
    expect(await outputOf(() => migrate(config))).toBe('The store is up to date.\n');
  });
});

describe('--help', () => {
  const EXPLAINED: [string[], string][] = [
    [[], '  keys '],
    [['serve'], 'RATE_LIMIT_PER_MINUTE '],
    [['migrate'], 'migrate the store'],
    [['keys'], '  revoke '],
    [['keys', 'create'], '--environment <name>'],
    [['keys', 'list'], '--json'],
    [['keys', 'revoke'], '<key_id>'],
    [['people', 'link'], '--email <address>'],
    [['people', 'list'], '--json'],
  ];
  test('explains every command, does nothing else and exits with 0', async () => {
    const check = async ([command, word]: [string[], string]): Promise<void> => {
      const { code, out, err } = await run([...command, '--help'], { PORT: 'none' });
      expect([command, code, err]).toEqual([command, 0, '']);
      expect(out).toContain(['Usage: portcullis', ...command].join(' '));
      expect(out).toContain(word);
    };
    await Promise.all(EXPLAINED.map(check));
  });
});
