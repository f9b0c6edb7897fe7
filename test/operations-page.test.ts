import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const source = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, 'server/src', path), 'utf8'))
  .join('\n');

/** Texts in backticks in the second column of the table of log messages; `…` stands for a value. */
const shownMessages = (): string[] => {
  const table = page.slice(page.indexOf('| Level | Message | Meaning |'));
  const rows = table
    .slice(0, table.indexOf('\n\n'))
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ')[1] ?? '');
  return rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string));
};

test('docs/operations.md lists log messages that the service writes', () => {
  const parts = shownMessages().flatMap((message) => message.split(/\s*\(?…\)?\s*/).filter((part) => part !== ''));
  expect(parts.length).toBeGreaterThan(15);
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});
