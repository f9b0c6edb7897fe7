import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The Chromium of the machine: TEST_CHROMIUM, or the first `chromium` on the path. Nothing is downloaded. */
export const CHROMIUM: string | undefined = [
  process.env.TEST_CHROMIUM,
  ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')),
].find((path) => path !== undefined && isExecutable(path));
