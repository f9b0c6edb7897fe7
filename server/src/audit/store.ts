import { type Backend, NO_TENANT, type Page, type Statement } from '../backend/backend.ts';
import { allOf, ifGiven } from '../backend/conditions.ts';

export interface AuditRow {
  readonly number: number;
  readonly at: number;
  readonly key_id: string;
  readonly role: string;
  readonly action: string;
  readonly target: string;
  /** JSON. */
  readonly before: string;
  readonly after: string;
  readonly hash: string;
  /** Proves that the entry continued its log before a person was taken out of it; null in other entries. */
  readonly erased: string | null;
}
/** An entry as it is written. */
export type NewAuditRow = Omit<AuditRow, 'erased'>;

/** The number and hash of the newest entry, sealed when it was written. */
export interface Head {
  readonly number: number;
  readonly hash: string;
  readonly seal: string;
}

const WRITTEN = 'number, at, key_id, role, action, target, before, after, hash';
const COLUMNS = `${WRITTEN}, erased`;

/** Refused when another process wrote an entry after the same head. */
export const putHead = (tenant: number, before: number | undefined, { number, hash, seal }: Head): Statement =>
  before === undefined
    ? {
        sql: 'INSERT INTO audit_heads (tenant, number, hash, seal) VALUES (?, ?, ?, ?) ON CONFLICT (tenant) DO NOTHING',
        params: [tenant, number, hash, seal],
        expect: 1,
      }
    : {
        sql: 'UPDATE audit_heads SET number = ?, hash = ?, seal = ? WHERE tenant = ? AND number = ?',
        params: [number, hash, seal, tenant, before],
        expect: 1,
      };

export const findHead = async (backend: Backend, tenant: number): Promise<Head | undefined> =>
  (await backend.read<Head>('SELECT number, hash, seal FROM audit_heads WHERE tenant = ?', tenant))[0];

/** Heads of the tenants after a number. */
export const headsAfter = (
  backend: Backend,
  tenant: number,
  limit: number,
): Promise<(Head & { readonly tenant: number })[]> =>
  backend.read(
    'SELECT tenant, number, hash, seal FROM audit_heads WHERE tenant > ? ORDER BY tenant LIMIT ?',
    tenant,
    limit,
  );

/** Stores another seal of the same head. Writes nothing if an entry was added since. */
export const replaceSeal = (tenant: number, before: Head, seal: string): Statement => ({
  sql: 'UPDATE audit_heads SET seal = ? WHERE tenant = ? AND number = ? AND seal = ?',
  params: [seal, tenant, before.number, before.seal],
});

/** Replaces the head whatever it is. */
export const replaceHead = (tenant: number, { number, hash, seal }: Head): Statement => ({
  sql: `INSERT INTO audit_heads (tenant, number, hash, seal) VALUES (?, ?, ?, ?)
    ON CONFLICT (tenant) DO UPDATE SET number = excluded.number, hash = excluded.hash, seal = excluded.seal`,
  params: [tenant, number, hash, seal],
});

/** A head with the hash of the entry it names; null if that entry is missing. */
export interface HeadWithEntry extends Head {
  readonly tenant: number;
  readonly entry: string | null;
}
export const allHeads = (backend: Backend): Promise<HeadWithEntry[]> =>
  backend.readLong<HeadWithEntry>(
    NO_TENANT,
    `SELECT h.tenant, h.number, h.hash, h.seal, a.hash AS entry
      FROM audit_heads h LEFT JOIN audit a ON a.tenant = h.tenant AND a.number = h.number`,
  );

/** Tenants that have entries or a head, even after one of the two was deleted. */
export const auditedTenants = async (backend: Backend): Promise<number[]> =>
  (
    await backend.readLong<{ tenant: number }>(
      NO_TENANT,
      'SELECT tenant FROM audit_heads UNION SELECT tenant FROM audit ORDER BY 1',
    )
  ).map(({ tenant }) => tenant);

/** Whether an anchor was ever written to a place. */
export const hasAnchored = async (backend: Backend, place: string): Promise<boolean> =>
  (await backend.read('SELECT 1 FROM audit_anchors WHERE place = ?', place)).length > 0;

export const insertAnchored = (place: string, at: number): Statement => ({
  sql: 'INSERT INTO audit_anchors (place, created_at) VALUES (?, ?) ON CONFLICT (place) DO NOTHING',
  params: [place, at],
});

/** A log with entries that were not handed over to a destination. */
export interface LogBehind {
  readonly tenant: number;
  /** The number of the last entry handed over; null before the first. */
  readonly through: number | null;
  /** How many entries follow it. */
  readonly behind: number;
}
/**
 * Finds the tenants by their entries, not by their heads: deleting a head must not stop the stream. The recursion reads
 * one row per tenant, where DISTINCT would read the whole log.
 */
export const logsBehind = (backend: Backend, destination: string): Promise<LogBehind[]> =>
  backend.readLong<LogBehind>(
    NO_TENANT,
    `WITH RECURSIVE logs (tenant) AS (
        SELECT MIN(tenant) FROM audit
        UNION ALL
        SELECT (SELECT MIN(a.tenant) FROM audit a WHERE a.tenant > logs.tenant) FROM logs WHERE logs.tenant IS NOT NULL
      ), counts AS (
        SELECT logs.tenant, s.number AS through,
          (SELECT COUNT(*) FROM audit a WHERE a.tenant = logs.tenant AND a.number > COALESCE(s.number, 0)) AS behind
        FROM logs LEFT JOIN audit_streamed s ON s.tenant = logs.tenant AND s.destination = ?
      )
      SELECT tenant, through, behind FROM counts WHERE behind > 0 ORDER BY tenant`,
    destination,
  );

/** Refused when another process handed over entries after the same one: the position never moves backwards. */
export const advanceStreamed = (
  destination: string,
  { tenant, through }: Pick<LogBehind, 'tenant' | 'through'>,
  number: number,
): Statement =>
  through === null
    ? {
        sql: `INSERT INTO audit_streamed (destination, tenant, number) VALUES (?, ?, ?)
          ON CONFLICT (destination, tenant) DO NOTHING`,
        params: [destination, tenant, number],
        expect: 1,
      }
    : {
        sql: 'UPDATE audit_streamed SET number = ? WHERE destination = ? AND tenant = ? AND number = ?',
        params: [number, destination, tenant, through],
        expect: 1,
      };

/** The hashes of the entries with a number, and of the entries before them, in the logs of other tenants. */
export const hashesOfOthers = (
  backend: Backend,
  tenant: number,
  number: number,
): Promise<{ readonly tenant: number; readonly previous: string | null; readonly hash: string | null }[]> =>
  backend.readLong(
    tenant,
    `SELECT h.tenant, p.hash AS previous, a.hash FROM audit_heads h
      LEFT JOIN audit p ON p.tenant = h.tenant AND p.number = ?
      LEFT JOIN audit a ON a.tenant = h.tenant AND a.number = ? WHERE h.tenant <> ? LIMIT 1000`,
    number - 1,
    number,
    tenant,
  );

export const insertEntry = (tenant: number, row: NewAuditRow): Statement => ({
  sql: `INSERT INTO audit (tenant, ${WRITTEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, number) DO NOTHING`,
  params: [tenant, row.number, row.at, row.key_id, row.role, row.action, row.target, row.before, row.after, row.hash],
  expect: 1,
});

/**
 * The head and the number of the newest entry, in one read. With two reads, an entry written by another process in
 * between would look like an inserted one.
 */
export const readNewest = async (
  backend: Backend,
  tenant: number,
): Promise<{ readonly head: Head | undefined; readonly newest: number }> => {
  const [row] = await backend.read<Record<keyof Head, never> & { readonly newest: number | null }>(
    `SELECT h.number, h.hash, h.seal, (SELECT MAX(number) FROM audit WHERE tenant = ?) AS newest
      FROM (SELECT 1) AS here LEFT JOIN audit_heads h ON h.tenant = ?`,
    tenant,
    tenant,
  );
  const { number, hash, seal, newest } = row as NonNullable<typeof row>;
  return { head: number === null ? undefined : { number, hash, seal }, newest: newest ?? 0 };
};

export interface AuditFilter {
  readonly target?: string | undefined;
  readonly before?: number | undefined;
  readonly keyId?: string | undefined;
  readonly action?: string | undefined;
  /** The pattern of the actions of a kind. */
  readonly kind?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}
const CONDITIONS: Readonly<Record<keyof AuditFilter, string>> = {
  target: 'target = ?',
  before: 'number < ?',
  keyId: 'key_id = ?',
  action: 'action = ?',
  kind: "action LIKE ? ESCAPE '!'",
  from: 'at >= ?',
  until: 'at < ?',
};

export const listEntries = (
  backend: Backend,
  tenant: number,
  filter: AuditFilter,
  limit: number,
): Promise<Page<AuditRow>> => {
  const asked = Object.entries(CONDITIONS) as [keyof AuditFilter, string][];
  const { text, params } = allOf([
    { text: 'tenant = ?', params: [tenant] },
    ...asked.flatMap(([name, condition]) => ifGiven(condition, filter[name])),
  ]);
  return backend.readPage<AuditRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM audit WHERE ${text} ORDER BY number DESC`,
    ...params,
  );
};

/** Entries after a number, in order. */
export const entriesAfter = (backend: Backend, tenant: number, after: number, limit: number): Promise<Page<AuditRow>> =>
  backend.readPage<AuditRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM audit WHERE tenant = ? AND number > ? ORDER BY number`,
    tenant,
    after,
  );

/** Replaces the values of an entry. */
export const replaceValues = (
  tenant: number,
  { number, hash, before, after, erased }: Pick<AuditRow, 'number' | 'hash' | 'before' | 'after' | 'erased'>,
): Statement => ({
  sql: 'UPDATE audit SET before = ?, after = ?, erased = ? WHERE tenant = ? AND number = ? AND hash = ?',
  params: [before, after, erased, tenant, number, hash],
});
