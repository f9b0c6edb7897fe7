import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createKey, listKeys, revokeKeyById } from '../src/commands/keys.ts';
import { migrateStore } from '../src/commands/migrate.ts';
import { trainAccount } from '../src/commands/train-account.ts';
import { client, type Json, login, makeFolder, payment, saved, startService } from './harness.ts';
import { isStored, settingsOf } from './records.ts';
import { storeEnv } from './shared-store.ts';

const CLI = fileURLToPath(new URL('../bin/portcullis.js', import.meta.url));
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
/** Starts the service as its own process and waits until it says where it serves. */
const serve = async (env: Record<string, string>) => {
  const started = start(['serve'], { PORT: '0', ...(await storeOf(env)), ...env });
  await expect.poll(() => started.output.out, { timeout: 15_000 }).toContain('serves at');
  return { ...started, url: /serves at (\S+)/.exec(started.output.out)?.[1] as string };
};
const status = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/v1/api-keys`, { headers: { authorization: `Bearer ${key}` } })).status;

describe('serve', () => {
  test('on an empty store makes an admin key for each environment and shows them once', async () => {
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
    const startedAt = performance.now();
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await isStored(DATA_DIR, sandbox)).toBe(false);

    const second = await serve({ DATA_DIR });
    expect(second.output.out).not.toMatch(/sk_/);
    const again = await fetch(`${second.url}/v1/transactions/${transaction_id}`, { headers });
    expect(again.status).toBe(200);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
  });

  test('takes the keys of API_KEYS instead, shows none, and warns of weak ones', async () => {
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

  test('lets in whom API_KEYS names now, and no longer whom it named before', async () => {
    const [a, b] = [`sk_test_${'a1'.repeat(16)}`, `sk_test_${'b2'.repeat(16)}`];
    const DATA_DIR = makeFolder();
    const statuses = async (API_KEYS: string): Promise<number[]> => {
      const { url, child, ended } = await serve({ DATA_DIR, API_KEYS });
      const found = [await status(url, a), await status(url, b)];
      child.kill('SIGTERM');
      await ended;
      return found;
    };
    expect(await statuses(`${a},${b}`)).toEqual([200, 200]);
    expect(await statuses(b)).toEqual([401, 200]);
    expect(await statuses(a)).toEqual([200, 401]);
    expect(await statuses('')).toEqual([401, 401]);
  });

  test('with mistakes in the settings names all of them at once, no secret, and ends with 2', async () => {
    const mistakes = {
      PORT: '65536',
      LOG_LEVEL: 'loud',
      SECRET_KEY: 'tell-nobody-1',
      API_KEYS: 'tell-nobody-2,sk_test_tell-nobody!3',
      ROLE: 'boss',
      SANDBOX_HOST: 'no host',
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/99',
      WEBHOOK_CA_FILE: '/nowhere/ca.pem',
      DATABASE_URL: 'mysql://user:tell-nobody-4@db/x',
      REDIS_URL: 'http://:tell-nobody-5@cache',
    };
    for (const command of [['serve'], ['keys', 'create']]) {
      const { code, err, out } = await run(command, mistakes);
      expect([command, code, out]).toEqual([command, 2, '']);
      for (const name of Object.keys(mistakes)) expect(err).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
      expect(err).not.toContain('tell-nobody');
    }
  });
});

/** What a command says, run here: a process of its own for each would take longer than all the rest. */
const said = async (command: () => unknown): Promise<string> => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await command();
    return [...out.mock.calls, ...err.mock.calls].map(([text]) => text).join('');
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
};

describe('keys', () => {
  test('are made, listed and revoked, for people and for programs', async () => {
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
    const listed = await said(() => listKeys(config, { json: true }));
    expect(JSON.parse(listed)).toMatchObject([{ key_id: key.key_id, account: 'acme', role: 'analyst', label: 'Ada' }]);
    expect(listed).not.toContain(key.secret);
    expect(await said(() => listKeys(config, {}))).toContain(key.key_id);
    expect(await said(() => createKey(config, { account: 'b', environment: 'sandbox', role: 'reader' }))).toMatch(
      /sk_test_\w{32,}/,
    );
    expect(await said(() => revokeKeyById(config, key.key_id))).toContain('is revoked');
    expect(JSON.parse(await said(() => listKeys(config, { json: true })))).toMatchObject([{ account: 'b' }]);
    expect(await said(() => revokeKeyById(config, key.key_id))).toContain(`There is no key ${key.key_id}`);
    expect(process.exitCode).toBe(1);
    process.exitCode = undefined;
  });

  test('of a role that does not exist are refused', async () => {
    const { code, err } = await run(['keys', 'create', '--role', 'owner'], { DATA_DIR: makeFolder() });
    expect(code).not.toBe(0);
    expect(err).toMatch(/owner.*admin, service, analyst, reader/);
  });

  test('work at once in a server that runs, and stop working within seconds of being revoked', async () => {
    const DATA_DIR = makeFolder();
    const server = await serve({ DATA_DIR, API_KEYS: `sk_test_${'aB3'.repeat(12)}` });
    const made = await run(['keys', 'create', '--role', 'admin', '--json'], { DATA_DIR });
    const { key_id, secret } = JSON.parse(made.out);
    expect(await status(server.url, secret)).toBe(200);
    const listed = await run(['keys', 'list'], { DATA_DIR });
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(key_id)]);
    expect(listed.out).not.toContain(secret);
    expect(await run(['migrate'], { DATA_DIR })).toMatchObject({ code: 0, out: 'The store is up to date.\n' });
    // In use all along, so that the server has it in memory.
    expect(await status(server.url, secret)).toBe(200);
    expect(await run(['keys', 'revoke', key_id], { DATA_DIR })).toMatchObject({ code: 0 });
    await expect.poll(() => status(server.url, secret), { timeout: 4000, interval: 100 }).toBe(401);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('can be made and revoked while a server runs, and what it counts is not disturbed', async () => {
    const service = await startService();
    const config = await settingsOf(service.dataDir);
    const { pay, act, get } = client(service, await service.key());
    const made: Json[] = [];
    for (let round = 1; round <= 3; round++) {
      // What was just screened is counted in memory and not yet saved: the command must leave that to the server.
      for (let i = 0; i < 5; i++) {
        await pay(payment({ user_id: `user_${i}`, device_token: `d_${round}_${i}`, payment_fingerprint: 'pm' }));
        await act(login({ user_id: `new_${round}_${i}`, device_token: 'shared' }));
      }
      const key = { account: 'acme', environment: 'sandbox', role: 'reader', json: true } as const;
      made.push(JSON.parse(await said(() => createKey(config, key))));
    }
    for (let i = 0; i < 5; i++) {
      const { transactions, devices, velocity } = (await get(`/v1/users/user_${i}/risk-profile`)).json;
      expect([transactions.count, devices.length, velocity['1h'].count]).toEqual([3, 3, 3]);
    }
    expect((await client(service, made[2].secret).get('/v1/cases')).status).toBe(200);
    await said(() => revokeKeyById(config, made[0].key_id));
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
  test('tells what is missing, for people and for programs, and ends with 0: the training did what it could', async () => {
    const DATA_DIR = makeFolder();
    const config = await settingsOf(DATA_DIR);
    await said(() => createKey(config, { account: 'acme', environment: 'production', role: 'admin' }));
    const shown = await run(['train', '--account', 'acme'], { DATA_DIR });
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^acme: Not enough to learn from: .+\n$/)]);
    const told = JSON.parse(await said(() => trainAccount(config, { account: 'acme', maturityDays: 7, json: true })));
    expect(told).toMatchObject({ account: 'acme', promoted: false, status: 'done', progress: 1, model: null });
    expect(told.training_id).toMatch(/^trn_/);
  });

  test('of an account that does not exist makes none, and ends with 1', async () => {
    const DATA_DIR = makeFolder();
    for (const account of ['nobody', '']) {
      const { code, err, out } = await run(['train', '--account', account], { DATA_DIR });
      expect([code, out, err]).toEqual([1, '', expect.stringContaining(`There is no account ${account}`)]);
    }
    const made = await said(async () => listKeys(await settingsOf(DATA_DIR), { json: true }));
    expect(JSON.parse(made)).toEqual([]);
  });

  test.each([
    [[], 'name a history, or an account'],
    [['history.csv'], "required option '--out <file>'"],
    [['history.csv', '--out', 'model.json', '--maturity-days', '7'], "goes with '--account' alone"],
    [['history.csv', '--account', 'acme'], 'takes no history'],
    [['--account', 'acme', '--seed', '1'], 'no option of one'],
    [['--account', 'acme', '--maturity-days', '90'], 'from 0 to 89'],
  ])('%j is refused with what is wrong', async (args, message) => {
    const { code, err } = await run(['train', ...args], { DATA_DIR: makeFolder() });
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test('waits for a training of the service to end, and not for one whose process is gone', async () => {
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
      message: 'The service ended. Train again.',
    });
    const config = await settingsOf(service.dataDir);
    expect(await said(() => trainAccount(config, { account: 'acme' }))).toContain('Not enough to learn from');
    await insert(alive, Date.now() + 60_000);
    expect((await get(`/v1/trainings/trn_${alive}`)).json).toMatchObject({ status: 'running', progress: 0.25 });
    expect((await post('/v1/models/train', {})).status).toBe(409);
    expect(await said(() => trainAccount(config, { account: 'acme' }))).toContain('A training of acme is under way');
    expect(process.exitCode).toBe(1);
    process.exitCode = undefined;
  });
});

describe('migrate', () => {
  test('brings a store up to date, once', async () => {
    const config = await settingsOf(makeFolder());
    expect(await said(() => migrateStore(config))).toMatch(/^Applied 001-/);
    expect(await said(() => migrateStore(config))).toBe('The store is up to date.\n');
  });
});

describe('--help', () => {
  const EXPLAINED: [string[], string][] = [
    [[], '  keys '],
    [['serve'], 'serve the API'],
    [['migrate'], 'up to date'],
    [['keys'], '  revoke '],
    [['keys', 'create'], '--environment <name>'],
    [['keys', 'list'], '--json'],
    [['keys', 'revoke'], '<key_id>'],
  ];
  test('of every command explains it, does nothing else and ends with 0', async () => {
    const check = async ([command, word]: [string[], string]): Promise<void> => {
      const { code, out, err } = await run([...command, '--help'], { PORT: 'none' });
      expect([command, code, err]).toEqual([command, 0, '']);
      expect(out).toContain(['Usage: portcullis', ...command].join(' '));
      expect(out).toContain(word);
    };
    await Promise.all(EXPLAINED.map(check));
  });
});
