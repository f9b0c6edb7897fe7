import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Sink } from './stream-sink.ts';

const MODE = 0o600;
const NEWLINE = Buffer.from('\n');

interface OpenFile {
  readonly handle: FileHandle;
  readonly id: string;
  /** Whether the file ends within a line, because a process ended or the disk was full while it was written. */
  readonly endsWithinLine: boolean;
}

const idOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${dev}:${ino}`;

/** Identifies the file at a path; undefined without one. */
const fileAt = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(idOf, (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Makes a new file survive a power failure. Best effort: some folders cannot be opened, or refuse it. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
};

const isWithinLine = async (handle: FileHandle, size: number): Promise<boolean> => {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return !buffer.equals(NEWLINE);
};

const openFile = async (path: string): Promise<OpenFile> => {
  // For reading too, to see the last byte. It also keeps a named pipe from blocking.
  const handle = await open(path, 'a+', MODE);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    await syncFolder(dirname(path));
    return { handle, id: idOf(stats), endsWithinLine: await isWithinLine(handle, Number(stats.size)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Appends entries to a file, one line of JSON each. A file that was rotated away is left, and a new one created. */
export const makeFileSink = (path: string): Sink => {
  let file: OpenFile | undefined;

  const close = async (): Promise<void> => {
    const closed = file;
    file = undefined;
    await closed?.handle.close();
  };
  const currentFile = async (): Promise<OpenFile> => {
    if (file !== undefined && file.id === (await fileAt(path))) return file;
    await close();
    file = await openFile(path);
    return file;
  };
  const append = async (lines: string): Promise<void> => {
    const { handle, endsWithinLine } = await currentFile();
    await handle.appendFile(endsWithinLine ? `\n${lines}` : lines);
    await handle.datasync();
    if (file?.endsWithinLine) file = { ...file, endsWithinLine: false };
    if ((await handle.stat()).nlink === 0) throw new Error(`${path} was deleted while it was written`);
  };

  return {
    write: async (entries) => {
      try {
        await append(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      } catch (error) {
        // Part of a line may be written. The next attempt opens the file again and looks at its end.
        await close().catch(() => {});
        throw error;
      }
    },
    close,
  };
};
