import type { AuditCheck, AuditFinding } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import { ACCEPTED, addAsFound, continues, continuesLive, isGenuine, NO_ENTRY, type Position } from './chain.ts';
import { nameBreak } from './name-break.ts';
import { type AuditRow, entriesAfter, findHead, type Head } from './store.ts';

/** Entries checked in one turn of the event loop. */
const PAGE_ROWS = 100;

interface CheckDeps {
  readonly backend: Backend;
  readonly seal: Seal;
}

/** The log of a tenant, with all that its entries are compared with. */
interface Log extends CheckDeps {
  readonly tenant: number;
  readonly head: Head | undefined;
  readonly anchors: readonly Position[];
}

/** A break that an operator accepted, and the entry that says so. */
interface Accepted {
  readonly number: number;
  readonly broken_at: number;
}

interface Scan {
  /** The newest entry that continues the chain. */
  last: Position;
  /** The first row that does not. */
  broken: AuditRow | undefined;
  /** The hash of `last`. After a break it also covers each row as it was found. */
  found: string;
  readonly accepted: Accepted[];
  /** Numbers of anchors whose entry has another hash. */
  readonly differing: number[];
}

export interface Finding {
  readonly finding: AuditFinding;
  readonly brokenAt: number | null;
}

export interface ChainCheck {
  readonly last: Position;
  readonly problem: Finding | undefined;
  readonly accepted: readonly Accepted[];
  /** The `previous` of an entry that accepts the rows as they were found. */
  readonly found: string;
}

const addRow = (scan: Scan, { seal, tenant, head, anchors }: Log, row: AuditRow): void => {
  // Only entries that the head covers may have been signed with a retired key.
  const isContinuing = row.number > (head?.number ?? 0) ? continuesLive : continues;
  const isNext = scan.broken === undefined && row.number === scan.last.number + 1;
  const isAccepting = row.action === ACCEPTED;
  if (!((isNext || isAccepting) && isContinuing(seal, tenant, scan.found, row))) {
    scan.broken ??= row;
    scan.found = addAsFound(tenant, scan.found, row);
    return;
  }
  if (isAccepting) {
    const { broken_at } = JSON.parse(row.before) as { broken_at: number | null };
    scan.accepted.push({ number: row.number, broken_at: broken_at ?? row.number });
    scan.broken = undefined;
  }
  if (anchors.some(({ number, hash }) => number === row.number && hash !== row.hash)) scan.differing.push(row.number);
  scan.last = { number: row.number, hash: row.hash };
  scan.found = row.hash;
};

const scanRows = async (log: Log): Promise<Scan> => {
  const scan: Scan = {
    last: { number: 0, hash: NO_ENTRY },
    broken: undefined,
    found: NO_ENTRY,
    accepted: [],
    differing: [],
  };
  for (let after = 0; ; ) {
    const { rows, hasMore } = await entriesAfter(log.backend, log.tenant, after, PAGE_ROWS);
    for (const row of rows) addRow(scan, log, row);
    if (!hasMore) return scan;
    after = (rows.at(-1) as AuditRow).number;
  }
};

/**
 * What is wrong with the end of a chain that has no break; undefined if it is complete. Rows are missing if the head
 * `before` they were read is ahead of them. The `head` read after them may be ahead, because entries go on being
 * written.
 */
const checkEnd = (
  scan: Scan,
  before: Head | undefined,
  head: Head | undefined,
  genuine: boolean,
  anchors: readonly Position[],
) => {
  const { number } = scan.last;
  const cutOff = (finding: AuditFinding): Finding => ({
    finding: number === 0 ? 'emptied' : finding,
    brokenAt: number + 1,
  });
  const isAccepted = (at: number): boolean => scan.accepted.some((one) => at >= one.broken_at && at < one.number);
  const missing = anchors.some((anchor) => anchor.number > number && !isAccepted(anchor.number));
  if (head === undefined && number === 0 && !missing) return undefined;
  if (head === undefined || !genuine) return cutOff(missing ? 'truncated' : 'head_forged');
  if (before !== undefined && before.number > number) return cutOff('truncated');
  if (head.number < number) return cutOff('head_forged');
  if (missing) return cutOff('rolled_back');
  const brokenAt = scan.differing.find((at) => !isAccepted(at));
  return brokenAt === undefined ? undefined : { finding: 'rolled_back' as const, brokenAt };
};

/**
 * Verifies the chain of a tenant from its first entry, its head, and the anchors. Read the anchors before this runs:
 * entries may be written while it reads.
 */
export const checkChain = async (
  deps: CheckDeps,
  tenant: number,
  anchors: readonly Position[],
): Promise<ChainCheck> => {
  const before = await findHead(deps.backend, tenant);
  const scan = await scanRows({ ...deps, tenant, head: before, anchors });
  // Entries may have been written while the rows were read. The head moves with them.
  const isBehind = (before?.number ?? 0) < scan.last.number;
  const head = isBehind ? await findHead(deps.backend, tenant) : before;
  const genuine = head !== undefined && isGenuine(deps.seal, tenant, head);
  const { last, broken, accepted, found } = scan;
  if (broken === undefined) return { last, problem: checkEnd(scan, before, head, genuine, anchors), accepted, found };
  const finding = await nameBreak({ ...deps, tenant }, broken, last, genuine ? head : undefined);
  return { last, problem: { finding, brokenAt: last.number + 1 }, accepted, found };
};

const MESSAGES: Readonly<Record<AuditFinding, (at: number | null) => string>> = {
  changed: (at) => `Entry ${at} was changed.`,
  inserted: (at) => `Entry ${at} was not written by the service.`,
  removed: (at) => `Entries from ${at} on were removed, and later ones are left.`,
  reordered: (at) => `Entry ${at} has the content of another entry of this log.`,
  from_another_account: (at) => `Entry ${at} belongs to another account or environment.`,
  truncated: (at) => `Entries from ${at} on are missing.`,
  emptied: () => 'All entries are missing.',
  rolled_back: (at) => `The log is an older copy: entry ${at}, which was anchored, is missing or differs.`,
  head_forged: () => 'The record of the newest entry is missing or forged, so entries may be missing.',
  anchor_missing: () => 'The anchor outside the database is missing, so an older copy of the log cannot be detected.',
  anchor_forged: () => 'The anchor outside the database is damaged or forged.',
};

export const toAuditCheck = ({ last, problem, accepted }: ChainCheck): AuditCheck => ({
  intact: problem === undefined,
  entries: problem?.brokenAt ?? last.number,
  broken_at: problem?.brokenAt ?? null,
  finding: problem?.finding ?? null,
  message: problem === undefined ? null : MESSAGES[problem.finding](problem.brokenAt),
  anchor: problem === undefined && last.number > 0 ? `${last.number}:${last.hash}` : null,
  accepted: [...accepted],
});
