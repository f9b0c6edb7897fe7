import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type RotateFlags, rotateSecret } from '../../src/commands/rotate-secret.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { ACTIVATION_MS } from '../../src/secrets/rotate.ts';
import { CLI, run as runCommand, start } from '../fixtures/crash-process.ts';
import { makeRandom } from '../fixtures/crash-random.ts';
import { rounds, SEED } from '../fixtures/effort.ts';
import { client, type Json, makeClock, startService } from '../fixtures/harness.ts';
import { changeRecords, readRecords } from '../fixtures/records.ts';

const fileOf = (folder: string, name = 'secret.key'): string => join(folder, name);
const secretIn = (folder: string): string => readFileSync(fileOf(folder), 'utf8').trim();
/** Runs the command as a process of its own. */
const runProcess = (folder: string, args: string[] = []) =>
  runCommand(['keys', 'rotate-secret', ...args], { DATA_DIR: folder });
/** Runs the command in this process, which is faster. Returns its output. Rejects where the process would exit with 1. */
const run = async (folder: string, flags: RotateFlags = {}, env: Record<string, string> = {}): Promise<string> => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.stubEnv('NEW_SECRET_KEY', env.NEW_SECRET_KEY ?? '');
  try {
    await rotateSecret(readConfig({ DATA_DIR: folder, ...env }) as Config, flags);
    expect(err.mock.calls).toEqual([]);
    return out.mock.calls.map(([text]) => text).join('');
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
};
/** As if the time that `--retire` waits for had passed. */
const letTimePass = (folder: string) => changeRecords(folder, 'UPDATE installation_keys SET active_at = 0');
const secretCount = async (folder: string): Promise<number> =>
  (await readRecords(folder, 'SELECT DISTINCT secret_id FROM installation_keys')).length;

const makeStore = async (env: Record<string, string> = {}) => {
  const service = await startService({ env });
  const key = await service.key();
  await service.stop();
  const works = async (settings: Record<string, string> = env): Promise<number> => {
    const later = await startService({ dataDir: service.dataDir, env: settings });
    const { status } = await client(later, key).get('/v1/api-keys');
    await later.stop();
    return status;
  };
  return { folder: service.dataDir, works };
};

describe('keys rotate-secret on a folder', () => {
  test('replaces secret.key beside a running service; --retire makes the new one the only one', async () => {
    const service = await startService();
    const { dataDir: folder } = service;
    const api = client(service, await service.key());
    const old = secretIn(folder);
    const rotated = await runProcess(folder);
    expect([rotated.code, rotated.stderr]).toEqual([0, '']);
    expect(rotated.stdout).toContain(`${fileOf(folder)} holds a new secret key`);
    expect(secretIn(folder)).not.toBe(old);
    expect(rotated.stdout).not.toContain(secretIn(folder));
    expect(statSync(fileOf(folder)).mode & 0o777).toBe(0o600);
    expect(existsSync(fileOf(folder, 'secret.key.next'))).toBe(false);
    expect((await api.get('/v1/cases')).status).toBe(200);
    const again = await runProcess(folder);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('A rotation is in progress')]);

    await letTimePass(folder);
    const retired = await runProcess(folder, ['--retire']);
    expect([retired.code, retired.stderr]).toEqual([0, '']);
    expect(retired.stdout).toContain('is now the only secret key of this store');
    expect((await api.get('/v1/cases')).status).toBe(200);
    await service.stop();
    await expect(startService({ dataDir: folder, env: { SECRET_KEY: old } })).rejects.toThrow('is not the secret key');
    const later = await startService({ dataDir: folder });
    const admin = client(later, await later.key());
    expect((await admin.get('/v1/cases')).status).toBe(200);
    // The audit log has both steps, and neither its head nor its anchor is signed with the retired key.
    const { entries } = (await admin.get('/v1/audit?target=secret_key')).json;
    const steps = entries.map(({ key_id, action }: Json) => [key_id, action]);
    expect(steps).toEqual([
      ['key_command_line', 'secret_key.retired'],
      ['key_command_line', 'secret_key.added'],
    ]);
    expect((await admin.get('/v1/audit/check')).json).toMatchObject({ intact: true, finding: null });
    expect(await run(folder, { retire: true })).toContain('there is nothing to retire');
    expect(JSON.parse(await run(folder, { retire: true, json: true }))).toEqual({ signing_secrets: 0, responses: 0 });
  });

  test('can be repeated without a restart: the service follows the file', async () => {
    const clock = makeClock(Date.now());
    const service = await startService({ clock: clock.now });
    const { dataDir: folder } = service;
    const key = await service.key();
    const loaded = () => service.logs.filter((line) => line.includes('keys of the installation loaded again')).length;
    for (const round of [1, 2]) {
      expect((await runProcess(folder)).code).toBe(0);
      await expect.poll(loaded).toBe(2 * round - 1);
      clock.advance(2 * ACTIVATION_MS);
      await letTimePass(folder);
      expect((await runProcess(folder, ['--retire'])).code).toBe(0);
      await expect.poll(loaded).toBe(2 * round);
      expect((await client(service, key).get('/v1/cases')).status).toBe(200);
      expect((await client(service, await service.key()).get('/v1/audit/check')).json.intact).toBe(true);
    }
    await service.stop();
  });

  test('that was interrupted leaves a folder that starts, and continues when it is run again', async () => {
    const { folder, works } = await makeStore();
    const next = fileOf(folder, 'secret.key.next');
    // Interrupted while, or right after, the next key was written: the store does not know it yet.
    for (const content of ['', 'half', randomBytes(32).toString('base64')]) {
      writeFileSync(next, content);
      expect(await works()).toBe(200);
    }
    const old = readFileSync(fileOf(folder));
    await run(folder);
    // Interrupted right before the new file replaced the old one.
    renameSync(fileOf(folder), next);
    writeFileSync(fileOf(folder), old);
    expect(await works()).toBe(200);
    await expect(run(folder, { retire: true })).rejects.toThrow('A rotation was interrupted');
    await run(folder);
    expect([await works(), existsSync(next), readFileSync(fileOf(folder)).equals(old)]).toEqual([200, false, false]);
    expect(await secretCount(folder)).toBe(2);
  });

  test(`that is killed at any moment leaves a folder that starts (seed ${SEED})`, async () => {
    const { folder, works } = await makeStore();
    const random = makeRandom(SEED);
    for (let round = 0, tookMs = 1000; round < rounds(4, 200); round++) {
      const isRetiring = round % 2 === 1;
      const args = ['keys', 'rotate-secret', ...(isRetiring ? ['--retire'] : [])];
      const startedAt = performance.now();
      const program = start(process.execPath, [CLI, ...args], { DATA_DIR: folder });
      const ended = program.exited.then(() => {
        tookMs = performance.now() - startedAt;
      });
      // The start of the command takes most of its time.
      const killedMs = tookMs * (0.6 + random.below(500) / 1000);
      await Promise.race([ended, new Promise((done) => setTimeout(done, killedMs))]);
      program.kill('SIGKILL');
      await program.exited;
      expect(await works()).toBe(200);
      // Completes what was interrupted. It may have been complete.
      await run(folder, { retire: isRetiring }).catch((error: Error) => expect(error.message).toMatch(/in progress/));
      expect([await works(), await secretCount(folder)]).toEqual([200, isRetiring ? 1 : 2]);
      await letTimePass(folder);
    }
  }, 600_000);
});

describe('keys rotate-secret with SECRET_KEY', () => {
  const OLD = { SECRET_KEY: randomBytes(32).toString('base64') };

  test('shows a new secret key once; both work until --retire', async () => {
    const { folder, works } = await makeStore(OLD);
    const next = { SECRET_KEY: JSON.parse(await run(folder, { json: true }, OLD)).secret_key as string };
    expect(Buffer.from(next.SECRET_KEY, 'base64')).toHaveLength(32);
    expect([await works(OLD), await works(next)]).toEqual([200, 200]);
    expect(existsSync(fileOf(folder))).toBe(false);
    await letTimePass(folder);
    await run(folder, { retire: true }, next);
    expect(await works(next)).toBe(200);
    await expect(works(OLD)).rejects.toThrow('is not the secret key of this store');
  });

  test('takes NEW_SECRET_KEY, and --retire with the old key withdraws it', async () => {
    const { folder, works } = await makeStore(OLD);
    const to = (NEW_SECRET_KEY: string) => run(folder, {}, { ...OLD, NEW_SECRET_KEY });
    await expect(to('short')).rejects.toThrow('NEW_SECRET_KEY must be 32 bytes');
    await expect(to(OLD.SECRET_KEY)).rejects.toThrow('must differ');
    const next = { SECRET_KEY: randomBytes(32).toString('base64') };
    const shown = await to(next.SECRET_KEY);
    expect(shown).toContain('accepts a second secret key');
    expect(shown).not.toContain(next.SECRET_KEY);
    await letTimePass(folder);
    await run(folder, { retire: true }, OLD);
    expect(await works(OLD)).toBe(200);
    await expect(works(next)).rejects.toThrow('is not the secret key of this store');
  });

  test("is refused with a secret key that is not the store's", async () => {
    const { folder } = await makeStore(OLD);
    const strange = { SECRET_KEY: randomBytes(32).toString('base64') };
    for (const flags of [{}, { retire: true }])
      await expect(run(folder, flags, strange)).rejects.toThrow('is not the secret key of this store');
    expect(await secretCount(folder)).toBe(1);
  });
});
