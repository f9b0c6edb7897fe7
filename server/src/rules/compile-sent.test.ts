import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { compileSent } from './compile-sent.ts';

describe('an expression with a card number', () => {
  test.each([
    ['payment_fingerprint == "4111 1111 1111 1111"', 32],
    ['amount > 4111111111111111', 16],
    ["metadata.card == '４１１１-1111-1111-1111'", 26],
    ['metadata.card in ["A-1", "4111,1111,1111,1111"]', 34],
    ['amount > 1 // 4111.1111.1111.1111', 22],
  ])('is refused at its place, and not shown: %s', (expression, column) => {
    const { error } = compileSent(expression) as { error: { line: number; column: number; message: string } };
    expect(error).toMatchObject({ line: 1, column, message: 'the expression contains what looks like a card number' });
    expect(JSON.stringify(error)).not.toMatch(/1111\D?1111\D?1111/);
  });

  test('still works if an earlier release stored it', () => {
    expect(compile('payment_fingerprint == "4111.1111.1111.1111"')).not.toHaveProperty('error');
  });
});

test('a list of codes is not a card number, although its digits in a row would be one', () => {
  expect(compileSent('metadata.mcc in ["5555", "5555", "5555", "4444"]')).not.toHaveProperty('error');
  expect(compileSent('amount in [5555, 5555, 5555, 4444]')).not.toHaveProperty('error');
});
