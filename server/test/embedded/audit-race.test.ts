import { identifyOffline } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { makeAudit } from '../../src/audit/audit.ts';
import type { Backend } from '../../src/backend/backend.ts';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import type { Answer, Call } from '../../src/http/route.ts';
import { makeSeal } from '../../src/secrets/seal.ts';
import { CACHE_BYTES, makeFolder } from '../fixtures/harness.ts';

test('the chain stays intact when other processes write while an entry is linked', async () => {
  const { backend } = openSqlite({
    directory: makeFolder(),
    identities: () => identifyOffline,
    cacheBytes: CACHE_BYTES,
  });
  const caller = { keyId: 'k', tenant: 1, account: 'a', environment: 'sandbox', role: 'admin' } as const;
  const change = { action: 'list.created', target: 'list', before: null, after: {} };
  const options = { seal: makeSeal(Buffer.alloc(32, 1)), clock: () => 1 };
  const other = makeAudit({ backend, ...options });
  // The other process writes after each read of ours, `times` times.
  let times = 0;
  const raced: Backend = {
    ...backend,
    read: async <Row>(sql: string, ...params: []): Promise<Row[]> => {
      const rows = await backend.read<Row>(sql, ...params);
      if (times-- > 0) await other.write(caller, change, []);
      return rows;
    },
  };
  const ours = makeAudit({ backend: raced, ...options });
  // Includes the very first entry, when there is no head yet.
  let entries = 0;
  for (const races of [1, 2, 3]) {
    times = races;
    expect(await ours.write(caller, change, [])).toEqual({ written: true });
    entries += races + 1;
  }
  const call = {
    caller,
    query: {},
    answer: (resource: object) => ({ body: JSON.stringify(resource) }) as Answer,
  } as unknown as Call<'checkAudit'>;
  expect(JSON.parse((await other.check(call)).body)).toMatchObject({ intact: true, entries, broken_at: null });
  await backend.close();
});
