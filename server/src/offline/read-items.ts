import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { OpenQuote } from './csv.ts';
import { FileError } from './file-error.ts';
import { csvRows, jsonRows, type Row, untilError } from './file-rows.ts';
import { type ImportRow, type ImportRowOptions, makeImportRowReader } from './import-row.ts';
import { BLOCK_ITEMS, type Item, type ItemReaderOptions, makeItemReader } from './item-reader.ts';

interface OnRead {
  /** Called from time to time with the number of bytes read so far. */
  readonly onRead?: (bytes: number) => void;
}
export type ReadOptions = ItemReaderOptions & OnRead;

/**
 * Reads the rows of a CSV or NDJSON file, plain or gzipped, as a stream of blocks in file order. Throws a FileError with the
 * position, also for one that `read` throws. Rows that `read` leaves out are skipped.
 */
async function* readBlocks<T>(
  path: string,
  read: (row: Row) => T | undefined,
  { onRead }: OnRead,
): AsyncGenerator<readonly T[]> {
  const isJson = /\.(ndjson|jsonl|json)(\.gz)?$/i.test(path);
  const file = createReadStream(path);
  const unzipped = path.endsWith('.gz') ? createGunzip() : undefined;
  if (unzipped !== undefined) {
    file.on('error', (error) => unzipped.destroy(error));
    file.pipe(unzipped);
  }
  const text: AsyncIterable<string> = (unzipped ?? file).setEncoding('utf8');
  try {
    for await (const rows of (isJson ? jsonRows : csvRows)(text)) {
      onRead?.(file.bytesRead);
      for (let from = 0; from < rows.length; from += BLOCK_ITEMS)
        yield* untilError(rows.slice(from, from + BLOCK_ITEMS), read);
    }
  } catch (error) {
    if (error instanceof OpenQuote) throw new FileError(`${path}, line ${error.line}: ${error.message}`);
    if (error instanceof FileError) throw new FileError(`${path}, ${error.message}`);
    throw new FileError(`${path} could not be read: ${(error as Error).message}`);
  } finally {
    file.destroy();
  }
}

async function* flatten<T>(blocks: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const block of blocks) yield* block;
}

/** The items of a file in blocks, for a backtest. Each block is valid until the next one is read. */
export const readItemBlocks = (path: string, options: ReadOptions): AsyncGenerator<readonly Item[]> =>
  readBlocks(path, makeItemReader(options), options);

/** The items of a file one by one, for a training. */
export const readItems = (path: string, options: ReadOptions): AsyncGenerator<Item> =>
  flatten(readItemBlocks(path, options));

/** The rows of a file, for an import. */
export const readImportRows = (path: string, options: ImportRowOptions & OnRead): AsyncGenerator<ImportRow> =>
  flatten(readBlocks(path, makeImportRowReader(options), options));
