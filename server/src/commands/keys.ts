import { type Environment, type Role, writeTimestamp } from '@portcullis/contract';
import { type Keys, makeKeys } from '../access/keys.ts';
import { loadSecretKey, makeSeal } from '../access/seal.ts';
import { openBeside } from '../backend/open.ts';
import type { Config } from '../config.ts';
import { makeIds, withPrefix } from '../ids.ts';
import { complain, say } from '../say.ts';

/** Opens the store for one command. A server may be running on it: it knows keys made here at once. */
const withKeys = async (config: Config, act: (keys: Keys) => Promise<void>): Promise<void> => {
  const backend = await openBeside(config);
  try {
    const seal = makeSeal(loadSecretKey(config.secretKey, config.dataDir));
    await act(makeKeys({ backend, seal, newId: makeIds(Date.now), clock: Date.now }));
  } finally {
    await backend.close();
  }
};

export const createKey = (
  config: Config,
  options: { account: string; environment: Environment; role: Role; label?: string; json?: boolean },
): Promise<void> =>
  withKeys(config, async (keys) => {
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
  withKeys(config, async (keys) => {
    const rows = (await keys.list()).map((row) => ({
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
  withKeys(config, async (keys) => {
    if (await keys.revoke(keyId)) say(`${keyId} is revoked.`);
    else {
      complain(`There is no key ${keyId}. See them with: portcullis keys list`);
      process.exitCode = 1;
    }
  });
