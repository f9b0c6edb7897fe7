import { randomInt } from 'node:crypto';
import {
  type ApiKey,
  type ApiKeyRequest,
  ENVIRONMENTS,
  type Environment,
  KEY_PREFIXES,
  writeTimestamp,
} from '@portcullis/contract';
import type { Backend, Statement } from '../backend/backend.ts';
import { idOf, type NewId, withPrefix } from '../ids.ts';
import type { Seal } from './seal.ts';
import { allKeys, findTenant, insertKey, type KeyRow, revokeKey, tenantOf } from './store.ts';

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 40;

const newSecret = (environment: Environment): string => {
  let secret = KEY_PREFIXES[environment];
  for (let i = 0; i < SECRET_LENGTH; i++) secret += BASE_62[randomInt(BASE_62.length)];
  return secret;
};

export const environmentOf = (secret: string): Environment | undefined =>
  ENVIRONMENTS.find((environment) => secret.startsWith(KEY_PREFIXES[environment]));

export const toApiKey = (row: KeyRow): ApiKey => ({
  key_id: withPrefix('key', row.id),
  role: row.role,
  label: row.label,
  environment: row.environment,
  hint: row.hint,
  rate_limit_per_minute: row.rate_limit_per_minute,
  created_at: writeTimestamp(row.created_at),
});

interface Owner {
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
}

export const DEFAULT_ACCOUNT = 'default';

/** Makes, lists and revokes keys, for the API and for the command line. */
export const makeKeys = (deps: { backend: Backend; seal: Seal; newId: NewId; clock: () => number }) => {
  const { backend, seal, newId, clock } = deps;

  const keyOf = (owner: Owner, secret: string, request: ApiKeyRequest, fromSettings: boolean): KeyRow => ({
    ...owner,
    id: newId(),
    hash: seal.hashKey(secret),
    role: request.role,
    label: request.label ?? null,
    hint: `…${secret.slice(-4)}`,
    rate_limit_per_minute: request.rate_limit_per_minute ?? null,
    from_settings: fromSettings ? 1 : 0,
    created_at: clock(),
  });

  /** A key that is not stored before its statement is written. */
  const draft = (owner: Owner, request: ApiKeyRequest): { row: KeyRow; secret: string; statement: Statement } => {
    const secret = newSecret(owner.environment);
    const row = keyOf(owner, secret, request, false);
    return { row, secret, statement: insertKey(row) };
  };

  const create = async (account: string, environment: Environment, request: ApiKeyRequest) => {
    const tenant = await tenantOf(backend, account, environment);
    const { row, secret, statement } = draft({ tenant, account, environment }, request);
    await backend.write([statement]);
    return { row, secret };
  };

  /** The keys in the settings are all there and none that left them is: they are where these keys are kept. */
  const provide = async (secrets: readonly string[]): Promise<void> => {
    const wanted = new Set(secrets.map(seal.hashKey));
    for (const row of await allKeys(backend)) {
      if (row.from_settings === 1 && !wanted.has(row.hash))
        await backend.write([revokeKey(row.tenant, row.id, clock())]);
    }
    for (const secret of secrets) {
      const environment = environmentOf(secret) as Environment;
      const tenant = await tenantOf(backend, DEFAULT_ACCOUNT, environment);
      const owner = { tenant, account: DEFAULT_ACCOUNT, environment };
      await backend.write([insertKey(keyOf(owner, secret, { role: 'admin', label: 'API_KEYS' }, true))]);
    }
  };

  return {
    draft,
    create,
    provide,
    /** The number of an account in an environment, given out on first use. */
    tenantOf: (account: string, environment: Environment): Promise<number> => tenantOf(backend, account, environment),
    /** Undefined where that was never used. */
    findTenant: (account: string, environment: Environment): Promise<number | undefined> =>
      findTenant(backend, account, environment),
    /** Of all accounts: for whoever runs the installation. */
    list: (): Promise<KeyRow[]> => allKeys(backend),
    /** Answers whether there was such a key. */
    revoke: async (keyId: string): Promise<boolean> => {
      const id = idOf('key', keyId);
      const row = (await allKeys(backend)).find((candidate) => candidate.id === id);
      return row !== undefined && (await backend.write([revokeKey(row.tenant, row.id, clock())])).written;
    },
  };
};
export type Keys = ReturnType<typeof makeKeys>;
