import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_FILE, loadSecretKey, makeSeal } from '../access/seal.ts';
import type { Copied } from '../backend/copy.ts';
import { type Config, isPostgres, POSTGRES_EXPECTED, REDIS_EXPECTED, readRedis } from '../config.ts';
import { makeProgress, type Progress } from '../progress.ts';
import { complain, say } from '../say.ts';

export interface CopyFlags {
  to: string;
  redis?: string;
}

const endWith = (message: string, code = 2): void => {
  complain(message);
  process.exitCode = code;
};

/** Where the key is that everything sealed needs; undefined, and said why, when that is not sure. It is never shown. */
const placeOfKey = ({ dataDir, secretKey }: Config): string | undefined => {
  const path = join(dataDir, KEY_FILE);
  if (!existsSync(path)) {
    if (secretKey !== undefined) return 'the one that is set now';
    return void endWith(
      `There is no ${path}, and SECRET_KEY is not set. Without the key of this store no API key works: restore it first.`,
    );
  }
  if (secretKey !== undefined && !loadSecretKey(undefined, dataDir).equals(secretKey))
    return void endWith(
      `SECRET_KEY is not what ${path} holds. Unset it, or move the file away: whichever was not in use.`,
    );
  return `what ${path} holds`;
};

const CHECKSUM_SHOWN = 16;
const tell = ({ tables, histories }: Copied, dataDir: string, key: string): void => {
  say('Copied and checked, row by row:');
  const widest = Math.max(...tables.map(({ table }) => table.length));
  for (const { table, rows, checksum } of tables)
    say(`  ${table.padEnd(widest)} ${String(rows).padStart(10)} rows  sha256 ${checksum.slice(0, CHECKSUM_SHOWN)}`);
  if (histories !== undefined) say(`  and ${histories} histories and profiles.`);
  say('\nNow set, for every process:');
  say('  DATABASE_URL  what --to was');
  say(`  REDIS_URL     ${histories === undefined ? 'a Redis 7 or Valkey, empty' : 'what --redis was'}`);
  say(`  SECRET_KEY    ${key}`);
  if (histories === undefined)
    say('\nThen run `portcullis rebuild` before you start: the histories were not copied, for --redis was not given.');
  say(`\nKeep ${dataDir} until you are sure, and serve it no more: what is screened there is not copied.`);
};

/** Moves from the embedded store to PostgreSQL and Redis. */
export const copy = async (config: Config, flags: CopyFlags): Promise<void> => {
  if (!isPostgres(flags.to)) return endWith(`--to ${POSTGRES_EXPECTED}`);
  const redis = flags.redis === undefined ? undefined : readRedis(flags.redis);
  if (flags.redis !== undefined && redis === undefined) return endWith(`--redis ${REDIS_EXPECTED}`);
  const key = placeOfKey(config);
  if (key === undefined) return;
  const { dataDir } = config;
  let bar: { readonly what: string; readonly progress: Progress } | undefined;
  const end = (): void => {
    bar?.progress.end();
    bar = undefined;
  };
  try {
    // Only now: no other command needs the clients of both.
    const { copyStore } = await import('../backend/copy.ts');
    const copied = await copyStore({
      dataDir,
      databaseUrl: flags.to,
      redis,
      fingerprint: makeSeal(loadSecretKey(config.secretKey, dataDir)).fingerprint,
      say,
      onProgress: (what, done, total) => {
        if (bar?.what !== what) {
          end();
          bar = { what, progress: makeProgress(what, total) };
        }
        bar?.progress.at(done);
      },
    });
    end();
    tell(copied, dataDir, key);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    endWith(message.replace('DATABASE_URL', '--to'), 1);
  }
};
