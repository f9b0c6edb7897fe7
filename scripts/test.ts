import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM } from './find-chromium.ts';

/**
 * Lint, types and every test, then one line that says how many passed and failed. Tests of the service run on PostgreSQL and Redis too where both answer;
 * with TEST_SHARED_STORE=required it is a failure when they do not. So it is with a browser, Chromium, and TEST_BROWSER=required.
 */
let passed = 0;
let failed = 0;

const run = (title: string, command: string, args: string[], env: NodeJS.ProcessEnv = process.env): boolean => {
  process.stdout.write(`\n== ${title}\n`);
  return spawnSync(command, args, { stdio: 'inherit', env }).status === 0;
};
const check = (title: string, command: string, args: string[]): void => {
  if (run(title, command, args)) passed++;
  else failed++;
};

check('lint and format', 'biome', ['check', '--error-on-warnings', '.']);
for (const project of ['contract', 'engine', 'client', 'device', 'server', '.'])
  check(`types of ${project}`, 'tsc', ['-p', project]);

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
const { TEST_SHARED_STORE, ...plainEnv } = process.env;
const postgres = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const redis = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
const isShared = (await answers(postgres)) && (await answers(redis));
if (!isShared) {
  process.stdout.write(
    '\nPostgreSQL and Redis do not both answer: nothing is tested on them (TEST_DATABASE_URL, TEST_REDIS_URL)\n',
  );
  if (TEST_SHARED_STORE === 'required') failed++;
}

if (CHROMIUM === undefined) {
  process.stdout.write('\nThere is no Chromium: nothing is tested in a browser (TEST_CHROMIUM)\n');
  if (process.env.TEST_BROWSER === 'required') failed++;
}

const folder = mkdtempSync(join(tmpdir(), 'portcullis-results-'));
const results = join(folder, 'results.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
const green = run(
  'tests',
  'vitest',
  ['run', ...reporters],
  isShared ? { ...plainEnv, TEST_SHARED_STORE: 'on' } : plainEnv,
);
try {
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
  };
  passed += numPassedTests;
  failed += numFailedTests;
} catch {
  process.stdout.write('the tests left no results\n');
}
// A file that cannot be loaded or an error outside any test fails no test, and must not pass for that.
if (!green && failed === 0) failed++;
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
