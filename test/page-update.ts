import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Block } from './page-blocks.ts';

const ROOT = join(import.meta.dirname, '..');

/** Set by `npm run page-figures`: tests then write the actual output into the pages instead of comparing it. */
export const isUpdating = process.env.UPDATE_PAGES !== undefined;

export const readPage = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const writePage = (path: string, text: string): void => writeFileSync(join(ROOT, path), text);

/** Expects the page to be this text, or writes it. */
export const expectPage = (path: string, expected: string): void => {
  if (isUpdating) writePage(path, expected);
  else expect(readPage(path).split('\n')).toEqual(expected.split('\n'));
};

/** The page with another text in each of these blocks. */
export const withBlocks = (markdown: string, changes: readonly { block: Block; text: string }[]): string => {
  const lines = markdown.split('\n');
  for (const { block, text } of changes.toSorted((a, b) => b.block.line - a.block.line))
    lines.splice(block.line, block.text.split('\n').length, ...text.split('\n'));
  return lines.join('\n');
};

/** Expects each block of the page to have its text, or writes the texts. */
export const expectBlocks = (path: string, blocks: readonly Block[], texts: readonly string[]): void => {
  if (isUpdating) {
    expect(texts).toHaveLength(blocks.length);
    const changes = blocks.map((block, i) => ({ block, text: texts[i] as string }));
    writePage(path, withBlocks(readPage(path), changes));
  } else expect(texts).toEqual(blocks.map(({ text }) => text));
};
