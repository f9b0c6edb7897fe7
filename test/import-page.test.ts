import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../server/test/fixtures/harness.ts';
import { type Block, blocksOf } from './page-blocks.ts';
import { openShell } from './page-shell.ts';
import { expectBlocks, readPage } from './page-update.ts';

const PAGE = 'docs/import.md';
const folder = mkdtempSync(join(tmpdir(), 'portcullis-import-page-'));
const service = await startService({ logLevel: 'silent' });
const shell = openShell({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  PORTCULLIS_URL: service.url,
  PORTCULLIS_KEY: await service.key({ role: 'manager' }),
});
afterAll(() => {
  shell.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The time of an import, which differs on every machine. */
const TIME = /in [\d.]+ s/;

test('docs/import.md shows what its first commands print', async () => {
  const [commands, shown] = blocksOf(readPage(PAGE)) as [Block, Block];
  expect([commands.language, shown.language]).toEqual(['sh', '']);
  await shell.run(`cd '${join(import.meta.dirname, '..')}'`);
  const printed = await shell.run(commands.text.replaceAll('/tmp/', `${folder}/`));
  const lines = printed.trim().replaceAll(`${folder}/`, '/tmp/');
  expectBlocks(PAGE, [shown], [lines.replace(TIME, TIME.exec(shown.text)?.[0] as string)]);
});
