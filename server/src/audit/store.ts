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
  readonly hash: string | null;
}

const COLUMNS = 'number, at, key_id, role, action, target, before, after, hash';

/** The number is made where the row is: whatever commits next is the next. */
export const insertEntry = (tenant: number, row: Omit<AuditRow, 'number' | 'hash'>): Statement => ({
  sql: `INSERT INTO audit (tenant, ${COLUMNS})
    SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, NULL FROM audit WHERE tenant = ?`,
  params: [tenant, row.at, row.key_id, row.role, row.action, row.target, row.before, row.after, tenant],
});

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

export const firstUnsealed = async (backend: Backend, tenant: number): Promise<number | undefined> =>
  (
    await backend.read<{ number: number | null }>(
      'SELECT MIN(number) AS number FROM audit WHERE tenant = ? AND hash IS NULL',
      tenant,
    )
  )[0]?.number ?? undefined;

export const unsealedTenants = async (backend: Backend): Promise<number[]> =>
  (await backend.read<{ tenant: number }>('SELECT DISTINCT tenant FROM audit WHERE hash IS NULL')).map(
    ({ tenant }) => tenant,
  );

export const sealEntry = (tenant: number, number: number, hash: string): Statement => ({
  sql: 'UPDATE audit SET hash = ? WHERE tenant = ? AND number = ? AND hash IS NULL',
  params: [hash, tenant, number],
});
