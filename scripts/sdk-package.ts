import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildModule } from './sdk-build.ts';

/** Builds the npm package of the device SDK. `npm pack` runs it. */
const device = fileURLToPath(new URL('../device', import.meta.url));

mkdirSync(`${device}/dist`, { recursive: true });
writeFileSync(`${device}/dist/index.js`, await buildModule());
const onlyTypes = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
const folders = ['--rootDir', `${device}/src`, '--outDir', `${device}/dist`];
execFileSync('tsc', ['-p', device, ...onlyTypes, ...folders], { stdio: 'inherit' });
