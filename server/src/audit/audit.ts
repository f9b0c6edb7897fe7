import {
  type AuditCheck,
  type AuditEntry,
  type AuditList,
  type AuditQuery,
  writeTimestamp,
} from '@portcullis/contract';
import type { Caller } from '../access/access.ts';
import type { Seal } from '../access/seal.ts';
import type { Backend, Outcome, Unit } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { withPrefix } from '../ids.ts';
import { makeTurns } from '../turns.ts';
import {
  type AuditRow,
  entriesAfter,
  findHead,
  type Head,
  insertEntry,
  listEntries,
  putHead,
  readNewest,
} from './store.ts';

const DEFAULT_LIMIT = 20;
const PAGE = 500;

/** What was done to what; `before` is null where it is new, `after` where it is gone. */
export interface Change {
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
}

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
  const inTurn = makeTurns<number>();

  /** Keyed, so that whoever can write to the tables cannot make a chain of their own. */
  const hashOf = (tenant: number, before: string, row: Omit<AuditRow, 'hash'>): string =>
    seal.chain([
      'entry',
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
    ]);
  /** What says which entry is the newest: a chain that was cut is as sound as a whole one. */
  const sealOf = (tenant: number, { number, hash }: Pick<Head, 'number' | 'hash'>): string =>
    seal.chain(['head', tenant, number, hash]);

  const isGenuine = (tenant: number, head: Head): boolean => head.seal === sealOf(tenant, head);

  /** The entry, behind all that was ever written: what was cut off or slipped in is not covered up by what comes after it. */
  const link = async (caller: Caller, { action, target, before, after }: Change): Promise<Unit> => {
    const { tenant } = caller;
    const { head, newest } = await readNewest(backend, tenant);
    const entry = {
      number: Math.max(head?.number ?? 0, newest) + 1,
      at: clock(),
      key_id: withPrefix('key', caller.keyId),
      role: caller.role,
      action,
      target,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    };
    // A head that is forged, or missing beside entries, is never made good: that would hide it.
    if (head === undefined ? newest > 0 : !isGenuine(tenant, head))
      return [insertEntry(tenant, { ...entry, hash: hashOf(tenant, '', entry) })];
    const hash = hashOf(tenant, head?.hash ?? '', entry);
    const next = { number: entry.number, hash };
    return [
      putHead(tenant, head?.number, { ...next, seal: sealOf(tenant, next) }),
      insertEntry(tenant, { ...entry, hash }),
    ];
  };

  const check = async (tenant: number): Promise<AuditCheck> => {
    const head = await findHead(backend, tenant);
    let hash = '';
    let number = 0;
    const brokenHere = (): AuditCheck => ({ intact: false, entries: number + 1, broken_at: number + 1 });
    for (;;) {
      const rows = await entriesAfter(backend, tenant, number, PAGE);
      for (const row of rows) {
        const expected = hashOf(tenant, hash, row);
        if (row.number !== number + 1 || row.hash !== expected) return brokenHere();
        hash = expected;
        number = row.number;
      }
      if (rows.length < PAGE) break;
    }
    // The head was read first: another process may have written since.
    const isWhole = head === undefined ? number === 0 : isGenuine(tenant, head) && number >= head.number;
    return isWhole ? { intact: true, entries: number, broken_at: null } : brokenHere();
  };

  return {
    /** Writes a change and the entry that tells of it as one. Its outcome is that of the change. */
    write: (caller: Caller, change: Change, unit: Unit): Promise<Outcome> =>
      inTurn(caller.tenant, async () => {
        for (;;) {
          const outcome = await backend.write([...unit, ...(await link(caller, change))]);
          // Otherwise another process was first, and its entry is the one to go on from.
          if (outcome.written || outcome.refused < unit.length) return outcome;
        }
      }),
    list: async (call: Call): Promise<Answer> => {
      const { limit = DEFAULT_LIMIT, before, target } = call.query as AuditQuery;
      const rows = await listEntries(backend, call.caller.tenant, { target, before }, limit + 1);
      const list: AuditList = { entries: rows.slice(0, limit).map(toEntry), has_more: rows.length > limit };
      return call.answer(list);
    },
    check: async (call: Call): Promise<Answer> => {
      const { tenant } = call.caller;
      return call.answer(await inTurn(tenant, () => check(tenant)));
    },
  };
};
export type Audit = ReturnType<typeof makeAudit>;
