import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { OpenQuote } from './csv.ts';
import { FileError } from './file-error.ts';
import { csvRows, jsonRows, type Row } from './file-rows.ts';
import { type ImportRow, type ImportRowOptions, makeImportRowReader } from './import-row.ts';
import { type Item, type ItemReaderOptions, makeItemReader } from './item-reader.ts';

interface OnRead {
  /** Called from time to time with the number of bytes read so far. */
  readonly onRead?: (bytes: number) => void;
}
export type ReadOptions = ItemReaderOptions & OnRead;

const ROWS_PER_PROGRESS = 1000;

/**
 * Reads the rows of a CSV or NDJSON file, plain or gzipped, as a stream in file order. Throws a FileError with the position,
 * also for one that `read` throws. Rows that `read` leaves out are skipped.
 */
async function* readRows<T>(path: string, read: (row: Row) => T | undefined, { onRead }: OnRead): AsyncGenerator<T> {
  const isJson = /\.(ndjson|jsonl|json)(\.gz)?$/i.test(path);
  const file = createReadStream(path);
  const unzipped = path.endsWith('.gz') ? createGunzip() : undefined;
  if (unzipped !== undefined) {
    file.on('error', (error) => unzipped.destroy(error));
    file.pipe(unzipped);
  }
  const text: AsyncIterable<string> = (unzipped ?? file).setEncoding('utf8');
  let rows = 0;
  try {
    for await (const row of (isJson ? jsonRows : csvRows)(text)) {
      const item = read(row);
      if (rows++ % ROWS_PER_PROGRESS === 0) onRead?.(file.bytesRead);
      if (item !== undefined) yield item;
    }
  } catch (error) {
    if (error instanceof OpenQuote) throw new FileError(`${path}, line ${error.line}: ${error.message}`);
    if (error instanceof FileError) throw new FileError(`${path}, ${error.message}`);
    throw new FileError(`${path} could not be read: ${(error as Error).message}`);
  } finally {
    file.destroy();
  }
}

/** The items of a file, for a backtest or a training. */
export const readItems = (path: string, options: ReadOptions): AsyncGenerator<Item> =>
  readRows(path, makeItemReader(options), options);

/** The rows of a file, for an import. */
export const readImportRows = (path: string, options: ImportRowOptions & OnRead): AsyncGenerator<ImportRow> =>
  readRows(path, makeImportRowReader(options), options);
