import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** What is read of Vitest's JSON report. */
type Report = {
  numPassedTests: number;
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    status: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

export interface TestFile {
  readonly path: string;
  readonly seconds: number;
}
export interface TestRun {
  readonly passed: number;
  readonly files: readonly TestFile[];
  readonly failed: readonly { readonly path: string; readonly test: string }[];
  /** False also after an error outside every file, which is in no list. */
  readonly isGreen: boolean;
}

const readReport = (path: string): Report => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    process.stdout.write('The test runner wrote no results.\n');
    return { numPassedTests: 0, testResults: [] };
  }
};

/** Runs Vitest, prints its output, and returns what its report says. */
export const runVitest = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<TestRun> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-results-'));
  const path = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const isGreen = await new Promise<boolean>((resolve, reject) => {
    const vitest = spawn('vitest', ['run', ...args, ...reporters], { stdio: 'inherit', env });
    vitest.once('error', reject).once('close', (code) => resolve(code === 0));
  });
  const { numPassedTests, testResults } = readReport(path);
  rmSync(folder, { recursive: true, force: true });
  const files = testResults.map(({ name, startTime, endTime }) => ({
    path: relative('.', name),
    seconds: (endTime - startTime) / 1000,
  }));
  const failed = testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      return (tests.length > 0 ? tests : ['(outside its tests)']).map((test) => ({ path: relative('.', name), test }));
    });
  return { passed: numPassedTests, files, failed, isGreen };
};
