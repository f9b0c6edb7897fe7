import { randomInt } from 'node:crypto';
import type { ApiKeyRequest, RollApiKeyRequest } from '@portcullis/contract';
import { DEFAULT_OVERLAP_SECONDS, ENVIRONMENTS, type Environment, KEY_PREFIXES } from '@portcullis/contract/values';
import { type Actor, type ActorName, type Audit, actor } from '../audit/audit.ts';
import type { Backend, Outcome, Statement, Unit } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { authorOf } from '../http/caller.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import type { Seal } from '../secrets/seal.ts';
import { deletePrivateViews } from '../views/erase.ts';
import { grantOf, settingsOf, toApiKey } from './key-resource.ts';
import {
  allKeys,
  anyKeyByHashes,
  findTenant,
  insertKey,
  type KeyRow,
  restoreKey,
  revokeKey,
  setExpiry,
  tenantOf,
} from './store.ts';

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 40;

const newSecret = (environment: Environment): string => {
  let secret = KEY_PREFIXES[environment];
  for (let i = 0; i < SECRET_LENGTH; i++) secret += BASE_62[randomInt(BASE_62.length)];
  return secret;
};

export type { KeyRow } from './store.ts';

export const environmentOf = (secret: string): Environment | undefined =>
  ENVIRONMENTS.find((environment) => secret.startsWith(KEY_PREFIXES[environment]));

interface Owner {
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
}

export const DEFAULT_ACCOUNT = 'default';

/** Makes, lists and revokes keys, for the API and for the command line. */
export const makeKeys = (deps: {
  backend: Backend;
  audit: Pick<Audit, 'write'>;
  seal: Seal;
  note: Note;
  newId: NewId;
  clock: () => number;
}) => {
  const { backend, audit, seal, note, newId, clock } = deps;

  type Limits = Pick<KeyRow, 'role' | 'permissions' | keyof ReturnType<typeof settingsOf>>;
  const keyOf = (owner: Owner, secret: string, limits: Limits, by: Actor, fromSettings: boolean): KeyRow => ({
    ...owner,
    ...limits,
    id: newId(),
    hash: seal.hashKey(secret),
    hash_version: seal.version(),
    hint: `…${secret.slice(-4)}`,
    from_settings: fromSettings ? 1 : 0,
    created_at: clock(),
    made_by: authorOf(by),
    last_used_at: null,
  });
  const limitsOf = (request: ApiKeyRequest): Limits => ({ ...grantOf(request), ...settingsOf(request) });

  /** Makes a key and the statement that stores it. */
  const draft = (owner: Owner, limits: Limits, by: Actor): { row: KeyRow; secret: string; statement: Statement } => {
    const secret = newSecret(owner.environment);
    const row = keyOf(owner, secret, limits, by, false);
    return { row, secret, statement: insertKey(row) };
  };

  /** Makes the key that replaces another, and the end of the other. Nothing is written yet. */
  const draftReplacement = (by: Actor, old: KeyRow, { overlap_seconds, ...settings }: RollApiKeyRequest) => {
    const { tenant, account, environment, role, permissions, expires_at, created_at } = old;
    const now = clock();
    // A key with an expiry gets the same lifetime again.
    const lifetimeEnd = expires_at === null ? null : now + Math.max(1, expires_at - created_at);
    const limits = settingsOf(settings, { ...old, expires_at: lifetimeEnd });
    const endsAt = now + (overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) * 1000;
    const ended: KeyRow = { ...old, expires_at: Math.min(expires_at ?? endsAt, endsAt) };
    return { ...draft({ tenant, account, environment }, { role, permissions, ...limits }, by), ended };
  };
  type Replacement = ReturnType<typeof draftReplacement>;

  /** Writes a replacement, and lets other processes know when the old key ends. Returns whether the old key existed. */
  const replace = async (
    by: Actor,
    old: KeyRow,
    { row, ended, statement }: Replacement,
    unit: Unit,
  ): Promise<boolean> => {
    const change = {
      action: 'api_key.rolled',
      target: withPrefix('key', old.id),
      before: toApiKey(old),
      after: { ...toApiKey(ended), replaced_by: toApiKey(row) },
    };
    const end = setExpiry(old, ended.expires_at as number);
    return (await audit.write(by, change, [end, statement, ...note(old.tenant, 'keys'), ...unit])).written;
  };

  /** Writes a change of a key with its audit entry. The key has no `before` when it is created, no `after` when revoked. */
  const record = (
    by: Actor,
    { before, after }: { readonly before?: KeyRow; readonly after?: KeyRow },
    unit: Unit,
  ): Promise<Outcome> => {
    const audited = (row: KeyRow | undefined) => (row === undefined ? null : toApiKey(row));
    const action = `api_key.${before === undefined ? 'created' : after === undefined ? 'revoked' : 'changed'}`;
    const target = withPrefix('key', ((after ?? before) as KeyRow).id);
    return audit.write(by, { action, target, before: audited(before), after: audited(after) }, unit);
  };

  const create = async (
    account: string,
    environment: Environment,
    request: ApiKeyRequest,
    by: ActorName = 'command_line',
  ) => {
    const tenant = await tenantOf(backend, account, environment);
    const { row, secret, statement } = draft({ tenant, account, environment }, limitsOf(request), actor(by, tenant));
    await record(actor(by, tenant), { after: row }, [statement]);
    return { row, secret };
  };

  /** Also lets other processes know: they have the key in memory. */
  const revoke = async (by: Actor, row: KeyRow): Promise<boolean> =>
    (
      await record(by, { before: row }, [
        revokeKey(row.tenant, row.id, clock()),
        deletePrivateViews(row.tenant, withPrefix('key', row.id)),
        ...note(row.tenant, 'keys'),
      ])
    ).written;

  /**
   * Stores the keys of the `API_KEYS` setting, and revokes keys that were removed from it: the setting is their
   * source.
   */
  const provide = async (secrets: readonly string[]): Promise<void> => {
    const wanted = new Set(secrets.flatMap(seal.keyHashes));
    const active = await allKeys(backend);
    for (const row of active)
      if (row.from_settings === 1 && !wanted.has(row.hash)) await revoke(actor('settings', row.tenant), row);
    const known = new Set(active.map(({ hash }) => hash));
    for (const secret of secrets) {
      const hashes = seal.keyHashes(secret);
      if (hashes.some((hash) => known.has(hash))) continue;
      const environment = environmentOf(secret) as Environment;
      const tenant = await tenantOf(backend, DEFAULT_ACCOUNT, environment);
      const owner = { tenant, account: DEFAULT_ACCOUNT, environment };
      // A key that was revoked becomes active again, with the id it had.
      const revoked = await anyKeyByHashes(backend, hashes);
      const row =
        revoked ??
        keyOf(owner, secret, limitsOf({ role: 'admin', label: 'API_KEYS' }), actor('settings', tenant), true);
      const statement = revoked === undefined ? insertKey(row) : restoreKey(row.id);
      await record(actor('settings', tenant), { after: row }, [statement]);
    }
  };

  /** For the command line, which changes keys of any account. */
  const findById = async (keyId: string): Promise<KeyRow | undefined> => {
    const id = idOf('key', keyId);
    return (await allKeys(backend)).find((candidate) => candidate.id === id);
  };

  return {
    draft: (owner: Owner & Actor, request: ApiKeyRequest) => draft(owner, limitsOf(request), owner),
    draftReplacement,
    replace,
    findById,
    record,
    create,
    provide,
    /** The tenant number of an account in an environment, assigned at first use. */
    tenantOf: (account: string, environment: Environment): Promise<number> => tenantOf(backend, account, environment),
    /** Undefined for an account that was never used. */
    findTenant: (account: string, environment: Environment): Promise<number | undefined> =>
      findTenant(backend, account, environment),
    /** The keys of all accounts, for the command line. */
    list: (): Promise<KeyRow[]> => allKeys(backend),
    revoke,
    /** For the command line. Returns whether the key existed. */
    revokeById: async (keyId: string): Promise<boolean> => {
      const row = await findById(keyId);
      return row !== undefined && revoke(actor('command_line', row.tenant), row);
    },
  };
};
export type Keys = ReturnType<typeof makeKeys>;
