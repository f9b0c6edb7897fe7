import { join } from 'node:path';
import type { Backend } from '../backend/backend.ts';
import type { CopyResult } from '../backend/copy/copy.ts';
import { withRecords } from '../backend/open.ts';
import { type Config, isPostgres, POSTGRES_EXPECTED, REDIS_EXPECTED, readRedis } from '../config.ts';
import { openKeysOf } from '../installation.ts';
import { makeProgress, type Progress } from '../runtime/progress-bar.ts';
import { print } from '../runtime/terminal.ts';
import { hasInstallationKeys, isSecretOf, rewrapKeys } from '../secrets/rotate.ts';
import { findSecretKey, KEY_FILE } from '../secrets/secret-key.ts';
import { failRun, failUsage } from './fail.ts';

export interface CopyFlags {
  to: string;
  redis?: string;
}

/** The secret keys of the store and of its copy. `named` says which one to set for the copy; it never shows it. */
interface CopySecrets {
  readonly source: Config;
  readonly target: Buffer | undefined;
  readonly named: string;
}

/**
 * Decides which secret key opens the store, and which one shall open the copy. With both a file and another
 * SECRET_KEY, the file opens the store if it can, and SECRET_KEY is for the copy.
 */
const chooseSecrets = async (backend: Backend, config: Config): Promise<CopySecrets> => {
  const { dataDir, secretKey } = config;
  const path = join(dataDir, KEY_FILE);
  const file = findSecretKey({ dataDir, secretKey: undefined });
  if (file === undefined) return { source: config, target: undefined, named: 'the current value' };
  const isOther = secretKey !== undefined && !file.key.equals(secretKey);
  if (!isOther) return { source: config, target: undefined, named: `the content of ${path}` };
  if (!(await hasInstallationKeys(backend)))
    throw new Error(
      `SECRET_KEY differs from ${path}. Unset SECRET_KEY or remove the file, whichever the service did not use.`,
    );
  const named = 'the current value';
  if (!(await isSecretOf(backend, file.key))) return { source: config, target: undefined, named };
  return { source: { ...config, secretKey: undefined }, target: secretKey, named };
};

/** Opens the keys of the store, and encrypts them for the secret key of the copy where that is another. */
const openCopyKeys = (config: Config) =>
  withRecords(config, async (backend) => {
    const { source, target, named } = await chooseSecrets(backend, config);
    const { identityKey, secret, seal } = await openKeysOf(backend, source);
    const rows = target && (await rewrapKeys(backend, secret, target));
    const replaced = rows && { table: 'installation_keys', rows: rows.map((row) => ({ ...row })) };
    return { identityKey, fingerprint: seal.fingerprint, replaced, named };
  });

const CHECKSUM_SHOWN = 16;
const printSummary = ({ tables, histories }: CopyResult, dataDir: string, key: string): void => {
  print('Copied and verified:');
  const widest = Math.max(...tables.map(({ table }) => table.length));
  for (const { table, rows, checksum } of tables)
    print(`  ${table.padEnd(widest)} ${String(rows).padStart(10)} rows  sha256 ${checksum.slice(0, CHECKSUM_SHOWN)}`);
  if (histories !== undefined) print(`  and ${histories.copied} histories and profiles.`);
  if (histories !== undefined && histories.damaged > 0)
    print(`  ${histories.damaged} groups of histories were damaged and are not copied: their entities start as new.`);
  print('\nSet these for every process:');
  print('  DATABASE_URL  the value of --to');
  print(`  REDIS_URL     ${histories === undefined ? 'an empty Redis 7 or Valkey' : 'the value of --redis'}`);
  print(`  SECRET_KEY    ${key}`);
  if (histories === undefined)
    print('\nThen run `portcullis rebuild` before the first start: without --redis, histories were not copied.');
  print(`\nKeep ${dataDir} as a backup. Do not serve it again: new screenings there would not be copied.`);
};

/** Copies the embedded store to PostgreSQL and Redis. */
export const copy = async (config: Config, flags: CopyFlags): Promise<void> => {
  if (!isPostgres(flags.to)) return failUsage(`--to ${POSTGRES_EXPECTED}`);
  const redis = flags.redis === undefined ? undefined : readRedis(flags.redis);
  if (flags.redis !== undefined && redis === undefined) return failUsage(`--redis ${REDIS_EXPECTED}`);
  const { dataDir } = config;
  if (findSecretKey(config) === undefined)
    return failUsage(
      `${join(dataDir, KEY_FILE)} is missing and SECRET_KEY is not set. Restore the key first: without it no API key of this store works.`,
    );
  let key = '';
  let bar: { readonly what: string; readonly progress: Progress } | undefined;
  const end = (): void => {
    bar?.progress.end();
    bar = undefined;
  };
  try {
    // Loaded late: no other command needs both database clients.
    const { copyStore } = await import('../backend/copy/copy.ts');
    const copied = await copyStore({
      dataDir,
      databaseUrl: flags.to,
      redis,
      openKeys: async () => {
        const { named, ...keys } = await openCopyKeys(config);
        key = named;
        return keys;
      },
      print,
      onProgress: (what, done, total) => {
        if (bar?.what !== what) {
          end();
          bar = { what, progress: makeProgress(what, total) };
        }
        bar?.progress.at(done);
      },
    });
    end();
    printSummary(copied, dataDir, key);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    failRun(message.replace('DATABASE_URL', '--to'));
  }
};
