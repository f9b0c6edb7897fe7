import { expect, test } from 'vitest';
import { readGuide, withErrorTable } from '../scripts/errors.ts';

test('the table of error codes in the API guide is up to date with the contract', () => {
  const guide = readGuide();
  expect(withErrorTable(guide) === guide, 'docs/api-guide.md is out of date: run `npm run errors`').toBe(true);
});
