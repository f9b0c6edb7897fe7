import { openHistories } from './copy-histories.ts';
import { type CopiedTable, type OnProgress, openTarget } from './copy-records.ts';
import { openSource } from './copy-source.ts';

export interface CopyOptions {
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** Without it, histories are left for `portcullis rebuild`. */
  readonly redis: { readonly redisUrl: string; readonly redisPrefix: string } | undefined;
  readonly fingerprint: (text: string) => string;
  readonly say: (line: string) => void;
  readonly onProgress: OnProgress;
}
export interface Copied {
  readonly tables: readonly CopiedTable[];
  readonly histories: number | undefined;
}

/** Copies the embedded store into PostgreSQL and Redis. Until the last step, no process serves what is there; broken off, it can be run again. */
export const copyStore = async ({ dataDir, databaseUrl, redis, ...options }: CopyOptions): Promise<Copied> => {
  const source = await openSource(dataDir, options.fingerprint);
  const opened: { close: () => unknown }[] = [source];
  try {
    // Both are looked at before either is changed.
    const histories = redis && (await openHistories({ url: redis.redisUrl, prefix: redis.redisPrefix, source }));
    if (histories !== undefined) opened.push(histories);
    const records = await openTarget(databaseUrl, source, options.say);
    opened.push(records);
    const tables = await records.copy(options.onProgress);
    const copied = await histories?.copy(options.onProgress);
    await histories?.finish();
    await records.finish();
    await histories?.unmark();
    return { tables, histories: copied };
  } finally {
    for (const { close } of opened.reverse()) await close();
  }
};
