import {
  type AuditCheck,
  type AuditEntry,
  type AuditList,
  type AuditQuery,
  writeTimestamp,
} from '@portcullis/contract';
import type { Caller } from '../access/access.ts';
import type { Seal } from '../access/seal.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { withPrefix } from '../ids.ts';
import {
  type AuditRow,
  entriesAfter,
  firstUnsealed,
  insertEntry,
  listEntries,
  sealEntry,
  unsealedTenants,
} from './store.ts';

const DEFAULT_LIMIT = 20;
const PAGE = 500;

const toEntry = (row: AuditRow): AuditEntry => ({
  number: row.number,
  at: writeTimestamp(row.at),
  key_id: row.key_id,
  role: row.role,
  action: row.action,
  target: row.target,
  before: JSON.parse(row.before),
  after: JSON.parse(row.after),
  hash: row.hash,
});

/** Who changed what, when: each entry's hash holds the one before it, so that none can be changed, taken out or put in between unseen. */
export const makeAudit = (deps: { backend: Backend; seal: Seal; clock: () => number }) => {
  const { backend, seal, clock } = deps;

  /** Keyed, so that whoever can write to the table cannot make a chain of their own. */
  const hashOf = (tenant: number, before: string, row: AuditRow): string =>
    seal.fingerprint(
      JSON.stringify([
        'audit',
        tenant,
        before,
        row.number,
        row.at,
        row.key_id,
        row.role,
        row.action,
        row.target,
        row.before,
        row.after,
      ]),
    );

  /** Puts in the hashes that are missing. */
  const sealAll = async (tenant: number): Promise<void> => {
    const first = await firstUnsealed(backend, tenant);
    if (first === undefined) return;
    const rows = await entriesAfter(backend, tenant, first - 2, PAGE);
    let hash = rows[0] !== undefined && rows[0].number < first ? (rows[0].hash ?? '') : '';
    const statements: Statement[] = [];
    for (const row of rows) {
      if (row.number < first) continue;
      hash = row.hash ?? hashOf(tenant, hash, row);
      if (row.hash === null) statements.push(sealEntry(tenant, row.number, hash));
    }
    await backend.write(statements);
    if (rows.length === PAGE) await sealAll(tenant);
  };
  /** One after the other: two at once would hash the same entry twice, which does no harm but costs. */
  let sealing: Promise<void> = Promise.resolve();

  const check = async (tenant: number): Promise<AuditCheck> => {
    let hash = '';
    let number = 0;
    for (;;) {
      const rows = await entriesAfter(backend, tenant, number, PAGE);
      for (const row of rows) {
        const expected = hashOf(tenant, hash, row);
        if (row.number !== number + 1 || row.hash !== expected)
          return { intact: false, entries: number + 1, broken_at: number + 1 };
        hash = expected;
        number = row.number;
      }
      if (rows.length < PAGE) return { intact: true, entries: number, broken_at: null };
    }
  };

  const sealNow = (tenant: number): Promise<void> => {
    sealing = sealing.then(
      () => sealAll(tenant),
      () => sealAll(tenant),
    );
    return sealing;
  };

  return {
    /** To be part of the unit that makes the change. */
    entry: (caller: Caller, action: string, target: string, before: unknown, after: unknown): Statement[] => [
      insertEntry(caller.tenant, {
        at: clock(),
        key_id: withPrefix('key', caller.keyId),
        role: caller.role,
        action,
        target,
        before: JSON.stringify(before ?? null),
        after: JSON.stringify(after ?? null),
      }),
    ],
    /** To be called once the change is stored. */
    seal: sealNow,
    /** What a crash left without a hash. */
    recover: async (): Promise<void> => {
      for (const tenant of await unsealedTenants(backend)) await sealNow(tenant);
    },
    list: async (call: Call): Promise<Answer> => {
      const { limit = DEFAULT_LIMIT, before, target } = call.query as AuditQuery;
      const rows = await listEntries(backend, call.caller.tenant, { target, before }, limit + 1);
      const list: AuditList = { entries: rows.slice(0, limit).map(toEntry), has_more: rows.length > limit };
      return call.answer(list);
    },
    check: async (call: Call): Promise<Answer> => {
      await sealNow(call.caller.tenant);
      return call.answer(await check(call.caller.tenant));
    },
  };
};
export type Audit = ReturnType<typeof makeAudit>;
