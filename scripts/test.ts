import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM } from './find-chromium.ts';
import { runVitest, type TestFile, type TestRun } from './run-vitest.ts';

/**
 * Runs the checks and prints one closing line with the number of passed and failed checks.
 * - `npm run check`: lint, types and unit tests.
 * - `npm test`: all of it and every other test.
 * - `npm run test:soak`: chaos and fuzz tests for hours.
 * Tests on PostgreSQL and Redis run where both answer, browser tests where Chromium is installed. TEST_SHARED_STORE=required
 * and TEST_BROWSER=required make it a failure when they are missing.
 */
const mode = process.argv[2] ?? 'all';
let passed = 0;
let failed = 0;

const secondsSince = (startedAt: number): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

/** Runs a check and prints its output once it has ended: it runs beside the tests. */
const check = async (title: string, command: string, args: string[]): Promise<void> => {
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const isGreen = await new Promise<boolean>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code === 0));
  });
  process.stdout.write(`\n== ${title}: ${isGreen ? 'passed' : 'failed'}, ${secondsSince(startedAt)}\n${output}`);
  if (isGreen) passed++;
  else failed++;
};
const checkCode = async (): Promise<void> => {
  await check('lint and format', 'biome', ['check', '--error-on-warnings', '.']);
  for (const project of ['contract', 'engine', 'client', 'device', 'server', 'console', '.'])
    await check(`types of ${project}`, 'tsc', ['-p', project]);
};
const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), timeout: 2000 });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });

const SLOWEST = 20;
/** The files that took longest: a suite that becomes slow shows where. */
const printSlowest = (files: readonly TestFile[]): void => {
  for (const { path, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
    process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${path}\n`);
};
/** Repeated at the end: a long diff of one failure can push the names of the others out of a shortened log. */
const printFailed = (run: TestRun): void => {
  for (const { path, test } of run.failed) process.stdout.write(`failed: ${path}: ${test}\n`);
};
const count = (run: TestRun): void => {
  passed += run.passed;
  failed += run.isGreen ? 0 : Math.max(1, run.failed.length);
};

const runTests = async (args: string[], env: NodeJS.ProcessEnv): Promise<TestRun> => {
  const startedAt = performance.now();
  const run = await runVitest(args, env);
  process.stdout.write(`\n== tests: ${run.isGreen ? 'passed' : 'failed'}, ${secondsSince(startedAt)}\n`);
  if (mode === 'all') printSlowest(run.files);
  printFailed(run);
  return run;
};

/** More failures than this have a cause of their own, which a second run would only hide. */
const MAX_REPEATED = 3;
/**
 * Runs the files of failed tests once more, one after the other, with the same seed. A program that is wrong fails again.
 * A test that only failed because the machine was busy passes, and is named in the output, so that it can be mended.
 */
const runFailedAlone = async (run: TestRun, env: NodeJS.ProcessEnv): Promise<void> => {
  const paths = [...new Set(run.failed.map(({ path }) => path))];
  if (paths.length === 0 || paths.length > MAX_REPEATED) return count(run);
  process.stdout.write(`\n== failed tests, once more and alone: ${paths.join(', ')}\n`);
  const alone = await runVitest([...paths, '--maxWorkers=1'], env);
  printFailed(alone);
  passed += run.passed;
  if (!alone.isGreen) failed += Math.max(1, alone.failed.length);
  for (const { path, test } of run.failed) {
    if (alone.failed.some((again) => again.path === path && again.test === test)) continue;
    passed++;
    process.stdout.write(`failed beside other tests, passed alone: ${path}: ${test}\n`);
  }
};

const { TEST_SHARED_STORE, ...callerEnv } = process.env;
/**
 * The seed of random tests. It follows from the commit: a second run repeats the first, and each commit tries other
 * cases. Without a repository it differs from run to run.
 */
const seedOfCommit = (): string => {
  try {
    const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' });
    return String(Number.parseInt(commit, 16) % 1_000_000);
  } catch {
    return String(Date.now() % 1_000_000);
  }
};
/** With the compile cache of the command line, so that each test process does not strip the types of every file again. */
const plainEnv = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/portcullis'), ...callerEnv };
/** The environment for tests that need the shared store: with TEST_SHARED_STORE where it can be used. */
const withSharedStore = async (): Promise<NodeJS.ProcessEnv> => {
  const postgres = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const redis = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
  if ((await answers(postgres)) && (await answers(redis))) return { ...plainEnv, TEST_SHARED_STORE: 'on' };
  process.stdout.write(
    '\nPostgreSQL or Redis does not answer (TEST_DATABASE_URL, TEST_REDIS_URL): tests on them are skipped.\n',
  );
  if (TEST_SHARED_STORE === 'required') failed++;
  return plainEnv;
};
const checkBrowser = (): void => {
  if (CHROMIUM !== undefined) return;
  process.stdout.write('\nChromium was not found (TEST_CHROMIUM): browser tests are skipped.\n');
  if (process.env.TEST_BROWSER === 'required') failed++;
};

/** The search thread starts a moment after the service. */
const THREADS_START_MS = 2000;
/**
 * Starts and stops the service once. The first stop of all writes the compile cache, which takes seconds beside other
 * programs, and tests limit the time that a stop may take.
 */
const fillCompileCache = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-first-start-'));
  const service = spawn(process.execPath, ['server/bin/portcullis.js', 'serve'], {
    env: { ...plainEnv, DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(service, 'close');
  for await (const line of createInterface(service.stdout)) {
    const url = /serves at (http:\/\/\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    await Promise.all([fetch(`${url}/docs`), sleep(THREADS_START_MS)]);
    service.kill();
  }
  await closed;
  rmSync(folder, { recursive: true, force: true });
};

if (mode === 'check') {
  const [run] = await Promise.all([runTests(['--project=unit'], plainEnv), checkCode()]);
  count(run);
} else if (mode === 'soak') {
  const files = ['server/test/chaos', 'server/test/shared-store/stalled-', 'server/test/api/devices.test.ts'];
  count(await runTests(files, { ...(await withSharedStore()), TEST_SOAK: 'on' }));
} else {
  checkBrowser();
  await fillCompileCache();
  const env = { TEST_SEED: seedOfCommit(), ...(await withSharedStore()) };
  process.stdout.write(`Random tests use TEST_SEED=${env.TEST_SEED}.\n`);
  const [run] = await Promise.all([runTests([], env), checkCode()]);
  await runFailedAlone(run, env);
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
