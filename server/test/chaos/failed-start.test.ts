import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder, run, SANDBOX_KEY } from '../fixtures/crash-process.ts';
import { databasePath } from '../fixtures/crash-store.ts';

const serveFrom = (dataDir: string) => run(['serve'], { DATA_DIR: dataDir, PORT: '0', API_KEYS: SANDBOX_KEY });

// A port that is in use has a test of its own, in cli/.
describe.concurrent('a start that fails prints the reason and exits with an error', () => {
  test('because the folder is a file', async () => {
    const dataDir = join(newFolder(), 'file');
    writeFileSync(dataDir, '');
    const { code, stderr } = await serveFrom(dataDir);
    expect([code, stderr]).toEqual([1, expect.stringContaining(dataDir)]);
  });

  test('because the file is not a database', async () => {
    const dataDir = newFolder();
    writeFileSync(databasePath(dataDir), 'nothing that SQLite wrote, but long enough to look at. '.repeat(200));
    const { code, stderr } = await serveFrom(dataDir);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/not a database/)]);
  });
});
