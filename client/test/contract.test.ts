import { readdirSync, readFileSync } from 'node:fs';
import { type ERROR_STATUSES, NEWEST_API_VERSION } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { clientFiles } from '../../scripts/client.ts';
import { API_VERSION } from '../src/index.ts';
import type { ErrorStatuses } from '../src/types.ts';
import type { Differing, Equal } from './contract-types.ts';

test('the generated files are up to date with the contract', () => {
  const expected = clientFiles();
  const present = readdirSync(new URL('../src/', import.meta.url)).filter((name) => /^(?:types|resource)/.test(name));
  expect(present.map((name) => `client/src/${name}`).sort()).toEqual(expected.map(({ file }) => file).sort());
  for (const { file, text } of expected) {
    const isCurrent = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8') === text;
    expect(isCurrent, `${file} is out of date: run \`npm run client\``).toBe(true);
  }
  expect(API_VERSION).toBe(NEWEST_API_VERSION);
});

// Checked by the compiler: this does not compile if the contract and the client differ.
test('the methods have the types that the contract defines', () => {
  // The compile error names the operations that differ.
  const differing: [Differing] extends [never] ? true : Differing = true;
  const statuses: Equal<
    ErrorStatuses,
    { -readonly [Code in keyof typeof ERROR_STATUSES]: (typeof ERROR_STATUSES)[Code] }
  > = true;
  expect([differing, statuses]).toEqual([true, true]);
});
