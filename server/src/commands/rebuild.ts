import { setTimeout } from 'node:timers/promises';
import { rebuildHistories } from '../backend/open.ts';
import type { Config } from '../config.ts';
import { openInstallation } from '../installation.ts';
import { makeProgress, type Progress } from '../runtime/progress-bar.ts';
import { print } from '../runtime/terminal.ts';
import { failRun, failUsage } from './fail.ts';

/** Rebuilds lost histories in Redis from the stored screenings and labels. The service may keep running. */
export const rebuild = async (config: Config, pause: (ms: number) => Promise<unknown> = setTimeout): Promise<void> => {
  if (config.shared === undefined)
    return failUsage('DATABASE_URL is not set. The embedded store rebuilds its histories by itself at the start.');
  const { identityKey } = await openInstallation(config);
  let folding: Progress | undefined;
  let restoring: Progress | undefined;
  const rebuilt = await rebuildHistories(
    { ...config, shared: config.shared },
    {
      identityKey,
      pause,
      onFolded: (done, total) => {
        folding ??= makeProgress('folding', total);
        folding.at(done);
      },
      onWaiting: (ms) => {
        folding?.end();
        folding = undefined;
        print(`Waiting ${Math.ceil(ms / 1000)} s for screenings in progress.`);
      },
      onRestored: (done) => {
        if (restoring === undefined) folding?.end();
        restoring ??= makeProgress('restoring');
        restoring.at(done);
      },
    },
  );
  restoring?.end();
  const { rows, restored, forced, isComplete } = rebuilt;
  print(`Rebuilt ${restored} histories and profiles from ${rows} screenings and labels.`);
  if (forced > 0)
    print(`${forced} of them were too busy: their screenings of the last seconds before the rebuild are not counted.`);
  if (!isComplete) {
    failRun('Redis lost histories again during the rebuild. Find the cause, then run portcullis rebuild again.');
  }
};
