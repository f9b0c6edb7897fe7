import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { OpenQuote } from './csv.ts';
import { FileError } from './file-error.ts';
import { csvRows, jsonRows } from './file-rows.ts';
import { type Item, type ItemReaderOptions, makeItemReader } from './item-reader.ts';

export interface ReadOptions extends ItemReaderOptions {
  /** Called from time to time with the number of bytes read so far. */
  readonly onRead?: (bytes: number) => void;
}

const ROWS_PER_PROGRESS = 1000;

/**
 * Reads the items of a CSV or NDJSON file, plain or gzipped, as a stream in file order. Throws a FileError with the
 * position.
 */
export async function* readItems(path: string, options: ReadOptions): AsyncGenerator<Item> {
  const isJson = /\.(ndjson|jsonl|json)(\.gz)?$/i.test(path);
  const read = makeItemReader(options);
  const file = createReadStream(path);
  const unzipped = path.endsWith('.gz') ? createGunzip() : undefined;
  if (unzipped !== undefined) {
    file.on('error', (error) => unzipped.destroy(error));
    file.pipe(unzipped);
  }
  const text: AsyncIterable<string> = (unzipped ?? file).setEncoding('utf8');
  try {
    for await (const row of (isJson ? jsonRows : csvRows)(text)) {
      const item = read(row);
      if (item.row % ROWS_PER_PROGRESS === 0) options.onRead?.(file.bytesRead);
      yield item;
    }
  } catch (error) {
    if (error instanceof OpenQuote) throw new FileError(`${path}, line ${error.line}: ${error.message}`);
    if (error instanceof FileError) throw new FileError(`${path}, ${error.message}`);
    throw new FileError(`${path} could not be read: ${(error as Error).message}`);
  } finally {
    file.destroy();
  }
}
