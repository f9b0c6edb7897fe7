import type { DatabaseSync } from 'node:sqlite';
import { makeBloomFilter } from './bloom-filter.ts';
import { type Histories, makeHistories } from './find-entity.ts';
import { makeGroupFinder } from './find-group.ts';
import { addRebuilt } from './fold.ts';
import type { GroupRow } from './group-row.ts';
import type { HistoryCache } from './history-cache.ts';
import type { HistorySaver } from './history-saver.ts';
import { type LostHistoriesOptions, makeLostHistories } from './lost-histories.ts';
import { isMalformed, openDatabase } from './open-database.ts';
import { scanGroups } from './scan-groups.ts';

export interface OpenHistoriesOptions extends Pick<LostHistoriesOptions, 'reader' | 'newestSeq' | 'restore'> {
  readonly path: string;
  readonly cache: HistoryCache;
  readonly saver: HistorySaver;
  readonly onMalformed: () => void;
  readonly onError: (message: string) => void;
  readonly onRecovered: (message: string) => void;
}
export interface OpenedHistories {
  readonly database: DatabaseSync;
  readonly histories: Histories;
  /** How many damaged rows were found since the start. */
  readonly damaged: () => number;
  readonly close: () => void;
}

/** A number beyond 2⁵³ was never saved. */
const isOutOfRange = (error: unknown): boolean => (error as { code?: string }).code === 'ERR_OUT_OF_RANGE';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens the file of the histories. Damaged rows are reported once each; their entities are rebuilt when needed. */
export const openHistories = (options: OpenHistoriesOptions): OpenedHistories => {
  const { path, cache, saver, onMalformed, onError, onRecovered } = options;
  const database = openDatabase(path, { readOnly: true, cacheKib: 4096 });
  const filter = makeBloomFilter();
  const reported = new Set<number>();
  const onDamaged = ([id, tenant]: GroupRow): void => {
    saver.replaceRow(id);
    if (reported.has(id)) return;
    reported.add(id);
    onError(
      `row ${id} of the histories (tenant ${tenant}) is damaged: its histories are rebuilt from the stored screenings when they are needed`,
    );
  };
  const onReadError = (error: unknown): void => {
    if (isMalformed(error) || isOutOfRange(error)) onMalformed();
    else onError(`reading histories failed: ${reasonOf(error)}`);
  };
  const lost = makeLostHistories({
    ...options,
    onRebuilt: (entity, bytes) => {
      if (bytes !== undefined) addRebuilt(histories, entity, bytes);
      if (entity.after === 0)
        onRecovered(`a damaged history of tenant ${entity.tenant} was rebuilt from the stored screenings`);
    },
    onError: (error) => onError(`rebuilding damaged histories failed and will be retried: ${reasonOf(error)}`),
  });
  const histories = makeHistories({
    cache,
    saver,
    filter,
    finder: makeGroupFinder(database),
    lost,
    onDamaged,
    onReadError,
  });
  const scan = scanGroups(database, filter, {
    onDamaged,
    onDamagedIndex: onMalformed,
    onScanned: saver.checkFile,
    onError: onReadError,
  });
  return {
    database,
    histories,
    damaged: () => reported.size,
    close: () => {
      scan.stop();
      lost.clear();
      database.close();
    },
  };
};
