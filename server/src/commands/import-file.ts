import { statSync } from 'node:fs';
import { FileError } from '../offline/file-error.ts';
import { type Chunk, readChunks } from '../offline/import-chunks.ts';
import { readImportRows } from '../offline/read-items.ts';
import { makeProgress } from '../runtime/progress-bar.ts';
import { print, printError } from '../runtime/terminal.ts';
import { failRun, failUsage } from './fail.ts';
import { ImportStopped, makeSender, type Sender } from './import-sender.ts';

export interface ImportFlags {
  url: string;
  labelDelay: number;
  until?: number;
}

const count = (value: number): string => value.toLocaleString('en');

/** Reads the whole file once before anything is sent: a file with an error changes nothing. */
const checkFile = async (path: string, until: number, size: number | undefined): Promise<void> => {
  const progress = makeProgress('checking', size);
  const warn = (message: string): void => printError(`Warning: ${message}`);
  for await (const _ of readImportRows(path, { warn, until, onRead: progress.at }));
  progress.end();
};

const sendFile = async (chunks: AsyncIterable<Chunk>, send: Sender) => {
  const sums = { imported: 0, labelled: 0, repeated: 0 };
  for await (const chunk of chunks) {
    const result = await send(chunk);
    for (const name of ['imported', 'labelled', 'repeated'] as const) sums[name] += result[name];
  }
  return sums;
};

/** Imports the items and labels of a file into the running service. */
export const importFile = async (path: string, key: string | undefined, flags: ImportFlags): Promise<void> => {
  if (key === undefined || key === '')
    return failUsage('set PORTCULLIS_KEY to an API key with the permission tune: roles admin and manager.');
  const began = performance.now();
  const now = Date.now();
  const { until = Number.POSITIVE_INFINITY } = flags;
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  try {
    await checkFile(path, until, size);
    const progress = makeProgress('importing', size);
    const rows = readImportRows(path, { warn: () => {}, until, onRead: progress.at });
    const sums = await sendFile(readChunks(rows, { labelDelayMs: flags.labelDelay, now }), makeSender(flags.url, key));
    progress.end();
    const seconds = (performance.now() - began) / 1000;
    print(
      `Imported ${count(sums.imported)} items and ${count(sums.labelled)} labels in ${seconds.toFixed(1)} s. ` +
        `${count(sums.repeated)} were there before.`,
    );
  } catch (error) {
    if (error instanceof FileError) return failUsage(error.message);
    if (!(error instanceof ImportStopped)) throw error;
    failRun(`${error.message} Everything before is imported. Run the same command again to continue.`);
  }
};
