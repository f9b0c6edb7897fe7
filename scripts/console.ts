import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './console-build.ts';

/** Writes the checked-in files of the console. */
const folder = fileURLToPath(new URL('../server/console/', import.meta.url));
const files = await buildConsole();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, content] of files) writeFileSync(folder + name, content);
