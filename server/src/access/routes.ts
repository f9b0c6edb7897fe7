import { MAX_API_KEYS, type NewApiKey, type Permission, type RolledApiKey, writeTimestamp } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import type { ReplayCheck, Route } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import type { Access } from './access.ts';
import { expiryErrors, grantErrors, isExpired, permissionsOf, toApiKey } from './key-resource.ts';
import type { KeyUses } from './key-uses.ts';
import type { Keys } from './keys.ts';
import { activeKeys, countActiveKeys, findKey, type KeyRow } from './store.ts';

/** A key must not make a stronger one: its holder could then do more than it allows. */
const requireOwn = (caller: Caller, permissions: readonly Permission[]): void => {
  const missing = permissions.filter((permission) => !caller.permissions.includes(permission));
  if (missing.length === 0) return;
  throw new ApiError(
    'insufficient_scope',
    `A key cannot give permissions that it does not have. This key does not have: ${missing.join(', ')}.`,
  );
};

/** A stored response has the secret of a key, so it must not give more than a new one would. */
const checkReplay: ReplayCheck = (caller, json) => requireOwn(caller, (JSON.parse(json) as NewApiKey).permissions);

/** A key that the caller made. The list names people by their e-mail address, too. */
const newKey = ({ person }: Caller, row: KeyRow) => ({ ...toApiKey(row), made_by: person?.email ?? row.made_by });

interface RouteDeps {
  readonly backend: Backend;
  readonly keys: Keys;
  readonly access: Access;
  readonly uses: Pick<KeyUses, 'lastOf'>;
  /** The names of people, by `person_…`. */
  readonly namesOf: (account: string, authors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly clock: () => number;
}

export const accessRoutes = (route: Route, { backend, keys, access, uses, namesOf, clock }: RouteDeps): void => {
  /** One at a time, so that two requests cannot exceed the limit together. */
  const withRoom = <T>({ tenant }: Caller, limit: number, task: () => Promise<T>): Promise<T> =>
    backend.withLock(`api keys of ${tenant}`, async () => {
      if ((await countActiveKeys(backend, tenant, clock())) < limit) return task();
      throw new ApiError(
        'limit_reached',
        `An account may have ${MAX_API_KEYS} API keys in an environment. Revoke some.`,
      );
    });
  const find = async (caller: Caller, keyId: string): Promise<KeyRow> => {
    const id = idOf('key', keyId);
    const row = id === undefined ? undefined : await findKey(backend, caller.tenant, id);
    if (row === undefined) throw notFound('API key');
    return row;
  };

  route(
    'createApiKey',
    ({ caller, body, answer: respond }) =>
      withRoom(caller, MAX_API_KEYS, async () => {
        const { row, secret, statement } = keys.draft(caller, body);
        requireOwn(caller, permissionsOf(row));
        const created: NewApiKey = { ...newKey(caller, row), secret };
        const answer = respond(created);
        await keys.record(caller, { after: row }, [statement, ...answer.statements]);
        return answer;
      }),
    (body) => [...grantErrors(body), ...expiryErrors(body, clock())],
    checkReplay,
  );
  route('listApiKeys', async ({ caller, answer }) => {
    const rows = await activeKeys(backend, caller.tenant, clock());
    const names = await namesOf(
      caller.account,
      rows.flatMap(({ made_by }) => made_by ?? []),
    );
    const shown = (row: KeyRow) => ({
      ...toApiKey({ ...row, last_used_at: uses.lastOf(row.id, row.last_used_at) }),
      made_by: names.get(row.made_by ?? '') ?? row.made_by,
    });
    return answer({ api_keys: rows.map(shown) });
  });
  route(
    'rollApiKey',
    ({ caller, body, params, answer: respond }) =>
      // Twice the limit: at the limit, a key that leaked must still be replaceable.
      withRoom(caller, 2 * MAX_API_KEYS, async () => {
        const old = await find(caller, params.key_id);
        if (isExpired(old, clock())) throw notFound('API key');
        if (old.from_settings === 1)
          throw new ApiError(
            'key_from_settings',
            'This key comes from the setting API_KEYS. Change the setting instead.',
          );
        requireOwn(caller, permissionsOf(old));
        const replacement = keys.draftReplacement(caller, old, body);
        const { row, secret, ended } = replacement;
        const endsAt = writeTimestamp(ended.expires_at as number);
        const replaced = { key_id: withPrefix('key', old.id), expires_at: endsAt };
        const rolled: RolledApiKey = { ...newKey(caller, row), replaced, secret };
        const answer = respond(rolled);
        if (!(await keys.replace(caller, old, replacement, answer.statements))) throw notFound('API key');
        access.forget();
        return answer;
      }),
    (body) => expiryErrors(body, clock()),
    checkReplay,
  );
  route('deleteApiKey', async (call) => {
    const row = await find(call.caller, call.params.key_id);
    if (!(await keys.revoke(call.caller, row))) throw notFound('API key');
    access.forget();
    return call.answer({});
  });
};
