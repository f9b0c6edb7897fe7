import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clientResources } from './client-resources.ts';
import { clientTypes } from './client-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const format = (file: string, text: string): string => {
  const { status, stdout, stderr } = spawnSync('biome', ['format', `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

/** The generated files of the client. */
export const clientFiles = (): { file: string; text: string }[] =>
  [...clientTypes(), ...clientResources()].map(({ file: name, text }) => {
    const file = `client/src/${name}.ts`;
    return { file, text: format(file, text) };
  });

if (import.meta.main) for (const { file, text } of clientFiles()) writeFileSync(`${root}${file}`, text);
