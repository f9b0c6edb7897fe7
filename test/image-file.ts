import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}
export interface Stage {
  readonly from: string;
  readonly as: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Dockerfile, one instruction after the other. */
export const readStages = (): Stage[] => {
  const lines = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', flagged = '', rest = ''] = /^([A-Z]+) +((?:--[\w-]+=\S+ +)*)(.*)$/.exec(line) ?? [];
    const flags = Object.fromEntries([...flagged.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key, value]));
    if (name === 'FROM') {
      const [from = '', , as] = rest.split(' ');
      stages.push({ from, as, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, flags, rest });
  }
  return stages;
};

/** `*` is anything within a name, `**` any number of folders. */
const toRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))}(?:/.*)?$`,
  );

/** Whether Docker sends a file to the builder. The last line of .dockerignore that names the file, or a folder above it, applies. */
export const makeContextFilter = (): ((path: string) => boolean) => {
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isSent: line.startsWith('!'), pattern: toRegExp(line.replace(/^!/, '')) }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.isSent ?? true;
};

/** Files of the working copy that Docker sends to the builder. */
export const contextFiles = (): string[] => {
  const isSent = makeContextFilter();
  const within = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      // Both are large, and no file of them is sent.
      if (entry.name === 'node_modules' || entry.name === '.git') return [];
      return entry.isDirectory() ? within(path) : isSent(path) ? [path] : [];
    });
  return within('.');
};
