import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { newFolder, run, SANDBOX_KEY, type Server, serve } from '../fixtures/crash-process.ts';
import { startForLoad } from '../fixtures/fault-load.ts';
import { isShared } from '../fixtures/shared-store.ts';

const screen = async ({ url }: Pick<Server, 'url'>): Promise<number> => {
  const response = await fetch(`${url}/v1/transactions/screen`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SANDBOX_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'ada', amount: 1, currency: 'EUR' }),
  });
  return response.status;
};
/** Serves the folder from the process of this test, beside one that the test has started. */
const serveHere = (dataDir: string) => startForLoad({ dataDir, logLevel: 'silent' });
const lockOf = (dataDir: string): string => join(dataDir, 'serve.lock');

describe.skipIf(isShared)('one process serves a folder', () => {
  test('also when the lock file is deleted or replaced, and it locks the folder again', {
    timeout: 120_000,
  }, async () => {
    const dataDir = newFolder();
    const server = await serve(dataDir);
    // Deleted all the time, so that the second process always finds a new lock file: it has to ask the first.
    const deleting = setInterval(() => rmSync(lockOf(dataDir), { force: true }), 10);
    const { code, stderr } = await run(['serve'], { DATA_DIR: dataDir, PORT: '0', API_KEYS: SANDBOX_KEY });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Another process serves ${dataDir}`)]);
    clearInterval(deleting);
    rmSync(lockOf(dataDir), { force: true });
    writeFileSync(lockOf(dataDir), '');
    await expect(serveHere(dataDir)).rejects.toThrow(`Another process serves ${dataDir}`);
    expect(await screen(server)).toBe(200);
    server.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('and another one starts at once after it was killed, also without the lock file after it was stopped', async () => {
    const dataDir = newFolder();
    const first = await serve(dataDir);
    first.kill('SIGKILL');
    await first.exited;
    const second = await serveHere(dataDir);
    expect(await screen(second)).toBe(200);
    await second.stop();
    rmSync(lockOf(dataDir));
    const third = await serveHere(dataDir);
    expect(await screen(third)).toBe(200);
  });

  test('a process that hung while its lock file was deleted is replaced, commits nothing more, and ends', {
    timeout: 120_000,
  }, async () => {
    const dataDir = newFolder();
    const first = await serve(dataDir);
    expect(await screen(first)).toBe(200);
    first.kill('SIGSTOP');
    rmSync(lockOf(dataDir));
    const hanging = screen(first).catch(() => 0);
    const second = await serveHere(dataDir);
    expect(await screen(second)).toBe(200);
    first.kill('SIGCONT');
    expect(await first.exited).toEqual({ code: 1, signal: null });
    expect(first.stdout()).toContain('another process serves this folder');
    expect(await hanging).not.toBe(200);
    expect(await screen(second)).toBe(200);
    const database = new DatabaseSync(join(dataDir, 'portcullis.db'), { readOnly: true });
    expect(database.prepare('SELECT COUNT(*) AS count FROM screenings').get()?.count).toBe(3);
    database.close();
  });
});
