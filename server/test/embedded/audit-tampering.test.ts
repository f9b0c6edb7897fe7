import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeAnchors } from '../../src/audit/anchors.ts';
import { actor, makeAudit } from '../../src/audit/audit.ts';
import type { Statement, Value } from '../../src/backend/backend.ts';
import { openSqliteDirect } from '../../src/backend/embedded/direct-store.ts';
import { makeSeal } from '../../src/secrets/seal.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { makeFolder } from '../fixtures/harness.ts';

const ENTRIES = 6;
const TENANTS = [1, 2];
const COLUMNS = ['number', 'at', 'key_id', 'role', 'action', 'target', 'before', 'after', 'hash'] as const;
const TABLES = ['audit', 'audit_heads'] as const;
type Copy = Record<string, Record<string, Value>[]>;

const backend = openSqliteDirect(makeFolder());
const run = (sql: string, ...params: Value[]): Promise<unknown> => backend.write([{ sql, params }]);
const copyOf = async (): Promise<Copy> =>
  Object.fromEntries(
    await Promise.all(
      TABLES.map(
        async (table) =>
          [table, await backend.read<Record<string, Value>>(`SELECT * FROM ${table} ORDER BY tenant, 2`)] as const,
      ),
    ),
  );
const restore = async (copy: Copy, tables: readonly string[] = TABLES): Promise<void> => {
  for (const table of tables) {
    const inserts = (copy[table] ?? []).map((row): Statement => {
      const marks = Object.keys(row).map(() => '?');
      return { sql: `INSERT INTO ${table} VALUES (${marks.join(', ')})`, params: Object.values(row) };
    });
    await backend.write([{ sql: `DELETE FROM ${table}`, params: [] }, ...inserts]);
  }
};

/** A process on the installation. Its memory starts empty; the anchor outside is all that it knows. */
let anchor: string | undefined;
const start = () => {
  const options = { backend, seal: makeSeal(Buffer.alloc(32, 1)), clock: () => 1 };
  const place = {
    name: 'file' as const,
    read: async () => anchor,
    write: async (text: string) => {
      anchor = text;
    },
  };
  const anchors = makeAnchors({ ...options, place });
  return { anchors, audit: makeAudit({ ...options, anchors }) };
};

/** Copies of the tables after each entry. */
const copies: Copy[] = [];
const first = start();
const write = async (tenant: number, after: unknown): Promise<void> => {
  const change = { action: 'policy.changed', target: 'policy', before: null, after };
  await first.audit.write(actor('settings', tenant), change, []);
  copies.push(await copyOf());
};
// The log of the first tenant contains an accepted break.
for (let i = 0; i < 3; i++) for (const tenant of TENANTS) await write(tenant, i);
await run('DELETE FROM audit WHERE tenant = 1 AND number = 2');
await first.audit.accept(1, 'a test');
for (let i = 4; i < ENTRIES; i++) for (const tenant of TENANTS) await write(tenant, i);
const original = copies.at(-1) as Copy;
const heads = new Map<number, { number: number; hash: string }>();
for (const tenant of TENANTS) heads.set(tenant, (await first.audit.checkTenant(tenant)).last);
await first.anchors.write(heads);

const number = fc.integer({ min: 1, max: ENTRIES + 1 });
const tenant = fc.constantFrom(...TENANTS);
const column = fc.constantFrom(...COLUMNS);
const tables = fc.constantFrom<readonly string[]>(TABLES, ['audit'], ['audit_heads']);
const { audit: rows = [], audit_heads: headRows = [] } = original;
const values = [...rows, ...headRows].flatMap((row) => Object.entries(row));
const anyValueOf = (name: string) =>
  fc.constantFrom(...values.filter(([key]) => key === name).map(([, value]) => value));

/** What an administrator of the database may do, with values that occur in the tables. */
const attack = fc.oneof(
  fc.tuple(tenant, number, column).chain(([of, at, name]) =>
    anyValueOf(name).map((value) => async () => {
      await run(`UPDATE OR REPLACE audit SET ${name} = ? WHERE tenant = ? AND number = ?`, value, of, at);
    }),
  ),
  fc.tuple(tenant, number, number).map(([of, from, to]) => async () => {
    await run('DELETE FROM audit WHERE tenant = ? AND number BETWEEN ? AND ?', of, from, to);
  }),
  fc.tuple(tenant, number, tenant, number).map(([from, at, to, as]) => async () => {
    await run('UPDATE OR REPLACE audit SET tenant = ?, number = ? WHERE tenant = ? AND number = ?', to, as, from, at);
  }),
  fc.tuple(tenant, number).map(([of, at]) => async () => {
    await run(
      `UPDATE audit_heads SET number = ?, hash = COALESCE((SELECT hash FROM audit a
        WHERE a.tenant = audit_heads.tenant AND a.number = ?), hash) WHERE tenant = ?`,
      at,
      at,
      of,
    );
  }),
  fc.tuple(tenant, anyValueOf('seal')).map(([of, seal]) => async () => {
    await run('UPDATE audit_heads SET seal = ? WHERE tenant = ?', seal, of);
  }),
  tenant.map((of) => () => run('DELETE FROM audit_heads WHERE tenant = ?', of)),
  fc.tuple(fc.constantFrom(...copies), tables).map(
    ([copy, of]) =>
      () =>
        restore(copy, of),
  ),
);

test(
  `any change of the tables is detected after a restart, without a false alarm (seed ${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 4 }), async (attacks) => {
        await restore(original);
        for (const make of attacks) await make();
        const now = await copyOf();
        for (const of of TENANTS) {
          const own = (copy: Copy) => TABLES.map((table) => copy[table]?.filter((row) => row.tenant === of));
          const isUnchanged = JSON.stringify(own(now)) === JSON.stringify(own(original));
          const { problem } = await start().audit.checkTenant(of);
          expect(problem === undefined).toBe(isUnchanged);
        }
      }),
      { seed: SEED, numRuns: rounds(100, 5000) },
    );
  },
  timeoutMs(30_000),
);
