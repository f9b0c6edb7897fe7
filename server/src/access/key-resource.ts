import type { ApiKey, ApiKeyRequest, ErrorDetail, RollApiKeyRequest } from '@portcullis/contract';
import {
  normalizeNetwork,
  PERMISSIONS,
  type Permission,
  RESTRICTED,
  ROLE_PERMISSIONS,
  readTimestamp,
  writeTimestamp,
} from '@portcullis/contract/values';
import { withPrefix } from '../runtime/ids.ts';
import type { KeyRow } from './store.ts';

/** The permissions of a key: those of its role, or its own. */
export const permissionsOf = ({ role, permissions }: Pick<KeyRow, 'role' | 'permissions'>): readonly Permission[] =>
  role === RESTRICTED ? (JSON.parse(permissions ?? '[]') as Permission[]) : ROLE_PERMISSIONS[role];

export const networksOf = ({ allowed_networks }: Pick<KeyRow, 'allowed_networks'>): string[] | null =>
  allowed_networks === null ? null : (JSON.parse(allowed_networks) as string[]);

export const isExpired = ({ expires_at }: Pick<KeyRow, 'expires_at'>, now: number): boolean =>
  expires_at !== null && expires_at <= now;

export const toApiKey = (row: KeyRow): ApiKey => ({
  key_id: withPrefix('key', row.id),
  role: row.role,
  permissions: [...permissionsOf(row)],
  label: row.label,
  environment: row.environment,
  hint: row.hint,
  rate_limit_per_minute: row.rate_limit_per_minute,
  expires_at: row.expires_at === null ? null : writeTimestamp(row.expires_at),
  allowed_networks: networksOf(row),
  created_at: writeTimestamp(row.created_at),
  made_by: row.made_by,
  last_used_at: row.last_used_at === null ? null : writeTimestamp(row.last_used_at),
});

/** The columns that decide what a key may do. */
export const grantOf = ({ role, permissions }: ApiKeyRequest): Pick<KeyRow, 'role' | 'permissions'> =>
  role === undefined
    ? { role: RESTRICTED, permissions: JSON.stringify(PERMISSIONS.filter((one) => permissions?.includes(one))) }
    : { role, permissions: null };

type Settings = Pick<KeyRow, 'label' | 'rate_limit_per_minute' | 'expires_at' | 'allowed_networks'>;
const NO_SETTINGS: Settings = { label: null, rate_limit_per_minute: null, expires_at: null, allowed_networks: null };

/** The columns of a key's settings: as requested, else those of the key it replaces. */
export const settingsOf = (
  { label, rate_limit_per_minute, expires_at, allowed_networks }: Omit<RollApiKeyRequest, 'overlap_seconds'>,
  replaced: Settings = NO_SETTINGS,
): Settings => ({
  label: label ?? replaced.label,
  rate_limit_per_minute: rate_limit_per_minute ?? replaced.rate_limit_per_minute,
  expires_at: expires_at === undefined ? replaced.expires_at : (readTimestamp(expires_at) as number),
  allowed_networks:
    allowed_networks === undefined
      ? replaced.allowed_networks
      : JSON.stringify([...new Set(allowed_networks.map(normalizeNetwork))]),
});

/** Errors of a request for a key that its schema cannot express. */
export const expiryErrors = ({ expires_at }: { readonly expires_at?: unknown }, now: number): ErrorDetail[] => {
  const at = typeof expires_at === 'string' ? readTimestamp(expires_at) : undefined;
  return at !== undefined && at <= now ? [{ field: 'expires_at', message: 'must be in the future' }] : [];
};
export const grantErrors = (body: { readonly role?: unknown; readonly permissions?: unknown }): ErrorDetail[] => {
  if (body.role === undefined && body.permissions === undefined)
    return [{ field: 'role', message: 'is required, unless `permissions` is sent' }];
  return body.role !== undefined && body.permissions !== undefined
    ? [{ field: 'permissions', message: 'must not be sent together with `role`' }]
    : [];
};
