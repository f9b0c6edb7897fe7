import { expect, test } from 'vitest';
import { makeSeal } from '../src/access/seal.ts';
import { makeAudit } from '../src/audit/audit.ts';
import type { Backend } from '../src/backend/backend.ts';
import { openSqlite } from '../src/backend/sqlite.ts';
import type { Answer, Call } from '../src/http/route.ts';
import { makeFolder } from './harness.ts';

test('whatever another process writes while an entry is linked, the chain stays whole', async () => {
  const { backend } = openSqlite({ directory: makeFolder() });
  const caller = { keyId: 'k', tenant: 1, account: 'a', environment: 'sandbox', role: 'admin' } as const;
  const change = { action: 'list.created', target: 'list', before: null, after: {} };
  const options = { seal: makeSeal(Buffer.alloc(32, 1)), clock: () => 1 };
  const theirs = makeAudit({ backend, ...options });
  // They come first after each read of ours, as long as they are to.
  let times = 0;
  const overtaken: Backend = {
    ...backend,
    read: async <Row>(sql: string, ...params: []): Promise<Row[]> => {
      const rows = await backend.read<Row>(sql, ...params);
      if (times-- > 0) await theirs.write(caller, change, []);
      return rows;
    },
  };
  const ours = makeAudit({ backend: overtaken, ...options });
  // The very first entry, too, before which there is no head.
  let entries = 0;
  for (const overtakings of [1, 2, 3]) {
    times = overtakings;
    expect(await ours.write(caller, change, [])).toEqual({ written: true });
    entries += overtakings + 1;
  }
  const call = {
    caller,
    answer: (resource: object) => ({ body: JSON.stringify(resource) }) as Answer,
  } as unknown as Call;
  expect(JSON.parse((await theirs.check(call)).body)).toEqual({ intact: true, entries, broken_at: null });
  await backend.close();
});
