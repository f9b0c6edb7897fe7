import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildModule, buildScript, integrityOf } from './sdk-build.ts';

/** Writes the checked-in script of the device SDK anew, its hash in the documentation, and what the npm package ships. */
const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

const script = await buildScript();
mkdirSync(path('server/sdk'), { recursive: true });
writeFileSync(path('server/sdk/device.js'), script);

const page = path('docs/device.md');
const renewed = readFileSync(page, 'utf8').replaceAll(/sha384-[\w+/=]{64}/g, integrityOf(script));
writeFileSync(page, renewed);

mkdirSync(path('device/dist'), { recursive: true });
writeFileSync(path('device/dist/index.js'), await buildModule());
const types = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', path('device/src')];
execFileSync('tsc', ['-p', path('device'), ...types, '--outDir', path('device/dist')], { stdio: 'inherit' });
