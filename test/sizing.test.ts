import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** The numbers of the first line that has these words, from where they end. */
const numbersAfter = (page: string, words: string): number[] => {
  const line = read(page)
    .split('\n')
    .find((one) => one.includes(words));
  if (line === undefined) throw new Error(`${page} does not say "${words}"`);
  const told = line.slice(line.indexOf(words) + words.length);
  return [...told.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')));
};
const measured = (words: string, at = 0): number => numbersAfter('bench/RESULTS.md', words)[at] as number;

/** Lines of the bench's tables, by how they begin. */
const EMBEDDED = '| 100,000 |';
const SHARED = 'processor time per screening: process, PostgreSQL, Redis |';
const MESSAGES = 'that are owed |';
const MS = 1e-3;

test.each([
  ['docs/operations.md', 'Processor, embedded |', [measured(EMBEDDED, 4) * MS]],
  ['docs/operations.md', 'Processor, PostgreSQL and Redis |', [0, 1, 2].map((at) => measured(SHARED, at) * MS)],
  ['docs/operations.md', 'for each message delivered | bench:', [measured(MESSAGES)]],
  ['docs/scale.md', '1,000,000 stored |', [measured('| 20,000 |', 1), measured(EMBEDDED, 1)]],
  ['docs/scale.md', 'Webhook messages a second', [measured(MESSAGES)]],
  ['docs/scale.md', 'Screenings a second, one process, 32 connections |', [measured('one process, 32 connections |')]],
  ['docs/scale.md', 'Processor time of a process, for a screening |', [measured(SHARED) * MS]],
  ['docs/scale.md', '| of PostgreSQL |', [measured(SHARED, 1) * MS]],
  ['docs/scale.md', '| of Redis |', [measured(SHARED, 2) * MS]],
])('%s plans with what the bench measured, within a fifth: %s', (page, words, expected) => {
  const told = numbersAfter(page, words).slice(0, expected.length);
  const off = expected.map((value, at) => Math.abs((told[at] as number) / value - 1));
  expect(
    off.filter((part) => !(part <= 0.2)),
    `${told} against ${expected}`,
  ).toEqual([]);
});
