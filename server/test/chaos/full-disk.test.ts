import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { LoadResult, SentScreening } from '../fixtures/crash-load.ts';
import { CLI, newFolder, SANDBOX_KEY, type Server, serve, start, untilServing } from '../fixtures/crash-process.ts';
import {
  countLoad,
  expectExact,
  faultTraffic,
  isUnavailable,
  sendAll,
  startForLoad,
  stop,
  take,
} from '../fixtures/fault-load.ts';

/** Screens until the store refuses. Returns the accepted and the refused screenings. */
const fillUp = async (server: Server, next: () => SentScreening): Promise<LoadResult> => {
  const parts: LoadResult[] = [];
  do parts.push(await countLoad(server, 8, next, 400));
  while (parts.at(-1)?.refused.length === 0 && parts.length < 100);
  return {
    acknowledged: parts.flatMap(({ acknowledged }) => acknowledged),
    labelled: [],
    unanswered: parts.flatMap(({ unanswered }) => unanswered),
    refused: parts.flatMap(({ refused }) => refused),
  };
};

/**
 * Expects the service to recover from a full disk without a restart: it counts every acknowledged screening and no
 * refused one.
 */
const expectRecovery = async (server: Server, dataDir: string, makeRoom: () => void): Promise<void> => {
  const next = faultTraffic();
  const filled = await fillUp(server, next);
  expect(filled.refused.length).toBeGreaterThan(0);
  expect(filled.refused.filter((answer) => !isUnavailable(answer))).toEqual([]);
  // A single screening may still fit where many at once did not: then it counts like any other.
  const sent = take(5, next);
  const answers = await sendAll(server, sent);
  const taken = sent.filter((_, at) => answers[at]?.status === 200);
  expect(answers.filter((answer) => answer.status !== 200 && !isUnavailable(answer))).toEqual([]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const readiness = async (): Promise<[number, string]> => {
    const response = await fetch(`${server.url}/readyz`);
    return [response.status, await response.text()];
  };
  expect(await readiness()).toEqual([503, expect.stringContaining('The store takes no writes')]);
  // Longer than between two probes: these fail too.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect((await readiness())[0]).toBe(503);
  makeRoom();
  // No request helps: a load balancer sends none to a process that is not ready.
  await expect.poll(async () => (await readiness())[0]).toBe(200);
  const after = await countLoad(server, 8, next, 100);
  expect(after.refused).toEqual([]);
  await expectExact(server, dataDir, [...filled.acknowledged, ...taken, ...after.acknowledged]);
};

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const isRoot = process.getuid?.() === 0;
const mounts: string[] = [];
afterAll(() => {
  // Lazily: after a failed test the service still has open files there, and a busy mount would hide the failure.
  for (const folder of mounts) spawnSync('umount', ['--lazy', folder]);
});

/** Mounts a small disk. Undefined where mounting is not permitted, as in most containers. */
const mountSmallDisk = (bytes: number): string | undefined => {
  if (!isRoot) return undefined;
  const folder = newFolder();
  if (!succeeds('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'portcullis', folder)) return undefined;
  mounts.push(folder);
  return folder;
};

/** Starts the service with a file size limit of 1 or 2 MB: shells count in blocks of 512 or 1024 bytes. */
const serveLimited = (dataDir: string): Promise<Server> =>
  untilServing(
    start('sh', ['-c', 'ulimit -S -f 2000; exec "$0" "$@"', process.execPath, CLI, 'serve'], {
      DATA_DIR: dataDir,
      PORT: '0',
      API_KEYS: SANDBOX_KEY,
    }),
  );

describe('the disk is full', () => {
  test('and the service is stopped: it exits with 0, and every acknowledged screening is there once there is room again', async () => {
    const dataDir = newFolder();
    const limited = await serveLimited(dataDir);
    const { acknowledged, refused } = await fillUp(limited, faultTraffic());
    expect(refused.length).toBeGreaterThan(0);
    await stop(limited);
    await expectExact(await startForLoad({ dataDir, logLevel: 'warn' }), dataDir, acknowledged);
  });

  test.skipIf(!succeeds('prlimit', '--version'))(
    'because of a file size limit: 503, and it recovers by itself once the limit is lifted',
    async () => {
      const dataDir = newFolder();
      const server = await serveLimited(dataDir);
      await expectRecovery(server, dataDir, () => {
        execFileSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited']);
      });
      await stop(server);
    },
  );

  const disk = mountSmallDisk(16 * 1024 * 1024);
  test.skipIf(disk === undefined)(
    'because no block is left on a small disk: 503, and it recovers by itself once there is room',
    async () => {
      const dataDir = join(disk ?? '', 'data');
      mkdirSync(dataDir);
      const server = await serve(dataDir);
      const ballast = join(disk ?? '', 'ballast');
      const { bavail, bsize } = statfsSync(disk ?? '');
      writeFileSync(ballast, Buffer.alloc(Number(bavail) * Number(bsize) - 1024 * 1024, 1));
      await expectRecovery(server, dataDir, () => rmSync(ballast));
      await stop(server);
    },
  );
});
