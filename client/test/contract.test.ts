import { readFileSync } from 'node:fs';
import type { RiskProfile as Contracted } from '@portcullis/contract';
import { type ERROR_STATUSES, NEWEST_API_VERSION } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { clientFiles } from '../../scripts/client.ts';
import { API_VERSION, type RiskProfile } from '../src/index.ts';
import type { ErrorStatuses } from '../src/types.ts';
import type { Differing, Equal } from './contract-types.ts';

test('what is made from the contract is what the contract makes: else run `npm run client`', () => {
  for (const { file, text } of clientFiles()) {
    const isCurrent = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8') === text;
    expect(isCurrent, `${file} is out of date: run \`npm run client\``).toBe(true);
  }
  expect(API_VERSION).toBe(NEWEST_API_VERSION);
});

/** Of these the contract computes the name of a member, which its type then does not know. */
type Seen = 'devices' | 'ip_addresses' | 'countries';

// Types alone: this does not compile when contract and client part ways.
test('every operation has a method that takes and answers with what the contract says', () => {
  // The compiler names those that differ.
  const differing: Equal<Differing, 'getRiskProfile'> extends true ? true : Differing = true;
  const profile: Equal<Omit<RiskProfile, Seen>, Omit<Contracted, Seen>> = true;
  type Device = { device_token: string; first_seen_at: string; last_seen_at: string; count: number };
  const device: Equal<RiskProfile['devices'][number], Device> = true;
  const statuses: Equal<
    ErrorStatuses,
    { -readonly [Code in keyof typeof ERROR_STATUSES]: (typeof ERROR_STATUSES)[Code] }
  > = true;
  expect([differing, profile, device, statuses]).toEqual([true, true, true, true]);
});
