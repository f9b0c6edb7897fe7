import type { Backend } from '../backend/backend.ts';
import { timeOfNext } from '../backend/journal-follow.ts';
import { timeOfSeq } from '../runtime/ids.ts';
import type { Through } from './store.ts';

/**
 * The time before which everything stored is in the projection: `now` if nothing in the journal comes after the
 * positions. `now` must be read before the positions, and the positions before any item.
 */
export const asOf = async (
  backend: Pick<Backend, 'read'>,
  positions: readonly Through[],
  isCommittedInOrder: boolean,
  now: number,
): Promise<number> => {
  if (positions.length < 2) return 0;
  // Changes of cases are only in the feed.
  const times = await Promise.all(
    positions
      .filter(({ part }) => part !== 'case_changes')
      .map(async (position) => {
        // Entries of lower numbers may have been committed behind a scan. Following finds them.
        if (position.follows === 0 && !isCommittedInOrder) return timeOfSeq(position.seq);
        return (await timeOfNext(backend, position.part, position)) ?? now;
      }),
  );
  return Math.min(now, ...times);
};
