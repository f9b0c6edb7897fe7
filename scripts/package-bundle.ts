import { cpSync } from 'node:fs';
import { join } from 'node:path';

export type Dependencies = Readonly<Record<string, string>>;

/** The packages of a lockfile by their folder. */
export type Lock = Readonly<
  Record<string, { readonly dependencies?: Dependencies; readonly optionalDependencies?: Dependencies }>
>;

/** The folder where Node finds `name` from a package in `from`: inside that folder, or one above. */
const findFolder = (lock: Lock, from: string, name: string): string => {
  const folder = join(from, 'node_modules', name);
  if (folder in lock) return folder;
  if (from === '') throw new Error(`${name} is not in the lockfile.`);
  return findFolder(lock, from.slice(0, Math.max(from.lastIndexOf('/node_modules/'), 0)), name);
};

/** The folders of packages, and of all packages that they need. Optional ones are left out: they depend on the system. */
export const findBundled = (lock: Lock, names: readonly string[]): ReadonlySet<string> => {
  const folders = new Set<string>();
  const add = (from: string, name: string): void => {
    const folder = findFolder(lock, from, name);
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const needed of Object.keys(lock[folder]?.dependencies ?? {})) add(folder, needed);
  };
  for (const name of names) add('', name);
  return folders;
};

/** Two thirds of the files of packages: declarations, source maps and folders that are for their developers. */
const UNUSED = /\.[cm]?ts$|\.map$|\/(?:\.github|benchmarks?|docs|examples?|tests?)$/;

/** Copies one package. A package that is nested in it is copied for itself, if it is needed at all. */
export const copyBundled = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('/node_modules') && !UNUSED.test(path) });
