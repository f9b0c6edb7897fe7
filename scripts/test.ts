import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM } from './find-chromium.ts';

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

/** What is read of Vitest's JSON report. */
type Results = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

const SLOWEST = 20;
/** The files that took longest: a suite that becomes slow shows where. */
const printSlowest = (files: Results['testResults']): void => {
  const slowest = files.toSorted((a, b) => b.endTime - b.startTime - (a.endTime - a.startTime)).slice(0, SLOWEST);
  for (const { name, startTime, endTime } of slowest)
    process.stdout.write(`${((endTime - startTime) / 1000).toFixed(1).padStart(6)} s  ${relative('.', name)}\n`);
};

const runTests = async (args: string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-results-'));
  const results = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const startedAt = performance.now();
  const isGreen = await new Promise<boolean>((resolve, reject) => {
    const vitest = spawn('vitest', ['run', ...args, ...reporters], { stdio: 'inherit', env });
    vitest.once('error', reject).once('close', (code) => resolve(code === 0));
  });
  let failedTests = 0;
  process.stdout.write(`\n== tests: ${isGreen ? 'passed' : 'failed'}, ${secondsSince(startedAt)}\n`);
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(results, 'utf8')) as Results;
    passed += numPassedTests;
    failed += numFailedTests;
    failedTests = numFailedTests;
    if (mode === 'all') printSlowest(testResults);
    // Repeated at the end: a long diff of one failure can push the names of the others out of a shortened log.
    for (const { name, assertionResults } of testResults)
      for (const { fullName } of assertionResults.filter((result) => result.status === 'failed'))
        process.stdout.write(`failed: ${relative('.', name)}: ${fullName}\n`);
  } catch {
    process.stdout.write('The test runner wrote no results.\n');
  }
  // A file that cannot be loaded, or an error outside a test, fails no test; it must not count as success.
  if (!isGreen && failedTests === 0) failed++;
  rmSync(folder, { recursive: true, force: true });
};

const { TEST_SHARED_STORE, ...callerEnv } = process.env;
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

if (mode === 'check') await Promise.all([checkCode(), runTests(['--project=unit'], plainEnv)]);
else if (mode === 'soak') {
  const files = ['server/test/chaos', 'server/test/shared-store/stalled-', 'server/test/api/devices.test.ts'];
  await runTests(files, { ...(await withSharedStore()), TEST_SOAK: 'on' });
} else {
  checkBrowser();
  await fillCompileCache();
  await Promise.all([checkCode(), runTests([], await withSharedStore())]);
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
