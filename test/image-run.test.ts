import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { contextFiles, readStages, root } from './image-file.ts';

/**
 * Builds the image without Docker: runs the commands of the Dockerfile in a folder with the files that Docker would send. Then starts the
 * service there, as a user that can write only in DATA_DIR.
 */
const folder = mkdtempSync(join(tmpdir(), 'portcullis-image-'));
const app = join(folder, 'app');
const dataDir = join(folder, 'data');
const isRoot = process.getuid?.() === 0;
const [uid, gid] = isRoot ? [10_001, 10_001] : [process.getuid?.() as number, process.getgid?.() as number];

const setModes = (path: string, writable: boolean): void => {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    const bits = entry.isDirectory() || entry.parentPath.includes('bin') ? 0o555 : 0o444;
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), writable ? bits | 0o200 : bits);
  }
  chmodSync(path, writable ? 0o755 : 0o555);
};
afterAll(() => {
  setModes(folder, true);
  rmSync(folder, { recursive: true, force: true });
});

const stages = readStages();
const instruction = (stage: string | undefined, name: string, part = ''): string =>
  stages.find(({ as }) => as === stage)?.instructions.find((one) => one.name === name && one.rest.includes(part))
    ?.rest as string;
const entrypoint = JSON.parse(instruction(undefined, 'ENTRYPOINT')) as string[];
const healthCheck = JSON.parse(instruction(undefined, 'HEALTHCHECK').replace(/^CMD /, '')) as string[];

/** Runs as the user of the image, which has neither a home nor a folder for temporary files. */
const asUser = (env: Record<string, string> = {}): SpawnOptions => ({
  cwd: app,
  env: { PATH: join(app, 'node_modules/.bin'), DATA_DIR: dataDir, HOST: '127.0.0.1', TMPDIR: app, ...env },
  ...(isRoot ? { uid, gid } : {}),
});
const run = ([command = '', ...args]: string[], options: SpawnOptions): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(join(app, 'node_modules/.bin', command), args, options);
  return { status, output: `${stdout}${stderr}` };
};
const filesOf = (path: string): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();

test('the commands of the Dockerfile build a service that runs from a read-only tree', async ({ annotate }) => {
  for (const file of contextFiles()) {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    copyFileSync(join(root, file), join(app, file));
  }
  // Node is copied, because unpacking it takes longer than the rest. Packages come from npm's cache. The prefix of an npm that started
  // this test is removed from the environment: the command must not work in that folder.
  const install = instruction('install', 'RUN', 'npm ci').split(' && ')[0] as string;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_\w*prefix$/.test(name)));
  const npm = spawnSync(`${install} --omit=optional --prefer-offline`, {
    cwd: app,
    env,
    shell: true,
    encoding: 'utf8',
  });
  if (npm.status !== 0 && /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(npm.stderr))
    return annotate('npm has neither a network nor the packages: skipped');
  expect(npm.status, npm.stderr).toBe(0);
  for (const name of ['vitest', 'typescript', '@biomejs', 'fast-check', 'yaml', 'stripe'])
    expect(readdirSync(join(app, 'node_modules'))).not.toContain(name);
  mkdirSync(join(app, 'node_modules/.bin'), { recursive: true });
  copyFileSync(process.execPath, join(app, 'node_modules/.bin/node'));
  chmodSync(join(app, 'node_modules/.bin/node'), 0o755);

  chmodSync(folder, 0o755);
  for (const own of [join(app, 'node_modules/.cache'), dataDir]) {
    mkdirSync(own, { mode: 0o700 });
    chownSync(own, uid, gid);
  }
  // The DATA_DIR of this command is a folder of the builder.
  const warm = instruction('warm', 'RUN', 'migrate').replace('DATA_DIR=/tmp/warm ', '');
  const warmed = spawnSync('/bin/sh', ['-c', warm], { ...asUser(), encoding: 'utf8' });
  expect(warmed, warmed.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining('Applied') });
  // The cache includes the modules for PostgreSQL and Redis, so that a start has no types to strip.
  expect(filesOf(join(app, 'node_modules/.cache')).length).toBeGreaterThan(1000);

  setModes(app, false);
  const before = filesOf(app);
  const [command = '', ...args] = [...entrypoint, ...(JSON.parse(instruction(undefined, 'CMD')) as string[])];
  const service = spawn(join(app, 'node_modules/.bin', command), args, asUser({ PORT: '0' }));
  const ended = new Promise<number | null>((resolve) => service.once('exit', resolve));
  let output = '';
  service.stderr?.on('data', (text) => {
    output += text;
  });
  const address = await new Promise<string>((resolve, reject) => {
    service.stdout?.on('data', (text) => {
      output += text;
      const found = /serves at (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then((status) => reject(new Error(`ended with ${status}: ${output}`)));
  });
  const checked = asUser({ PORT: new URL(address).port });
  try {
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect(run(healthCheck, checked).status).toBe(0);
    const answer = await fetch(`${address}/v1/transactions/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${/sk_test_\w+/.exec(output)?.[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'user_1', amount: 49.9, currency: 'EUR' }),
    });
    expect(await answer.json()).toMatchObject({ decision: 'allow' });
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
  expect(await ended).toBe(0);
  expect(run(healthCheck, checked).status).toBe(1);
  expect(output).not.toMatch(/EACCES|EROFS|EPERM/);
  expect(filesOf(app)).toEqual(before);
}, 120_000);
