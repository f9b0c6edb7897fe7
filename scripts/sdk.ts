import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildScript, integrityOf } from './sdk-build.ts';

/** Writes the checked-in script of the device SDK, and its hash in the documentation. */
const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

const script = await buildScript();
mkdirSync(path('server/sdk'), { recursive: true });
writeFileSync(path('server/sdk/device.js'), script);

const page = path('docs/device.md');
const text = readFileSync(page, 'utf8').replaceAll(/sha384-[\w+/=]{64}/g, integrityOf(script));
writeFileSync(page, text);
