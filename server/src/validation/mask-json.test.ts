import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskJson } from './mask-json.ts';

describe('maskJson', () => {
  test.each([
    ['{"a":"4111111111111111"}', '{"a":"411111******1111"}'],
    ['{"a":"\\u0034111111111111111"}', '{"a":"411111******1111"}'],
    ['{"4111 1111 1111 1111":1}', '{"4111 11** **** 1111":1}'],
    ['{"a":4111111111111111}', '{"a":"411111******1111"}'],
    ['{"a":4111111111111111.0}', '{"a":"411111******1111.0"}'],
    ['[["x\\n4111-1111-1111-1111"]]', '[["x\\n4111-11**-****-1111"]]'],
  ])('masks strings, names and numbers: %s', (json, masked) => {
    expect(maskJson(json)).toBe(masked);
  });

  test.each(['{"a":4111,"b":1111,"c":1111,"d":1111}', '["4111","1111","1111","1111"]', '[4111, 1111, 1111, 1111]'])(
    'does not join values: %s',
    (json) => {
      expect(maskJson(json)).toBe(json);
    },
  );

  test.each(['[[-82786.06136348788]]', '{"a":41111111.11111111}'])(
    'keeps a number that is no card number: %s',
    (json) => {
      expect(maskJson(json)).toBe(json);
    },
  );

  test('returns JSON without card numbers byte by byte', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        fc.pre(!/\d{13}/.test(json));
        expect(maskJson(json)).toBe(json);
      }),
    );
  });

  test('takes nesting of any depth', () => {
    const deep = `${'['.repeat(30_000)}"4111111111111111"${']'.repeat(30_000)}`;
    expect(maskJson(deep)).toContain('411111******1111');
  });
});
