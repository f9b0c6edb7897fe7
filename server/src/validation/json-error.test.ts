import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonError } from './json-error.ts';

describe('findJsonError', () => {
  test.each<[text: string, line: number, column: number, expected: RegExp]>([
    ['', 1, 1, /^a value$/],
    ['{', 1, 2, /^a field name in double quotes$/],
    ['{"a":', 1, 6, /^a value$/],
    ["{'a':1}", 1, 2, /^a field name in double quotes$/],
    ['{a:1}', 1, 2, /^a field name in double quotes$/],
    ['{"a":\'x\'}', 1, 6, /^a value, with strings in double quotes$/],
    ['{"a":1,}', 1, 8, /^a field name in double quotes, or no comma before `}`$/],
    ['[1,]', 1, 4, /^a value, or no comma before `]`$/],
    ['{"a" 1}', 1, 6, /^a colon$/],
    ['{"a":1 "b":2}', 1, 8, /^a comma or `}`$/],
    ['[1 2]', 1, 4, /^a comma or `]`$/],
    ['{"a":1}{"b":2}', 1, 8, /^the end of the body$/],
    ['{"a":1}}', 1, 8, /^the end of the body$/],
    ['{"a":NaN}', 1, 6, /^a value$/],
    ['{"a":01}', 1, 7, /^a comma or `}`$/],
    ['{"a":"x\ny"}', 1, 8, /^an escape such as \\n instead of a control character$/],
    ['{"a":"\\x"}', 1, 7, /^a valid escape/],
    ['{"a":"x', 1, 8, /^the closing double quote of a string$/],
    ['\ufeff{}', 1, 1, /byte order mark/],
    ['{\n  "a": 1,\n  "b": tru\n}', 3, 8, /^a value$/],
    ['{\r\n"a": 1\r\n"b": 2}', 3, 1, /^a comma or `}`$/],
  ])('%j is wrong at line %d, column %d', (text, line, column, expected) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonError(text)).toEqual({ line, column, expected: expect.stringMatching(expected) });
  });

  test('finds nothing wrong with valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findJsonError(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    expect(findJsonError('\t\r\n {"a" : [ ] , "b":{ }, "c":-1.5e+3 } \n')).toBeUndefined();
  });

  test('finds an error in a changed text exactly where JSON.parse refuses it', () => {
    const character = fc.constantFrom(...'{}[]",:\\ 01e-.tfnu\n\'', '');
    fc.assert(
      fc.property(fc.json(), fc.nat(), character, fc.boolean(), (text, place, inserted, replaces) => {
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + inserted + text.slice(replaces ? at + 1 : at);
        let isValid = true;
        try {
          JSON.parse(changed);
        } catch {
          isValid = false;
        }
        expect(findJsonError(changed) === undefined).toBe(isValid);
      }),
      { numRuns: 2000 },
    );
  });

  test('takes nesting of any depth', () => {
    expect(findJsonError('['.repeat(100_000))).toMatchObject({ line: 1, column: 100_001 });
    expect(findJsonError(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined();
  });
});
