import { maskCardNumbers } from '@portcullis/contract';
import type { Caller } from '../access/access.ts';
import type { Seal } from '../access/seal.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import { ApiError, invalidRequest } from './errors.ts';

export const IDEMPOTENCY_MS = 24 * 3_600_000;

/** Another process answered a request with the same key in the meantime: what was to be done here was not, and that answer is kept. */
export class Overtaken extends Error {
  override name = 'Overtaken';
}

interface Row {
  readonly created_at: number;
  readonly fingerprint: string;
  readonly status: number;
  readonly sealed_response: Uint8Array;
}

/** A POST under a key of the caller's: its first answer is kept with its effect, in one transaction. */
export interface Once {
  readonly replay: { readonly status: number; readonly body: string } | undefined;
  /** What stores the answer; to be part of the unit that stores the effect. */
  readonly remember: (status: number, body: string) => Statement;
  readonly finish: () => void;
}

const REMEMBER = `INSERT INTO idempotency (tenant, path, key, fingerprint, status, sealed_response, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, path, key) DO NOTHING`;
const forget = (tenant: number, path: string, key: string, until: number): Statement => ({
  sql: 'DELETE FROM idempotency WHERE tenant = ? AND path = ? AND key = ? AND created_at <= ?',
  params: [tenant, path, key, until],
});

/** In one process the second of two at once is refused at the door; of two processes, one finds its answer refused by the store, and all it did with it. */
export const makeIdempotency = (deps: { backend: Backend; seal: Seal; clock: () => number }) => {
  const { backend, seal, clock } = deps;
  const inProgress = new Set<string>();

  return async (caller: Caller, path: string, key: string, rawBody: string): Promise<Once> => {
    if (key.length < 1 || key.length > 255) {
      throw invalidRequest([{ field: 'Idempotency-Key', message: 'must have 1 to 255 characters' }]);
    }
    const context = `idempotency ${caller.tenant} ${path} ${key}`;
    if (inProgress.has(context)) {
      throw new ApiError('idempotency_in_progress', 'A request with this idempotency key is still in progress.', {
        headers: { 'Retry-After': '1' },
      });
    }
    inProgress.add(context);
    const finish = (): void => void inProgress.delete(context);
    try {
      // Masked first: a digest of a card number among known text can be reversed by trying them all.
      const fingerprint = seal.fingerprint(maskCardNumbers(rawBody));
      const now = clock();
      const [found] = await backend.read<Row>(
        'SELECT fingerprint, status, sealed_response, created_at FROM idempotency WHERE tenant = ? AND path = ? AND key = ?',
        caller.tenant,
        path,
        key,
      );
      const isForgotten = found !== undefined && found.created_at <= now - IDEMPOTENCY_MS;
      // The sweep has not come yet, and what is there would be in the way of what is to be kept.
      if (isForgotten) await backend.write([forget(caller.tenant, path, key, now - IDEMPOTENCY_MS)]);
      const row = isForgotten ? undefined : found;
      if (row !== undefined && row.fingerprint !== fingerprint) {
        throw new ApiError(
          'idempotency_key_reused',
          'This idempotency key was used with another body. Use a new key for a new request.',
        );
      }
      return {
        replay: row === undefined ? undefined : { status: row.status, body: seal.open(row.sealed_response, context) },
        // Sealed, because an answer may hold a signing secret or an API key that is stored nowhere else.
        remember: (status, body) => ({
          sql: REMEMBER,
          params: [caller.tenant, path, key, fingerprint, status, seal.seal(body, context), now],
          expect: 1,
          refusal: () => new Overtaken(),
        }),
        finish,
      };
    } catch (error) {
      finish();
      throw error;
    }
  };
};
export type Idempotency = ReturnType<typeof makeIdempotency>;
