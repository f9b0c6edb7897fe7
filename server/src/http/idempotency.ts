import { maskCardNumbers, type TagOf } from '@portcullis/contract/values';
import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';
import type { IdentifierTags } from '../runtime/identifier-tags.ts';
import type { Seal } from '../secrets/seal.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import { maskJson } from '../validation/mask-json.ts';
import type { Caller } from './caller.ts';

const RETENTION_MS = 24 * 3_600_000;

/** Another process stored a response under the same key first. The effect of this request was not stored. */
export class OvertakenError extends Error {
  override name = 'OvertakenError';
}

interface Row {
  readonly created_at: number;
  readonly fingerprint: string;
  readonly status: number;
  readonly sealed_response: Uint8Array;
}

/** A POST with an idempotency key. Its response and its effect are stored in one transaction. */
export interface IdempotentRequest {
  /** The stored response of an earlier request with the key. */
  readonly replay: { readonly status: number; readonly body: string } | undefined;
  /** The statement that stores the response. It must be part of the unit that stores the effect. */
  readonly remember: (status: number, body: string) => Statement;
  readonly finish: () => void;
}

export interface IdempotencyDeps {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly clock: () => number;
  readonly tags: IdentifierTags;
  /** While the clock is in doubt, old responses are still sent: an effect must not be repeated. */
  readonly isClockCertain: () => boolean;
}

/** Binds a sealed response to its row. */
const contextOf = (tenant: number, path: string, key: string): string => `idempotency ${tenant} ${path} ${key}`;

const NEWEST = 'SELECT tenant, path, key, sealed_response FROM idempotency ORDER BY created_at DESC LIMIT 10';
/** Evidence of the secret key: whether any of the newest stored responses can be decrypted. */
export const opensResponses = async (backend: Backend, seal: Seal): Promise<boolean | undefined> => {
  const rows = await backend.read<Pick<Row, 'sealed_response'> & { tenant: number; path: string; key: string }>(NEWEST);
  const opens = ({ tenant, path, key, sealed_response }: (typeof rows)[number]): boolean => {
    try {
      return seal.open(sealed_response, contextOf(tenant, path, key)) !== '';
    } catch {
      return false;
    }
  };
  return rows.length === 0 ? undefined : rows.some(opens);
};

const INSERT = `INSERT INTO idempotency (tenant, path, key, fingerprint, status, sealed_response, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, path, key) DO NOTHING`;
const deleteUntil = (tenant: number, path: string, key: string, until: number): Statement => ({
  sql: 'DELETE FROM idempotency WHERE tenant = ? AND path = ? AND key = ? AND created_at <= ?',
  params: [tenant, path, key, until],
});

const findRow = async (
  { backend, isClockCertain }: IdempotencyDeps,
  tenant: number,
  path: string,
  key: string,
  now: number,
): Promise<Row | undefined> => {
  const [row] = await backend.read<Row>(
    'SELECT fingerprint, status, sealed_response, created_at FROM idempotency WHERE tenant = ? AND path = ? AND key = ?',
    tenant,
    path,
    key,
  );
  if (row === undefined || row.created_at > now - RETENTION_MS || !isClockCertain()) return row;
  // The sweep has not deleted the expired row yet. It would conflict with the new one.
  await backend.write([deleteUntil(tenant, path, key, now - RETENTION_MS)]);
  return undefined;
};

const open = async (
  deps: IdempotencyDeps,
  { tenant }: Caller,
  path: string,
  key: string,
  rawBody: string,
  context: string,
): Promise<Omit<IdempotentRequest, 'finish'>> => {
  const { seal } = deps;
  // Masked first: the digest of a card number within known text can be reversed by trying all numbers.
  const masked = maskJson(rawBody);
  const now = deps.clock();
  const row = await findRow(deps, tenant, path, key, now);
  if (row !== undefined && !seal.isFingerprint(masked, row.fingerprint)) {
    throw new ApiError(
      'idempotency_key_reused',
      'This idempotency key was used with another body. Use a new key for a new request.',
    );
  }
  return {
    replay: row === undefined ? undefined : { status: row.status, body: seal.open(row.sealed_response, context) },
    // Encrypted, because a response may hold a signing secret or an API key that is stored nowhere else.
    remember: (status, body) => ({
      sql: INSERT,
      params: [tenant, path, key, seal.fingerprint(masked), status, seal.seal(body, context), now],
      expect: 1,
      refusal: () => new OvertakenError(),
    }),
  };
};

/** The key as it is stored: without card numbers, and different for every key. */
const maskKey = (key: string, tagOf: TagOf): string => {
  const masked = maskCardNumbers(key);
  return masked === key ? key : `${masked}~${tagOf(key)}`;
};

/**
 * Makes the function that opens a request with an idempotency key. Within a process, a second request at the same time
 * is refused here. Of two processes, the store refuses the slower one's response together with its effect.
 */
export const makeIdempotency = (deps: IdempotencyDeps) => {
  const inProgress = new Set<string>();
  return async (caller: Caller, path: string, sentKey: string, rawBody: string): Promise<IdempotentRequest> => {
    if (sentKey.length < 1 || sentKey.length > 255) {
      throw invalidRequest([{ field: 'Idempotency-Key', message: 'must have 1 to 255 characters' }]);
    }
    const key = maskKey(sentKey, deps.tags(caller.tenant));
    const context = contextOf(caller.tenant, path, key);
    if (inProgress.has(context)) {
      throw new ApiError(
        'idempotency_in_progress',
        'A request with this idempotency key is still in progress. Retry after 1 second.',
        { headers: { 'Retry-After': '1' } },
      );
    }
    inProgress.add(context);
    const finish = (): void => void inProgress.delete(context);
    try {
      return { ...(await open(deps, caller, path, key, rawBody, context)), finish };
    } catch (error) {
      finish();
      throw error;
    }
  };
};
export type Idempotency = ReturnType<typeof makeIdempotency>;

type StoredRow = Row & { readonly tenant: number; readonly path: string; readonly key: string };
const RESEAL_ROWS = 500;
const NONE_YET = { created_at: -1, tenant: -1, path: '', key: '' };

/** Seals all stored responses with the current version of the data key. Returns how many it changed. */
export const resealResponses = async (backend: Backend, seal: Seal): Promise<number> => {
  let changed = 0;
  for (let after: Omit<StoredRow, keyof Row> & Pick<Row, 'created_at'> = NONE_YET; ; ) {
    const rows = await backend.read<StoredRow>(
      `SELECT tenant, path, key, fingerprint, sealed_response, created_at FROM idempotency
        WHERE (created_at, tenant, path, key) > (?, ?, ?, ?) ORDER BY created_at, tenant, path, key LIMIT ?`,
      after.created_at,
      after.tenant,
      after.path,
      after.key,
      RESEAL_ROWS,
    );
    const statements = rows.flatMap(({ tenant, path, key, sealed_response, fingerprint, created_at }): Statement[] => {
      const resealed = seal.reseal(sealed_response, contextOf(tenant, path, key));
      if (resealed === undefined) return [];
      return [
        {
          sql: `UPDATE idempotency SET sealed_response = ?, fingerprint = ?
            WHERE tenant = ? AND path = ? AND key = ? AND created_at = ?`,
          params: [resealed.sealed, seal.upgradeFingerprint(fingerprint, resealed.from), tenant, path, key, created_at],
        },
      ];
    });
    if (statements.length > 0) await backend.write(statements);
    changed += statements.length;
    after = rows.at(-1) ?? after;
    if (rows.length < RESEAL_ROWS) return changed;
  }
};

/** Deletes expired responses of all tenants, up to the limit. Returns how many. */
export const sweepIdempotency = async (backend: Backend, now: number, limit: number): Promise<number> => {
  const until = now - RETENTION_MS;
  const [old] = await backend.readLong<{ count: number }>(
    NO_TENANT,
    'SELECT COUNT(*) AS count FROM (SELECT 1 FROM idempotency WHERE created_at <= ? LIMIT ?) AS old',
    until,
    limit,
  );
  const count = old?.count ?? 0;
  if (count > 0)
    await backend.write([
      {
        sql: `DELETE FROM idempotency WHERE (tenant, path, key) IN
          (SELECT tenant, path, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
        params: [until, count],
      },
    ]);
  return count;
};

/** Deletes the responses up to a time whose text, or key, names a person. Returns how many. */
export const eraseResponses = async (
  { backend, seal }: Pick<IdempotencyDeps, 'backend' | 'seal'>,
  tenant: number,
  until: number,
  names: (text: string) => boolean,
): Promise<number> => {
  let count = 0;
  for (let after: Pick<StoredRow, 'path' | 'key'> = NONE_YET; ; ) {
    const { rows, hasMore } = await backend.readPage<StoredRow>(
      tenant,
      RESEAL_ROWS,
      `SELECT path, key, sealed_response, created_at FROM idempotency
        WHERE tenant = ? AND (path, key) > (?, ?) ORDER BY path, key`,
      tenant,
      after.path,
      after.key,
    );
    const named = rows.filter(({ path, key, sealed_response, created_at }) => {
      if (created_at > until) return false;
      return names(key) || names(seal.open(sealed_response, contextOf(tenant, path, key)));
    });
    if (named.length > 0)
      await backend.write(named.map(({ path, key, created_at }) => deleteUntil(tenant, path, key, created_at)));
    count += named.length;
    if (!hasMore) return count;
    after = rows.at(-1) as StoredRow;
  }
};
