import {
  type Environment,
  maskCardNumbers,
  type Permission,
  RESTRICTED,
  type Role,
  writeTimestamp,
} from '@portcullis/contract/values';
import { isExpired, networksOf, permissionsOf, toApiKey } from '../access/key-resource.ts';
import { type KeyRow, type Keys, makeKeys } from '../access/keys.ts';
import { actor, makeAudit } from '../audit/audit.ts';
import { openRecordStore } from '../backend/open.ts';
import { makeNote } from '../changes/changes.ts';
import type { Config } from '../config.ts';
import { openKeysOf } from '../installation.ts';
import { makeIds, withPrefix } from '../runtime/ids.ts';
import { print } from '../runtime/terminal.ts';
import { failRun, failUsage } from './fail.ts';

/** Opens the store for one command. A running service accepts new keys at once. */
const withKeys = async (config: Config, act: (keys: Keys) => Promise<void>): Promise<void> => {
  const backend = await openRecordStore(config);
  try {
    const { seal } = await openKeysOf(backend, config);
    const clock = Date.now;
    const audit = makeAudit({ backend, seal, clock });
    const note = makeNote('command_line', clock);
    await act(makeKeys({ backend, audit, seal, note, newId: makeIds(clock), clock }));
  } finally {
    await backend.close();
  }
};

export interface CreateFlags {
  account: string;
  environment: Environment;
  role?: Role;
  permissions?: Permission[];
  label?: string;
  expiresIn?: number;
  network?: string[];
  json?: boolean;
}

const settingsOf = ({ label, expiresIn, network }: Pick<CreateFlags, 'label' | 'expiresIn' | 'network'>) => ({
  ...(label === undefined ? {} : { label: maskCardNumbers(label) }),
  ...(expiresIn === undefined ? {} : { expires_at: writeTimestamp(Date.now() + expiresIn) }),
  ...(network === undefined ? {} : { allowed_networks: network }),
});

/** What a key may do, in a few words. */
const grantText = (row: KeyRow): string =>
  row.role === RESTRICTED ? `${row.role} (${permissionsOf(row).join(', ')})` : row.role;

export const createKey = (config: Config, flags: CreateFlags): Promise<void> =>
  withKeys(config, async (keys) => {
    const { account, environment, permissions, role = 'service' } = flags;
    const grant = permissions === undefined ? { role } : { permissions };
    const { row, secret } = await keys.create(account, environment, { ...grant, ...settingsOf(flags) });
    if (flags.json) print(JSON.stringify({ ...toApiKey(row), account, secret }));
    else {
      print(
        `${withPrefix('key', row.id)}  ${grantText(row)} of ${account}, ${environment}. The secret is shown only once:\n`,
      );
      print(`  ${secret}`);
    }
  });

export const listKeys = (config: Config, options: { json?: boolean }): Promise<void> =>
  withKeys(config, async (keys) => {
    const now = Date.now();
    const rows = (await keys.list()).filter((row) => !isExpired(row, now));
    if (options.json) return print(JSON.stringify(rows.map((row) => ({ ...toApiKey(row), account: row.account }))));
    if (rows.length === 0) print('No keys. Create one with: portcullis keys create');
    for (const row of rows) {
      const end = row.expires_at === null ? '' : `  until ${writeTimestamp(row.expires_at)}`;
      const networks = networksOf(row);
      const from = networks === null ? '' : `  from ${networks.join(', ')}`;
      print(
        `${withPrefix('key', row.id)}  ${row.account.padEnd(12)} ${row.environment.padEnd(10)} ${grantText(row).padEnd(8)} ${row.hint}  ${row.label ?? ''}${end}${from}`,
      );
    }
  });

const unknownKey = (keyId: string): void =>
  failRun(`Key ${keyId} does not exist. List the keys with: portcullis keys list`);

/** Replaces a key of any account. Callers can use the old one until the overlap has passed. */
export const rollKey = (
  config: Config,
  keyId: string,
  flags: { overlap: number; label?: string; expiresIn?: number; network?: string[]; json?: boolean },
): Promise<void> =>
  withKeys(config, async (keys) => {
    const old = await keys.findById(keyId);
    if (old === undefined || isExpired(old, Date.now())) return unknownKey(keyId);
    if (old.from_settings === 1)
      return failUsage(`${keyId} comes from the setting API_KEYS. Change the setting instead.`);
    const overlap_seconds = Math.floor(flags.overlap / 1000);
    const by = actor('command_line', old.tenant);
    const replacement = keys.draftReplacement(by, old, { overlap_seconds, ...settingsOf(flags) });
    const { row, secret, ended } = replacement;
    if (!(await keys.replace(by, old, replacement, []))) return unknownKey(keyId);
    const endsAt = writeTimestamp(ended.expires_at as number);
    if (flags.json)
      return print(JSON.stringify({ ...toApiKey(row), replaced: { key_id: keyId, expires_at: endsAt }, secret }));
    print(
      `${withPrefix('key', row.id)} replaces ${keyId}, which works until ${endsAt}. The secret is shown only once:\n`,
    );
    print(`  ${secret}`);
  });

export const revokeKeyById = (config: Config, keyId: string): Promise<void> =>
  withKeys(config, async (keys) => {
    if (await keys.revokeById(keyId)) print(`${keyId} is revoked.`);
    else unknownKey(keyId);
  });
