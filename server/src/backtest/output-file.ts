import { accessSync, closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileFault } from './items.ts';

const orTell = <T>(path: string, act: () => T): T => {
  try {
    return act();
  } catch (error) {
    throw new FileFault(`${path} could not be written: ${(error as Error).message}`);
  }
};

/** Before hours of work, whether its result can be written, and does not take the place of the history it comes from. */
export const checkOutput = (path: string, history: string): void => {
  if (resolve(path) === resolve(history))
    throw new FileFault(`${path} could not be written: it is the history itself; name another file`);
  orTell(path, () => accessSync(existsSync(path) ? path : dirname(resolve(path)), constants.W_OK));
};

export const writeOutput = (path: string, text: string): void => orTell(path, () => writeFileSync(path, text));

const CHUNK_CHARACTERS = 65_536;

/** A file that grows line by line. Written at once, for what goes wrong in between would have nobody to be told to. */
export const openOutput = (path: string) => {
  const file = orTell(path, () => openSync(path, 'w'));
  let lines = '';
  const flush = (): void => {
    orTell(path, () => writeFileSync(file, lines));
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
