import { writeFileSync } from 'node:fs';
import { openapi } from '@portcullis/contract';
import { VERSION } from '../server/src/version.ts';

/** Writes the checked-in OpenAPI document anew, for people and tools that read the repository rather than a server. */
writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(openapi(VERSION), null, 2)}\n`);
