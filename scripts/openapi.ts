import { writeFileSync } from 'node:fs';
import { openapi } from '@portcullis/contract';
import { VERSION } from '../server/src/runtime/version.ts';

/** Writes the checked-in OpenAPI document, for readers and tools without a running server. */
writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(openapi(VERSION), null, 2)}\n`);
