import { accessSync, closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileError } from './file-error.ts';

/** Turns an error of `act` into a FileError that names the file. */
const withPath = <T>(path: string, act: () => T): T => {
  try {
    return act();
  } catch (error) {
    throw new FileError(`${path} could not be written: ${(error as Error).message}`);
  }
};

/** Checks before a long run that the output can be written and does not overwrite the history. */
export const checkOutput = (path: string, history: string): void => {
  if (resolve(path) === resolve(history))
    throw new FileError(`${path} could not be written: it is the history itself; choose another file`);
  withPath(path, () => accessSync(existsSync(path) ? path : dirname(resolve(path)), constants.W_OK));
};

export const writeOutput = (path: string, text: string): void => withPath(path, () => writeFileSync(path, text));

const CHUNK_CHARACTERS = 65_536;

/** Opens a file that grows line by line. Writes are synchronous, so that an error reaches the caller. */
export const openOutput = (path: string) => {
  const file = withPath(path, () => openSync(path, 'w'));
  let lines = '';
  const flush = (): void => {
    withPath(path, () => writeFileSync(file, lines));
    lines = '';
  };
  return {
    add: (line: string): void => {
      lines += line;
      if (lines.length >= CHUNK_CHARACTERS) flush();
    },
    end: (): void => {
      flush();
      closeSync(file);
    },
  };
};
