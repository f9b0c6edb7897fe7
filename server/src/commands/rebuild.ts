import { makeHistoriesAnew } from '../backend/open.ts';
import type { Config } from '../config.ts';
import { makeProgress, type Progress } from '../progress.ts';
import { complain, say } from '../say.ts';

/** Makes the histories anew from the stored screenings and labels, after they were lost. The service may run meanwhile. */
export const rebuild = async (config: Config): Promise<void> => {
  let folding: Progress | undefined;
  let restoring: Progress | undefined;
  const rebuilt = await makeHistoriesAnew(config, {
    onFolded: (done, total) => {
      folding ??= makeProgress('folding', total);
      folding.at(done);
    },
    onWaiting: (ms) => {
      folding?.end();
      folding = undefined;
      say(`What was screened last is waited for: ${Math.ceil(ms / 1000)} s.`);
    },
    onRestored: (done) => {
      if (restoring === undefined) folding?.end();
      restoring ??= makeProgress('restoring');
      restoring.at(done);
    },
  });
  restoring?.end();
  if (rebuilt === undefined) {
    complain(
      'The embedded store keeps its histories with its records, and makes them anew by itself when they are gone.',
    );
    process.exitCode = 2;
    return;
  }
  const { rows, restored, forced, isWhole } = rebuilt;
  say(`${restored} histories and profiles were made anew from ${rows} screenings and labels.`);
  if (forced > 0)
    say(
      `${forced} of them are so busy that what they were part of in the last seconds before it could not be counted.`,
    );
  if (!isWhole) {
    complain('Redis has lost histories again since this began. Find out why, and run it once more.');
    process.exitCode = 1;
  }
};
