import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const source = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, 'server/src', path), 'utf8'))
  .join('\n');

/** Texts of several words in backticks in the table of log messages; `…` stands for a value. */
const shownMessages = (): string[] => {
  const table = page.slice(page.indexOf('| Level | Message | Meaning |'));
  const rows = table
    .slice(0, table.indexOf('\n\n'))
    .split('\n')
    .slice(2)
    .map((row) => row.slice(row.indexOf(' | ')));
  const texts = rows.flatMap((cells) => [...cells.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string));
  return texts.filter((text) => text.includes(' '));
};

/** The start of every message that the service logs as a warning or an error. */
const loggedMessages = (): string[] =>
  [
    ...source.matchAll(/log\.(?:warn|error|fatal)\(\s*(?:\{[^}]*\},\s*)?['`]([^'`]+)['`]/g),
    ...source.matchAll(/level: '(?:warn|error)',\s*text: '([^']+)'/g),
  ].map(([, message]) => (message as string).split(/;|: |\$\{\w+\}/).find((part) => part !== '') as string);

test('docs/operations.md lists log messages that the service writes', () => {
  const parts = shownMessages().flatMap((message) => message.split(/\s*\(?…\)?\s*/).filter((part) => part !== ''));
  expect(parts.length).toBeGreaterThan(15);
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});

test('docs/operations.md explains every warning and error in the log', () => {
  expect(loggedMessages().length).toBeGreaterThan(20);
  const shown = shownMessages().join('\n');
  expect(loggedMessages().filter((message) => !shown.includes(message.trim()))).toEqual([]);
});
