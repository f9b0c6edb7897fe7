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

test('the log does not quote a response that is not JSON, which may hold a token', () => {
  const parse = (): unknown => JSON.parse('secret_token');
  expect(parse).toThrow('secret_tok');
  try {
    parse();
  } catch (cause) {
    expect(JSON.stringify(reasonOf(new Error('failed to parse', { cause })))).not.toContain('secret');
  }
  expect(reasonOf(new Error('fetch failed', { cause: new Error('ECONNREFUSED') })).cause).toBe('ECONNREFUSED');
});
