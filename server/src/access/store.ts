import type { Environment, KeyRole } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

export interface KeyRow {
  readonly id: string;
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
  readonly hash: string;
  /** The version of the data key that the hash was made with, or last upgraded to. */
  readonly hash_version: number;
  readonly role: KeyRole;
  /** JSON array of the permissions of a restricted key. */
  readonly permissions: string | null;
  readonly label: string | null;
  readonly hint: string;
  readonly rate_limit_per_minute: number | null;
  readonly expires_at: number | null;
  /** JSON array of networks in canonical form. */
  readonly allowed_networks: string | null;
  readonly from_settings: number;
  readonly created_at: number;
  /** `key_…` or `person_…`; null in keys of earlier versions. */
  readonly made_by: string | null;
  readonly last_used_at: number | null;
}

const COLUMNS = `k.id, k.tenant, t.account, t.environment, k.hash, k.hash_version, k.role, k.permissions, k.label, k.hint,
  k.rate_limit_per_minute, k.expires_at, k.allowed_networks, k.from_settings, k.created_at, k.made_by, k.last_used_at`;
const ALL = 'FROM api_keys k JOIN tenants t ON t.tenant = k.tenant';
const FROM = `${ALL} WHERE k.revoked_at IS NULL`;

/** SQL of a condition: the column is one of so many parameters. */
const isOneOf = (column: string, count: number): string => `${column} IN (${Array(count).fill('?').join(', ')})`;

/** Finds a key by any of the hashes that it may have. */
export const keyByHashes = async (backend: Backend, hashes: readonly string[]): Promise<KeyRow | undefined> =>
  (await backend.read<KeyRow>(`SELECT ${COLUMNS} ${FROM} AND ${isOneOf('k.hash', hashes.length)}`, ...hashes))[0];

/** Makes a revoked key valid again. */
export const restoreKey = (id: string): Statement => ({
  sql: 'UPDATE api_keys SET revoked_at = NULL WHERE id = ?',
  params: [id],
});

/** Keys, also revoked ones, whose hash is of an older version of the data key. */
export const keysHashedBefore = (
  backend: Backend,
  version: number,
  limit: number,
): Promise<Pick<KeyRow, 'id' | 'hash' | 'hash_version'>[]> =>
  backend.read(
    'SELECT id, hash, hash_version FROM api_keys WHERE hash_version < ? ORDER BY id LIMIT ?',
    version,
    limit,
  );

export const replaceHash = (id: string, before: string, hash: string, version: number): Statement => ({
  sql: 'UPDATE api_keys SET hash = ?, hash_version = ? WHERE id = ? AND hash = ?',
  params: [hash, version, id, before],
});

/** Also a revoked key. */
export const anyKeyByHashes = async (backend: Backend, hashes: readonly string[]): Promise<KeyRow | undefined> =>
  (await backend.read<KeyRow>(`SELECT ${COLUMNS} ${ALL} WHERE ${isOneOf('k.hash', hashes.length)}`, ...hashes))[0];

export const findKey = async (backend: Backend, tenant: number, id: string): Promise<KeyRow | undefined> =>
  (await backend.read<KeyRow>(`SELECT ${COLUMNS} ${FROM} AND k.tenant = ? AND k.id = ?`, tenant, id))[0];

/** The hashes of all keys that are not revoked. */
export const activeHashes = async (backend: Backend): Promise<ReadonlySet<string>> => {
  const sql = 'SELECT hash FROM api_keys WHERE revoked_at IS NULL';
  const rows = await backend.readLong<{ hash: string }>(NO_TENANT, sql);
  return new Set(rows.map(({ hash }) => hash));
};

const NOT_EXPIRED = '(k.expires_at IS NULL OR k.expires_at > ?)';

/** The keys of a tenant that are neither revoked nor expired. */
export const activeKeys = (backend: Backend, tenant: number, now: number): Promise<KeyRow[]> => {
  const sql = `SELECT ${COLUMNS} ${FROM} AND k.tenant = ? AND ${NOT_EXPIRED} ORDER BY k.id`;
  return backend.readLong<KeyRow>(tenant, sql, tenant, now);
};

export const countActiveKeys = async (backend: Backend, tenant: number, now: number): Promise<number> => {
  const sql = `SELECT COUNT(*) AS count ${FROM} AND k.tenant = ? AND ${NOT_EXPIRED}`;
  return (await backend.readLong<{ count: number }>(tenant, sql, tenant, now))[0]?.count ?? 0;
};

/** The keys of all accounts that are not revoked. */
export const allKeys = (backend: Backend): Promise<KeyRow[]> =>
  backend.readLong<KeyRow>(NO_TENANT, `SELECT ${COLUMNS} ${FROM} ORDER BY t.account, t.environment, k.id`);

/** Whether an account was ever created. */
export const hasTenants = async (backend: Backend): Promise<boolean> =>
  (await backend.read('SELECT 1 FROM tenants LIMIT 1')).length > 0;

/** A key was used at a time. */
export const setLastUsed = (id: string, at: number): Statement => ({
  sql: 'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  params: [at, id, at],
});

export const insertKey = (key: Omit<KeyRow, 'account' | 'environment'>): Statement => ({
  sql: `INSERT INTO api_keys (id, tenant, hash, hash_version, role, permissions, label, hint, rate_limit_per_minute,
    expires_at, allowed_networks, from_settings, created_at, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [
    key.id,
    key.tenant,
    key.hash,
    key.hash_version,
    key.role,
    key.permissions,
    key.label,
    key.hint,
    key.rate_limit_per_minute,
    key.expires_at,
    key.allowed_networks,
    key.from_settings,
    key.created_at,
    key.made_by,
  ],
});

/** Refused for a key that was revoked, or whose expiry was changed, since it was read. */
export const setExpiry = ({ tenant, id, expires_at }: KeyRow, at: number): Statement => ({
  sql: `UPDATE api_keys SET expires_at = ?
    WHERE tenant = ? AND id = ? AND revoked_at IS NULL AND expires_at IS NOT DISTINCT FROM ?`,
  params: [at, tenant, id, expires_at],
  expect: 1,
});

export const revokeKey = (tenant: number, id: string, now: number): Statement => ({
  sql: 'UPDATE api_keys SET revoked_at = ? WHERE tenant = ? AND id = ? AND revoked_at IS NULL',
  params: [now, tenant, id],
  expect: 1,
});

/** The account and environment of a tenant; undefined for a number that was never assigned. */
export const ownerOf = async (
  backend: Backend,
  tenant: number,
): Promise<{ readonly account: string; readonly environment: Environment } | undefined> =>
  (
    await backend.read<{ account: string; environment: Environment }>(
      'SELECT account, environment FROM tenants WHERE tenant = ?',
      tenant,
    )
  )[0];

/** SQL query for subqueries of other capabilities: the production tenant of each account. */
export const PRODUCTION_TENANTS = "SELECT account, tenant FROM tenants WHERE environment = 'production'";
/** SQL query for subqueries of other capabilities: the environment of each tenant. */
export const TENANT_ENVIRONMENTS = 'SELECT tenant, environment FROM tenants';

const TENANT = 'SELECT tenant FROM tenants WHERE account = ? AND environment = ?';

export const findTenant = async (
  backend: Backend,
  account: string,
  environment: Environment,
): Promise<number | undefined> => (await backend.read<{ tenant: number }>(TENANT, account, environment))[0]?.tenant;

/** The tenant number of an account in an environment, assigned at first use. */
export const tenantOf = async (backend: Backend, account: string, environment: Environment): Promise<number> => {
  await backend.write([
    {
      sql: 'INSERT INTO tenants (account, environment) VALUES (?, ?) ON CONFLICT DO NOTHING',
      params: [account, environment],
    },
  ]);
  return (await findTenant(backend, account, environment)) as number;
};
