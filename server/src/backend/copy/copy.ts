import { type CopiedHistories, openHistories } from './histories.ts';
import { type CopiedTable, type OnProgress, openTarget } from './records.ts';
import { type OpenKeys, openSource } from './source.ts';

export interface CopyOptions {
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** Without it, histories are not copied; `portcullis rebuild` creates them. */
  readonly redis: { readonly redisUrl: string; readonly redisPrefix: string } | undefined;
  readonly openKeys: OpenKeys;
  readonly print: (line: string) => void;
  readonly onProgress: OnProgress;
}
export interface CopyResult {
  readonly tables: readonly CopiedTable[];
  readonly histories: CopiedHistories | undefined;
}

/**
 * Copies the embedded store into PostgreSQL and Redis. No process can serve the copy before its last step. An
 * interrupted copy can be resumed.
 */
export const copyStore = async ({ dataDir, databaseUrl, redis, ...options }: CopyOptions): Promise<CopyResult> => {
  const source = await openSource(dataDir, options.openKeys);
  const opened: { close: () => unknown }[] = [source];
  try {
    // Both targets are checked before either is changed.
    const histories = redis && (await openHistories({ url: redis.redisUrl, prefix: redis.redisPrefix, source }));
    if (histories !== undefined) opened.push(histories);
    const records = await openTarget(databaseUrl, source, options.print);
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
