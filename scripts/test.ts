import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Lint, types and every test, then one line that says how many passed and failed. */
let passed = 0;
let failed = 0;

const run = (title: string, command: string, args: string[]): boolean => {
  process.stdout.write(`\n== ${title}\n`);
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
};
const check = (title: string, command: string, args: string[]): void => {
  if (run(title, command, args)) passed++;
  else failed++;
};

check('lint and format', 'biome', ['check', '--error-on-warnings', '.']);
for (const project of ['contract', 'engine', 'client', 'server', '.'])
  check(`types of ${project}`, 'tsc', ['-p', project]);

const folder = mkdtempSync(join(tmpdir(), 'portcullis-results-'));
const results = join(folder, 'results.json');
const green = run('tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`]);
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
