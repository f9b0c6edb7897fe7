import type { AuditEntry, AuditList } from '@portcullis/contract';
import { readTimestamp, writeTimestamp } from '@portcullis/contract/values';
import type { Backend, Outcome, Page, Unit } from '../backend/backend.ts';
import { authorOf, type Caller } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';
import { shareRuns } from '../runtime/share-runs.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Anchors } from './anchors.ts';
import { ACCEPTED, hashOf, isGenuine, NO_ENTRY, type Position, sealOf } from './chain.ts';
import { type ChainCheck, checkChain, type Finding, toAuditCheck } from './check.ts';
import {
  type AuditFilter,
  type AuditRow,
  headsAfter,
  insertEntry,
  listEntries,
  putHead,
  readNewest,
  replaceHead,
  replaceSeal,
} from './store.ts';

export type { AuditRow } from './store.ts';

const DEFAULT_LIMIT = 20;
/** Heads read or signed at once. */
const PAGE_ROWS = 100;

/** A change of a resource. `before` is null for a new resource, `after` for a deleted one. */
export interface Change {
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Who made a change: the key or person of a request, or a part of the service. */
export type Actor = Pick<Caller, 'keyId' | 'tenant' | 'role'>;

/** A part of the service that makes changes without a key. The log shows `key_` and its name. */
export type ActorName =
  | 'command_line'
  | 'daily_training'
  | 'first_start'
  | 'settings'
  | 'webhook_worker'
  | 'erasure_worker';
export const actor = (name: ActorName, tenant: number): Actor => ({ keyId: name, tenant, role: 'admin' });

interface AuditDeps {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly clock: () => number;
  /** Absent in a command or thread that only writes entries: the serving process anchors them. */
  readonly anchors?: Anchors;
}

/** Reads an anchor that an operator stored: the number and the hash of an entry. */
export const positionOf = (anchor: string): Position => {
  const [number, hash] = anchor.split(':') as [string, string];
  return { number: Number(number), hash };
};

export const toEntry = (row: AuditRow): AuditEntry => ({
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

/** Evidence of the secret key: whether the newest entry of any tenant was signed with it. */
export const signedHeads = async (backend: Backend, seal: Seal): Promise<boolean | undefined> => {
  const heads = await headsAfter(backend, -1, PAGE_ROWS);
  return heads.length === 0 ? undefined : heads.some((head) => isGenuine(seal, head.tenant, head));
};

/** Signs the heads of all tenants with the current version of the data key. A forged head stays as it is. */
export const resignHeads = async (backend: Backend, seal: Seal): Promise<void> => {
  for (let after = -1; ; ) {
    const heads = await headsAfter(backend, after, PAGE_ROWS);
    const genuine = heads.filter((head) => isGenuine(seal, head.tenant, head));
    await backend.write(genuine.map((head) => replaceSeal(head.tenant, head, sealOf(seal, head.tenant, head))));
    after = heads.at(-1)?.tenant ?? after;
    if (heads.length < PAGE_ROWS) return;
  }
};

interface Linked {
  readonly tenant: number;
  readonly unit: Unit;
  /** The entry, if it continues the chain. */
  readonly position: Position | undefined;
}

/** The next entry. Its number is above every number ever used, so that removed or inserted entries stay visible. */
const link = async (
  { backend, seal, clock, anchors }: AuditDeps,
  by: Actor,
  { action, target, before, after }: Change,
  /** `previous` of an entry that accepts the rows as they were found. */
  found?: string,
): Promise<Linked> => {
  const { tenant } = by;
  const { head, newest } = await readNewest(backend, tenant);
  const known = anchors?.of(tenant)?.number ?? 0;
  const entry = {
    number: Math.max(head?.number ?? 0, newest, known) + 1,
    at: clock(),
    key_id: authorOf(by),
    role: by.role,
    action,
    target,
    before: JSON.stringify(before),
    after: JSON.stringify(after),
  };
  const isTrusted =
    head === undefined ? newest === 0 && known === 0 : isGenuine(seal, tenant, head) && head.number >= known;
  // A head that is forged, missing beside entries, or older than one known before, is never repaired: a repair would
  // hide the forgery.
  if (!isTrusted && found === undefined)
    return {
      tenant,
      unit: [insertEntry(tenant, { ...entry, hash: hashOf(seal, tenant, NO_ENTRY, entry) })],
      position: undefined,
    };
  const hash = hashOf(seal, tenant, found ?? head?.hash ?? NO_ENTRY, entry);
  const position = { number: entry.number, hash };
  const next = { ...position, seal: sealOf(seal, tenant, position) };
  const newHead = found === undefined ? putHead(tenant, head?.number, next) : replaceHead(tenant, next);
  return { tenant, unit: [newHead, insertEntry(tenant, { ...entry, hash })], position };
};

/** The names of the people who make changes. */
export interface Names {
  /** E-mail addresses, by `person_…`. */
  readonly namesOf: (account: string, authors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The `person_…` of an e-mail address; undefined if the account has nobody with it. */
  readonly authorOf: (account: string, email: string) => Promise<string | undefined>;
}

/** The filter for an action, or for all actions of a kind. */
const actionFilter = (action: string | undefined): Pick<AuditFilter, 'action' | 'kind'> =>
  action === undefined || action.includes('.') ? { action } : { kind: `${action.replaceAll('_', '!_')}.%` };

const listAudit = async (backend: Backend, call: Call<'listAudit'>, names: Names): Promise<Answer> => {
  const { limit = DEFAULT_LIMIT, before, target, actor: by, action, from, until } = call.query;
  const { tenant, account } = call.caller;
  const filter: AuditFilter = {
    ...{ target, before, ...actionFilter(action) },
    // A name of nobody finds nothing: no entry has an e-mail address as its key.
    keyId: by?.includes('@') ? ((await names.authorOf(account, by)) ?? by) : by,
    from: from === undefined ? undefined : readTimestamp(from),
    until: until === undefined ? undefined : readTimestamp(until),
  };
  const { rows, hasMore } = await listEntries(backend, tenant, filter, limit);
  const people = await names.namesOf(
    account,
    rows.map(({ key_id }) => key_id),
  );
  const list: AuditList = {
    entries: rows.map((row) => ({ ...toEntry(row), person: people.get(row.key_id) ?? null })),
    has_more: hasMore,
  };
  return call.answer(list);
};

/** A hash chain of changes. The hash of each entry covers the one before, so tampering is detected. */
export const makeAudit = (deps: AuditDeps) => {
  const { backend, anchors } = deps;
  const inTurn = serializeByKey<number>();
  const listeners: ((tenant: number) => void)[] = [];

  const writeLinked = async (entries: readonly Linked[], change: Unit): Promise<Outcome> => {
    const outcome = await backend.write([...change, ...entries.flatMap(({ unit }) => unit)]);
    if (!outcome.written) return outcome;
    for (const { tenant, position } of entries) {
      if (position !== undefined) anchors?.learn(tenant, position);
      for (const listener of listeners) listener(tenant);
    }
    return outcome;
  };

  /** Writes a change that concerns several tenants, with an entry in the log of each, in one transaction. */
  const writeAll = (actors: readonly Actor[], change: Change, unit: Unit): Promise<Outcome> => {
    const write = async (): Promise<Outcome> => {
      for (;;) {
        const outcome = await writeLinked(await Promise.all(actors.map((by) => link(deps, by, change))), unit);
        // Otherwise another process wrote an entry first. Retry with its entry as the previous one.
        if (outcome.written || outcome.refused < unit.length) return outcome;
      }
    };
    // The turns of tenants are taken in one order, so that two changes never wait for each other.
    const inOrder = [...actors].sort((a, b) => b.tenant - a.tenant);
    return inOrder.reduce(
      (task, { tenant }) =>
        () =>
          inTurn(tenant, task),
      write,
    )();
  };

  const checkTenant = async (tenant: number, exported?: Position): Promise<ChainCheck> => {
    const outside = await anchors?.read();
    const positions = [anchors?.of(tenant), exported].filter((one) => one !== undefined);
    const result = await checkChain(deps, tenant, positions);
    if (result.problem !== undefined || anchors?.hasRead() !== false) return result;
    const isLost = outside?.state === 'missing' || outside?.state === 'forged';
    return isLost ? { ...result, problem: { finding: `anchor_${outside.state}`, brokenAt: null } } : result;
  };

  /** A check reads the whole log, so those who ask for the same one share it. The key is the tenant and the anchor. */
  const shareChecks = shareRuns((key) => {
    const [tenant, anchor] = key.split(' ');
    return checkTenant(Number(tenant), anchor === '' ? undefined : positionOf(anchor as string));
  });

  /** Writes an entry that accepts the log as it is. Returns what was wrong with it; undefined if nothing was. */
  const accept = async (tenant: number, reason: string): Promise<Finding | undefined> => {
    for (;;) {
      const { problem, found } = await checkTenant(tenant);
      if (problem === undefined) return undefined;
      const change = {
        action: ACCEPTED,
        target: 'audit',
        before: { finding: problem.finding, broken_at: problem.brokenAt },
        after: { reason },
      };
      const linked = await link(deps, actor('command_line', tenant), change, found);
      // Refused if another entry was written since the check: check that one too.
      if ((await writeLinked([linked], [])).written) return problem;
    }
  };

  return {
    /** Writes a change and its entry in one transaction. Returns the outcome of the change. */
    write: (by: Actor, change: Change, unit: Unit): Promise<Outcome> => writeAll([by], change, unit),
    writeAll,
    /** Calls the listener after each entry that this process wrote. */
    onWrite: (listener: (tenant: number) => void): void => void listeners.push(listener),
    checkTenant,
    accept,
    /** The newest entries about a target. */
    of: (tenant: number, target: string, limit: number): Promise<Page<AuditRow>> =>
      listEntries(backend, tenant, { target }, limit),
    list: (call: Call<'listAudit'>, names: Names): Promise<Answer> => listAudit(backend, call, names),
    check: async (call: Call<'checkAudit'>): Promise<Answer> => {
      const { anchor = '' } = call.query;
      return call.answer(toAuditCheck(await shareChecks(`${call.caller.tenant} ${anchor}`)));
    },
  };
};
export type Audit = ReturnType<typeof makeAudit>;
