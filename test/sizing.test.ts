import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** The numbers after `words` in the first line that contains them. */
const numbersAfter = (page: string, words: string): number[] => {
  const line = read(page)
    .split('\n')
    .find((one) => one.includes(words));
  if (line === undefined) throw new Error(`${page} does not contain "${words}"`);
  const shown = line.slice(line.indexOf(words) + words.length);
  return [...shown.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')));
};
const measured = (words: string, at = 0): number => numbersAfter('bench/RESULTS.md', words)[at] as number;

/** Beginnings of lines in the benchmark's tables. */
const EMBEDDED = '| 100,000 |';
const SHARED = 'CPU time per screening: process, PostgreSQL, Redis |';
const MESSAGES = 'pending webhooks |';
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
])('%s has figures within 20 % of the benchmark: %s', (page, words, expected) => {
  const shown = numbersAfter(page, words).slice(0, expected.length);
  const off = expected.map((value, at) => Math.abs((shown[at] as number) / value - 1));
  expect(
    off.filter((part) => !(part <= 0.2)),
    `${shown} against ${expected}`,
  ).toEqual([]);
});
