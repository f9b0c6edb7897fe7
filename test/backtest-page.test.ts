import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksOf } from './page-blocks.ts';
import { openShell } from './page-shell.ts';

const blocks = blocksOf(readFileSync(new URL('../docs/backtest.md', import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'portcullis-backtest-page-'));
const shell = openShell({ PATH: process.env.PATH ?? '', HOME: folder });
afterAll(() => {
  shell.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The printed lines, without the speed, which differs on every machine. */
const figuresIn = (output: string): string[] =>
  output
    .replaceAll(`${folder}/`, '/tmp/')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/per second/.test(line));

test('docs/backtest.md shows the figures that its first commands print', async () => {
  const [commands, shown] = blocks;
  expect([commands?.language, shown?.language]).toEqual(['sh', '']);
  await shell.run(`cd '${join(import.meta.dirname, '..')}'`);
  const printed = await shell.run((commands?.text ?? '').replaceAll('/tmp/', `${folder}/`));
  expect(figuresIn(shown?.text ?? '')).toEqual(figuresIn(printed));
});
