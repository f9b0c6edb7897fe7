import { expect, test } from 'vitest';
import type { Backend } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import { makeAccess } from './access.ts';
import type { KeyRow } from './store.ts';

const HASH = 'h'.repeat(64);
const ROW: KeyRow = {
  id: '01m7fd5wf0e06aha3rmwgyvgq1',
  tenant: 1,
  account: 'default',
  environment: 'sandbox',
  hash: HASH,
  hash_version: 1,
  role: 'reader',
  permissions: null,
  label: null,
  hint: '…',
  rate_limit_per_minute: null,
  expires_at: null,
  allowed_networks: null,
  from_settings: 0,
  created_at: 0,
  made_by: null,
  last_used_at: null,
};

/** Access to a store whose reads end when the test says so. */
const makeWorld = () => {
  const reads: ((rows: readonly KeyRow[]) => void)[] = [];
  const backend = { read: () => new Promise((resolve) => reads.push(resolve)) } as unknown as Backend;
  const seal = { newestVersion: () => 1, keyHashes: () => [HASH] } as unknown as Seal;
  const access = makeAccess({
    backend,
    limits: { take: () => ({ granted: true, left: 1 }) } as never,
    seal,
    clock: Date.now,
    hosts: { sandbox: undefined, production: undefined },
    rateLimitPerMinute: undefined,
    maxFailedKeysPerMinute: 60,
  });
  const credentials = {
    authorization: `Bearer sk_test_${'a'.repeat(40)}`,
    host: undefined,
    method: 'GET',
    headers: {},
    connection: {},
    address: () => '127.0.0.1',
  };
  return { access, reads, send: async () => access.authenticate(credentials, 'read') };
};

test('a key that is revoked while it is read does not work for later requests', async () => {
  const { access, reads, send } = makeWorld();
  const early = send();
  // The store has read the row, then the key is revoked, then the row arrives.
  access.forget();
  reads[0]?.([ROW]);
  expect((await early).caller.keyId).toBe(ROW.id);
  const late = send();
  await Promise.resolve();
  reads[1]?.([]);
  await expect(late).rejects.toThrow('unknown or was revoked');
});

test('a key is read once for the requests of a second', async () => {
  const { reads, send } = makeWorld();
  const both = [send(), send()];
  reads[0]?.([ROW]);
  await Promise.all(both);
  await send();
  expect(reads).toHaveLength(1);
});
