import { setTimeout } from 'node:timers/promises';
import { countJournal } from '../backend/journal-pages.ts';
import { openRecordStore } from '../backend/open.ts';
import { openProjection } from '../backend/open-projection.ts';
import { makeServiceIdentities } from '../backend/service-identities.ts';
import type { Config } from '../config.ts';
import { openInstallation } from '../installation.ts';
import { makeProgress } from '../runtime/progress-bar.ts';
import { print, printError } from '../runtime/terminal.ts';
import { runPass } from '../search/project.ts';

const RETRY_MS = 100;

/**
 * Writes the projection of search again from the stored screenings and labels. A service that runs at the same
 * time takes part: the process that holds the position writes the next page.
 */
export const rebuildSearch = async (config: Config): Promise<void> => {
  const { identityKey } = await openInstallation(config);
  const records = await openRecordStore(config);
  const projection = await openProjection(records.connect(), printError);
  try {
    const total = await countJournal(records, Number.MAX_SAFE_INTEGER);
    const progress = makeProgress('writing', total);
    const identities = makeServiceIdentities(identityKey);
    let done = 0;
    const pass = (): Promise<boolean> =>
      runPass({
        projection,
        identities,
        onUnreadable: (seq) => printError(`The stored screening ${seq} cannot be read and is left out.`),
        isStopped: () => false,
        onPage: (entries) => {
          done += entries;
          progress.at(done);
        },
      });
    await projection.write(projection.clear);
    while (!(await projection.journal.tryWithLock('search', pass))) await setTimeout(RETRY_MS);
    progress.end();
    print(`Search was written again from ${total} screenings and labels.`);
  } finally {
    await projection.close();
    await records.close();
  }
};
