import { afterAll } from 'vitest';
import { endFile } from './after-file.ts';

// Read anew for each test file, and before it: what it sets up runs after all hooks of the file itself.
afterAll(endFile, 90_000);
