import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Anchors, Outside } from './anchors.ts';
import type { Audit } from './audit.ts';
import { continues, isGenuine, NO_ENTRY, type Position } from './chain.ts';
import { type ChainCheck, toAuditCheck } from './check.ts';
import { allHeads, auditedTenants, entriesAfter, type HeadWithEntry } from './store.ts';

/** Entries of other processes and of commands are anchored this soon, and tampering with a head is noticed. */
const ROUND_MS = 60_000;
/** Shortest time between two anchors: many changes at once share one. */
const MIN_MS = 1000;
/** Every entry of every tenant is verified at the start and this often. */
const FULL_MS = 24 * 3_600_000;
/** Entries verified in one turn of the event loop. */
const PAGE_ROWS = 100;

interface WatchDeps {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly audit: Pick<Audit, 'checkTenant' | 'onWrite'>;
  readonly anchors: Anchors;
  /** The account and environment of a tenant, for the log. */
  readonly ownerOf: (tenant: number) => Promise<object | undefined>;
  readonly runsJobs: boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'gauge'>;
}

interface WatchState extends WatchDeps {
  /** What is wrong with the log of each tenant. */
  readonly findings: Map<number, string>;
  /** What is wrong with the anchor, which holds all tenants. */
  anchorFinding: 'missing' | 'forged' | undefined;
}

/** Whether the entries after `from` continue it up to the head. */
const reachesHead = async (
  { backend, seal }: WatchState,
  tenant: number,
  from: Position | undefined,
  head: Position,
): Promise<boolean> => {
  let { number, hash } = from ?? { number: 0, hash: NO_ENTRY };
  while (number < head.number) {
    const { rows } = await entriesAfter(backend, tenant, number, PAGE_ROWS);
    if (rows.length === 0) return false;
    for (const row of rows) {
      if (row.number !== number + 1 || !continues(seal, tenant, hash, row)) return false;
      if (row.number === head.number) return row.hash === head.hash;
      ({ number, hash } = row);
    }
  }
  return head.number === number && head.hash === hash;
};

/** The head of a tenant if it continues the newest entry known of it; undefined if something is wrong. */
const verifiedHead = async (state: WatchState, head: HeadWithEntry): Promise<Position | undefined> => {
  const { tenant, number, hash, entry } = head;
  if (entry !== hash || !isGenuine(state.seal, tenant, head)) return undefined;
  return (await reachesHead(state, tenant, state.anchors.of(tenant), head)) ? { number, hash } : undefined;
};

/** Logs a finding once, and again when it changes or ends. */
const report = async (state: WatchState, tenant: number, result: ChainCheck): Promise<void> => {
  const { findings, log, ownerOf } = state;
  const { finding, broken_at, message } = toAuditCheck(result);
  const before = findings.get(tenant);
  if (finding === null) {
    findings.delete(tenant);
    if (before !== undefined) log.info({ ...(await ownerOf(tenant)) }, 'audit log intact again');
    return;
  }
  const now = `${finding} ${broken_at}`;
  if (before === now) return;
  findings.set(tenant, now);
  log.error({ ...(await ownerOf(tenant)), finding, broken_at, reason: message }, 'audit log not intact');
};

/**
 * Handles an anchor that is missing or forged. Returns whether it can be written again: this process has read it
 * before, so nothing is lost. A process that has not must leave it to an operator.
 */
const canRestore = (state: WatchState, lost: 'missing' | 'forged'): boolean => {
  const { anchors, log } = state;
  if (anchors.hasRead()) log.error({ anchor: lost }, 'audit anchor lost or forged; written again from memory');
  else if (state.anchorFinding !== lost)
    log.error(
      { anchor: lost },
      'audit anchor lost or forged; compare the logs with an exported anchor, then run: portcullis audit accept',
    );
  state.anchorFinding = anchors.hasRead() ? undefined : lost;
  return anchors.hasRead();
};

const isSame = (heads: Outside['heads'], next: Outside['heads']): boolean =>
  heads.size === next.size && [...next].every(([tenant, { hash }]) => heads.get(tenant)?.hash === hash);

/** Verifies new entries and anchors them. With `all`, verifies every entry. */
const runRound = async (state: WatchState, all: boolean): Promise<void> => {
  const { backend, audit, anchors, findings } = state;
  const outside = await anchors.read();
  const next = new Map(outside.heads);
  const suspects = new Set([...findings.keys(), ...anchors.tenants()]);
  for (const head of await allHeads(backend)) {
    const verified = await verifiedHead(state, head);
    if (verified === undefined) suspects.add(head.tenant);
    else {
      next.set(head.tenant, verified);
      if (!findings.has(head.tenant)) suspects.delete(head.tenant);
    }
  }
  if (all) for (const tenant of await auditedTenants(backend)) suspects.add(tenant);
  for (const tenant of suspects) {
    const checked = await audit.checkTenant(tenant);
    // A finding about the anchor concerns all tenants, and is reported once.
    const result = checked.problem?.brokenAt === null ? { ...checked, problem: undefined } : checked;
    await report(state, tenant, result);
    // The anchor is evidence against a log that is not intact, so it stays as it is.
    const position = result.problem === undefined ? result.last : anchors.of(tenant);
    if (position !== undefined && position.number > 0) next.set(tenant, position);
  }
  if (outside.state === 'missing' || outside.state === 'forged') {
    if (!canRestore(state, outside.state)) return;
  } else state.anchorFinding = undefined;
  if (outside.state === 'genuine' && isSame(outside.heads, next)) return;
  await anchors.write(next);
  for (const [tenant, position] of next) anchors.learn(tenant, position);
};

/** Anchors the audit logs outside the database, and reports logs that were tampered with. */
export const makeAuditWatch = (deps: WatchDeps) => {
  const { audit, log, metrics, runsJobs } = deps;
  const state: WatchState = { ...deps, findings: new Map(), anchorFinding: undefined };
  metrics.gauge(
    'portcullis_audit_intact',
    'Whether every audit log and the anchor were intact when last verified.',
    () => Number(state.findings.size === 0 && state.anchorFinding === undefined),
  );
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Whether entries wait to be anchored. */
  let isDue = false;
  let hasFailed = false;
  let isStopped = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  let fullAt = Number.NEGATIVE_INFINITY;

  const verify = async (): Promise<void> => {
    isDue = false;
    startedAt = performance.now();
    const all = runsJobs && startedAt - fullAt >= FULL_MS;
    try {
      await runRound(state, all);
      if (all) fullAt = startedAt;
      hasFailed = false;
    } catch (error) {
      isDue = true;
      hasFailed = true;
      log.warn({ err: error }, 'audit logs could not be verified and anchored; retrying in a minute');
    }
  };
  const schedule = (afterMs: number): void => {
    if (isStopped || running !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(run, afterMs);
    timer.unref();
  };
  const run = (): Promise<void> => {
    clearTimeout(timer);
    running = verify().finally(() => {
      running = undefined;
      schedule(isDue && !hasFailed ? MIN_MS : ROUND_MS);
    });
    return running;
  };
  /** Verifies and anchors at once. */
  const round = async (): Promise<void> => {
    while (running !== undefined) await running;
    await run();
  };
  audit.onWrite(() => {
    if (isDue) return;
    isDue = true;
    schedule(Math.max(0, startedAt + MIN_MS - performance.now()));
  });
  return {
    round,
    start: (): void => schedule(0),
    /** Anchors the last entries. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      await running;
      if (isDue) await round();
    },
  };
};
