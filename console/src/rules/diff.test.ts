import { expect, test } from 'vitest';
import { diffOf } from './diff.ts';

const marks = { same: ' ', added: '+', removed: '-' };
const shown = (before: string, after: string): string =>
  diffOf(before, after)
    .map(({ kind, text }) => marks[kind] + text)
    .join('\n');

test('a diff has every line of both texts, and the common ones once', () => {
  expect(shown('a\nb\nc', 'a\nx\nc\nd')).toBe(' a\n-b\n+x\n c\n+d');
  expect(shown('same', 'same')).toBe(' same');
  expect(shown('a\nb', 'b')).toBe('-a\n b');
});
