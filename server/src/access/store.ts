import type { Environment, Role } from '@portcullis/contract';
import type { Backend, Statement } from '../backend/backend.ts';

export interface KeyRow {
  readonly id: string;
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
  readonly hash: string;
  readonly role: Role;
  readonly label: string | null;
  readonly hint: string;
  readonly rate_limit_per_minute: number | null;
  readonly from_settings: number;
  readonly created_at: number;
}

const COLUMNS = `k.id, k.tenant, t.account, t.environment, k.hash, k.role, k.label, k.hint, k.rate_limit_per_minute,
  k.from_settings, k.created_at`;
const FROM = 'FROM api_keys k JOIN tenants t ON t.tenant = k.tenant WHERE k.revoked_at IS NULL';

export const keyByHash = async (backend: Backend, hash: string): Promise<KeyRow | undefined> =>
  (await backend.read<KeyRow>(`SELECT ${COLUMNS} ${FROM} AND k.hash = ?`, hash))[0];

export const keysOfTenant = (backend: Backend, tenant: number): Promise<KeyRow[]> =>
  backend.read<KeyRow>(`SELECT ${COLUMNS} ${FROM} AND k.tenant = ? ORDER BY k.id`, tenant);

export const allKeys = (backend: Backend): Promise<KeyRow[]> =>
  backend.read<KeyRow>(`SELECT ${COLUMNS} ${FROM} ORDER BY t.account, t.environment, k.id`);

export const insertKey = (key: Omit<KeyRow, 'account' | 'environment'>): Statement => ({
  sql: `INSERT INTO api_keys (id, tenant, hash, role, label, hint, rate_limit_per_minute, from_settings, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL`,
  params: [
    key.id,
    key.tenant,
    key.hash,
    key.role,
    key.label,
    key.hint,
    key.rate_limit_per_minute,
    key.from_settings,
    key.created_at,
  ],
});

export const revokeKey = (tenant: number, id: string, now: number): Statement => ({
  sql: 'UPDATE api_keys SET revoked_at = ? WHERE tenant = ? AND id = ? AND revoked_at IS NULL',
  params: [now, tenant, id],
  expect: 1,
});

const TENANT = 'SELECT tenant FROM tenants WHERE account = ? AND environment = ?';

export const findTenant = async (
  backend: Backend,
  account: string,
  environment: Environment,
): Promise<number | undefined> => (await backend.read<{ tenant: number }>(TENANT, account, environment))[0]?.tenant;

/** The number of an account in an environment, given out on first use. */
export const tenantOf = async (backend: Backend, account: string, environment: Environment): Promise<number> => {
  await backend.write([
    {
      sql: 'INSERT INTO tenants (account, environment) VALUES (?, ?) ON CONFLICT DO NOTHING',
      params: [account, environment],
    },
  ]);
  return (await findTenant(backend, account, environment)) as number;
};
