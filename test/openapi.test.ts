import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapi } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { VERSION } from '../server/src/runtime/version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('openapi.json equals the generated document', () => {
  const current = `${JSON.stringify(openapi(VERSION), null, 2)}\n`;
  const isCurrent = readFileSync(`${root}openapi.json`, 'utf8') === current;
  expect(isCurrent, 'openapi.json is out of date: run `npm run openapi`').toBe(true);
});

interface Report {
  readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number };
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

test('openapi.json passes an independent linter', () => {
  let report: string;
  try {
    report = execFileSync(process.execPath, ['node_modules/.bin/redocly', 'lint', 'openapi.json', '--format=json'], {
      cwd: root,
      encoding: 'utf8',
      // No telemetry and no check for updates: the test must pass without a network.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    // The linter exits with 1 if it finds errors. The test then shows its report.
    report = (error as { stdout: string }).stdout;
  }
  const { totals, problems } = JSON.parse(report) as Report;
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});
