import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('../client', import.meta.url));
const { name, version, description, license } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));

const MANIFEST = {
  name,
  version,
  description,
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20' },
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
};

/** Builds the npm package of the client: JavaScript and declarations without dependencies. */
export const makeClientPackage = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  execFileSync('tsc', ['-p', join(client, 'tsconfig.build.json'), '--outDir', folder], { stdio: 'inherit' });
  for (const file of readdirSync(folder).filter((file) => file.endsWith('.d.ts'))) {
    const path = join(folder, file);
    // The compiler rewrites `.ts` imports in JavaScript but not in declarations, where they would name missing files.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/((?:from |import\()'\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`);
  copyFileSync(join(client, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(client, '../LICENSE'), join(folder, 'LICENSE'));
};

if (import.meta.main) makeClientPackage(process.argv[2] ?? join(client, 'dist'));
