import { type Environment, type Role, writeTimestamp } from '@portcullis/contract';
import { makeKeys } from '../access/keys.ts';
import { loadSecretKey, makeSeal } from '../access/seal.ts';
import { allKeys, revokeKey } from '../access/store.ts';
import { openSqlite } from '../backend/sqlite.ts';
import type { Config } from '../config.ts';
import { idOf, makeIds, withPrefix } from '../ids.ts';
import { complain, say } from '../say.ts';

/** Opens the store for one command. A server may be running on it: keys made here are known to it at once. */
const withStore = async <T>(config: Config, act: (store: ReturnType<typeof openSqlite>) => Promise<T>): Promise<T> => {
  const store = openSqlite({ directory: config.dataDir });
  try {
    return await act(store);
  } finally {
    await store.backend.close();
  }
};

export const createKey = (
  config: Config,
  options: { account: string; environment: Environment; role: Role; label?: string; json?: boolean },
): Promise<void> =>
  withStore(config, async ({ backend }) => {
    const seal = makeSeal(loadSecretKey(config.secretKey, config.dataDir));
    const keys = makeKeys({ backend, seal, newId: makeIds(Date.now), clock: Date.now });
    const { account, environment, role, label } = options;
    const { row, secret } = await keys.create(account, environment, {
      role,
      ...(label === undefined ? {} : { label }),
    });
    const key_id = withPrefix('key', row.id);
    if (options.json) say(JSON.stringify({ key_id, account, environment, role, secret }));
    else {
      say(`${key_id}  ${role} of ${account}, ${environment}. The secret is shown only now:\n`);
      say(`  ${secret}`);
    }
  });

export const listKeys = (config: Config, options: { json?: boolean }): Promise<void> =>
  withStore(config, async ({ backend }) => {
    const rows = (await allKeys(backend)).map((row) => ({
      key_id: withPrefix('key', row.id),
      account: row.account,
      environment: row.environment,
      role: row.role,
      hint: row.hint,
      label: row.label,
      created_at: writeTimestamp(row.created_at),
    }));
    if (options.json) say(JSON.stringify(rows));
    else if (rows.length === 0) say('No keys. Make one with: portcullis keys create');
    for (const row of options.json ? [] : rows) {
      say(
        `${row.key_id}  ${row.account.padEnd(12)} ${row.environment.padEnd(10)} ${row.role.padEnd(8)} ${row.hint}  ${row.label ?? ''}`,
      );
    }
  });

export const revokeKeyById = (config: Config, keyId: string): Promise<void> =>
  withStore(config, async ({ backend }) => {
    const id = idOf('key', keyId);
    const row = (await allKeys(backend)).find((candidate) => candidate.id === id);
    const outcome = row === undefined ? undefined : await backend.write([revokeKey(row.tenant, row.id, Date.now())]);
    if (outcome?.written) say(`${keyId} is revoked.`);
    else {
      complain(`There is no key ${keyId}. See them with: portcullis keys list`);
      process.exitCode = 1;
    }
  });
