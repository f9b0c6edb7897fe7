import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapi } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { VERSION } from '../server/src/version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('the checked-in document is the one the code makes', () => {
  const current = `${JSON.stringify(openapi(VERSION), null, 2)}\n`;
  const isCurrent = readFileSync(`${root}openapi.json`, 'utf8') === current;
  expect(isCurrent, 'openapi.json is out of date: run `npm run openapi`').toBe(true);
});

interface Verdict {
  readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number };
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

test('an independent linter finds nothing in it', () => {
  let said: string;
  try {
    said = execFileSync(process.execPath, ['node_modules/.bin/redocly', 'lint', 'openapi.json', '--format=json'], {
      cwd: root,
      encoding: 'utf8',
      // Neither reports on us nor asks for its newest version: the test must pass without a network.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    // It exits with 1 when it finds errors, and what it found is what the test should show.
    said = (error as { stdout: string }).stdout;
  }
  const { totals, problems } = JSON.parse(said) as Verdict;
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});
