import type { Backend, Page, Statement, Value } from '../backend/backend.ts';

export interface PolicyRow {
  readonly tenant: number;
  readonly version: number;
  /** JSON, like `points` and `rules`: thresholds by subject type, points by signal, the rules in force. */
  readonly thresholds: string;
  readonly points: string;
  readonly rules: string;
  /** JSON: the budget by subject type, without types that have none. Null in rows of before. */
  readonly budget: string | null;
  readonly author: string | null;
  readonly created_at: number;
}

const COLUMNS = 'tenant, version, thresholds, points, rules, budget, author, created_at';

/** The newest version of each tenant. */
export const newestPolicies = (backend: Backend): Promise<PolicyRow[]> =>
  backend.read<PolicyRow>(
    `SELECT ${COLUMNS} FROM policies p WHERE version = (SELECT MAX(version) FROM policies WHERE tenant = p.tenant)`,
  );

export const policyVersions = (
  backend: Backend,
  tenant: number,
  before: number | undefined,
  limit: number,
): Promise<Page<PolicyRow>> => {
  const params: Value[] = before === undefined ? [tenant] : [tenant, before];
  return backend.readPage<PolicyRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM policies WHERE tenant = ?${before === undefined ? '' : ' AND version < ?'} ORDER BY version DESC`,
    ...params,
  );
};

export const findPolicy = async (backend: Backend, tenant: number, version: number): Promise<PolicyRow | undefined> =>
  (
    await backend.read<PolicyRow>(`SELECT ${COLUMNS} FROM policies WHERE tenant = ? AND version = ?`, tenant, version)
  )[0];

/** Refused when another process stored the same version first. */
export const insertPolicy = (row: PolicyRow): Statement => ({
  sql: `INSERT INTO policies (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM policies WHERE tenant = ? AND version >= ?)`,
  params: [
    row.tenant,
    row.version,
    row.thresholds,
    row.points,
    row.rules,
    row.budget,
    row.author,
    row.created_at,
    row.tenant,
    row.version,
  ],
  expect: 1,
});
