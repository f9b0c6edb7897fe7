import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Files that the service reads as they are. */
const ASSETS = [
  'LICENSE',
  'server/console/*',
  'server/models/*',
  'server/sdk/*.js',
  'server/src/**/*.{js,lua,table}',
  // The guides at /docs, and their pictures.
  'docs/*.md',
  'docs/console/*.webp',
];
const SOURCES = ['server/bin/*.js', '{contract,engine,server}/src/**/*.ts'];
const LEFT_OUT = /\.test\.ts$|-fixture\.ts$|\.d\.ts$/;

/** The file behind each name that a workspace exports, such as `@portcullis/contract/values`. */
const exportedFiles = (): ReadonlyMap<string, string> =>
  new Map(
    ['contract', 'engine'].flatMap((folder) => {
      const { name, exports } = JSON.parse(readText(`${folder}/package.json`)) as {
        name: string;
        exports: Record<string, string>;
      };
      return Object.entries(exports).map(
        ([path, file]) => [posix.join(name, path), posix.join(folder, file)] as [string, string],
      );
    }),
  );

/** Paths of other source files in quotes: imports, and files of threads. */
const SOURCE_PATH = /(?<=')(\.{1,2}\/[\w./-]+)\.ts(?=')/g;
const WORKSPACE = /(?<=')@portcullis\/[\w/-]+(?=')/g;

/** JavaScript of a source file. Node runs no TypeScript inside `node_modules`. Lines and columns stay the same. */
const toJavaScript = (path: string, files: ReadonlyMap<string, string>): string =>
  stripTypeScriptTypes(readText(path))
    .replaceAll(WORKSPACE, (name) => {
      const file = files.get(name);
      if (file === undefined) throw new Error(`${path} imports ${name}, which no workspace exports.`);
      return posix.relative(dirname(path), file);
    })
    .replaceAll(SOURCE_PATH, '$1.js');

/** Copies the files of the service to `folder`, with the source as JavaScript in the same layout. */
export const copyFiles = (folder: string): void => {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of globSync(ASSETS, { cwd: root })) cpSync(join(root, path), join(folder, path));
  const files = exportedFiles();
  for (const path of globSync(SOURCES, { cwd: root }))
    if (!LEFT_OUT.test(path)) write(path.replace(/\.ts$/, '.js'), toJavaScript(path, files));
};
