import type { Backend, Statement, Value } from '../backend/backend.ts';

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
}

/** The newest entry, as it was when it was written. */
export interface Head {
  readonly number: number;
  readonly hash: string;
  readonly seal: string;
}

const COLUMNS = 'number, at, key_id, role, action, target, before, after, hash';

/** Refused to the second of two who go on from the same entry. */
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

export const insertEntry = (tenant: number, row: AuditRow): Statement => ({
  sql: `INSERT INTO audit (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, number) DO NOTHING`,
  params: [tenant, row.number, row.at, row.key_id, row.role, row.action, row.target, row.before, row.after, row.hash],
  expect: 1,
});

/** The head, and the number of the newest entry, as they are at one moment: read one after the other, what another process wrote in between would pass for slipped in. */
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

export const listEntries = (
  backend: Backend,
  tenant: number,
  { target, before }: { target: string | undefined; before: number | undefined },
  limit: number,
): Promise<AuditRow[]> => {
  const conditions = ['tenant = ?'];
  const params: Value[] = [tenant];
  if (target !== undefined) {
    conditions.push('target = ?');
    params.push(target);
  }
  if (before !== undefined) {
    conditions.push('number < ?');
    params.push(before);
  }
  return backend.read<AuditRow>(
    `SELECT ${COLUMNS} FROM audit WHERE ${conditions.join(' AND ')} ORDER BY number DESC LIMIT ?`,
    ...params,
    limit,
  );
};

/** In order, after a number. */
export const entriesAfter = (backend: Backend, tenant: number, after: number, limit: number): Promise<AuditRow[]> =>
  backend.read<AuditRow>(
    `SELECT ${COLUMNS} FROM audit WHERE tenant = ? AND number > ? ORDER BY number LIMIT ?`,
    tenant,
    after,
    limit,
  );
