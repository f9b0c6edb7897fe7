import { readdirSync, readFileSync } from 'node:fs';
import { type ERROR_STATUSES, NEWEST_API_VERSION } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { clientFiles } from '../../scripts/client.ts';
import { API_VERSION } from '../src/index.ts';
import type { ErrorStatuses } from '../src/types.ts';
import type { Differing, Equal } from './contract-types.ts';

test('what is made from the contract is what the contract makes: else run `npm run client`', () => {
  const made = clientFiles();
  const there = readdirSync(new URL('../src/', import.meta.url)).filter((name) => /^(?:types|resource)/.test(name));
  expect(there.map((name) => `client/src/${name}`).sort()).toEqual(made.map(({ file }) => file).sort());
  for (const { file, text } of made) {
    const isCurrent = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8') === text;
    expect(isCurrent, `${file} is out of date: run \`npm run client\``).toBe(true);
  }
  expect(API_VERSION).toBe(NEWEST_API_VERSION);
});

// Types alone: this does not compile when contract and client part ways.
test('every operation has a method that takes and answers with what the contract says', () => {
  // The compiler names those that differ.
  const differing: [Differing] extends [never] ? true : Differing = true;
  const statuses: Equal<
    ErrorStatuses,
    { -readonly [Code in keyof typeof ERROR_STATUSES]: (typeof ERROR_STATUSES)[Code] }
  > = true;
  expect([differing, statuses]).toEqual([true, true]);
});
