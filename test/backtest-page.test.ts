import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Block, blocksOf } from './page-blocks.ts';
import { openShell } from './page-shell.ts';
import { expectBlocks, readPage } from './page-update.ts';

const PAGE = 'docs/backtest.md';
const folder = mkdtempSync(join(tmpdir(), 'portcullis-backtest-page-'));
const shell = openShell({ PATH: process.env.PATH ?? '', HOME: folder });
afterAll(() => {
  shell.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The time and the speed of a replay, which differ on every machine. */
const SPEED = /in [\d.]+ s \([\d,]+ per second\)/;

test('docs/backtest.md shows the figures that its first commands print', async () => {
  const [commands, shown] = blocksOf(readPage(PAGE)) as [Block, Block];
  expect([commands.language, shown.language]).toEqual(['sh', '']);
  await shell.run(`cd '${join(import.meta.dirname, '..')}'`);
  const printed = await shell.run(commands.text.replaceAll('/tmp/', `${folder}/`));
  const lines = printed.trim().replaceAll(`${folder}/`, '/tmp/');
  expectBlocks(PAGE, [shown], [lines.replace(SPEED, SPEED.exec(shown.text)?.[0] as string)]);
});
