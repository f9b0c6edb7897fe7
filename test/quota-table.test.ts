import { expect, test } from 'vitest';
import { readGuide } from '../scripts/errors.ts';
import { withQuotaTable } from '../scripts/quotas.ts';

test('the table of quotas in the API guide is up to date with the contract', () => {
  const guide = readGuide();
  expect(withQuotaTable(guide) === guide, 'docs/api-guide.md is out of date: run `npm run quotas`').toBe(true);
});
