import { expect, test } from 'vitest';
import { reasonOf } from './provider-errors.ts';

test.each([
  ['access_denied', 'access_denied'],
  ['ada@example.com', undefined],
  ['4111 1111 1111 1111', undefined],
  ['x'.repeat(65), undefined],
  [{ text: 'ada' }, undefined],
])('the log has the error code of the provider, and no other text in its place: %s', (error, logged) => {
  expect(reasonOf(Object.assign(new Error('refused'), { error })).error).toBe(logged);
});
