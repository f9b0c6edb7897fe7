import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskCardNumbers } from './mask.ts';

/** Published test numbers and invented ones: at least one at each end of every issuer range and length. */
const NUMBERS: readonly (readonly [issuer: string, number: string])[] = [
  ['Visa, 13 digits', '4222222222222'],
  ['Visa', '4111111111111111'],
  ['Visa', '4012888888881881'],
  ['Visa, 19 digits', '4000000000000000006'],
  ['Mastercard', '5105105105105100'],
  ['Mastercard', '5555555555554444'],
  ['Mastercard, 2-series', '2221000000000009'],
  ['Mastercard, 2-series', '2720990000000007'],
  ['American Express', '341111111111111'],
  ['American Express', '378282246310005'],
  ['Diners Club', '30000000000004'],
  ['Diners Club', '30569309025904'],
  ['Diners Club', '30950000000000'],
  ['Diners Club', '36227206271667'],
  ['Diners Club', '38520000023237'],
  ['Diners Club, 16 digits', '3600000000000008'],
  ['JCB', '3528000000000007'],
  ['JCB', '3566002020360505'],
  ['JCB', '3589000000000003'],
  ['Discover', '6011111111111117'],
  ['Discover', '6440000000000005'],
  ['Discover', '6490000000000004'],
  ['Discover', '6500000000000002'],
  ['UnionPay', '6200000000000005'],
  ['UnionPay, 19 digits', '6205500000000000004'],
  ['UnionPay', '8100000000000002'],
  ['RuPay', '6074820000000009'],
  ['RuPay', '8200000000000001'],
  ['Maestro, 13 digits', '5018000000007'],
  ['Maestro', '5600000000000003'],
  ['Maestro', '5900000000000000'],
  ['Maestro', '6100000000000006'],
  ['Maestro', '6304000000000000'],
  ['Maestro', '6600000000000001'],
  ['Maestro', '6759649826438453'],
  ['Maestro, 19 digits', '6799990100000000019'],
  ['Mir', '2200000000000004'],
  ['Mir', '2204000000000000'],
  ['Troy', '9792000000000003'],
];

const masked = (number: string): string => number.slice(0, 6) + '*'.repeat(number.length - 10) + number.slice(-4);
const inFours = (number: string, separator: string): string => (number.match(/.{1,4}/g) ?? []).join(separator);

describe('a card number is masked to its first six and last four digits', () => {
  test.each(NUMBERS)('%s %s alone', (_, number) => {
    expect(maskCardNumbers(number)).toBe(masked(number));
  });

  test.each(NUMBERS)('%s %s in groups of four, keeping spaces and dashes', (_, number) => {
    for (const separator of [' ', '-', ' - ', '  ', '--']) {
      const written = inFours(number, separator);
      const found = maskCardNumbers(written);
      expect(found.replaceAll(/[ -]/g, '')).toBe(masked(number));
      expect(found.replaceAll(/[\d*]/g, '')).toBe(written.replaceAll(/\d/g, ''));
    }
  });

  test.each(NUMBERS)('%s %s not with a changed digit', (_, number) => {
    const other = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);
    expect(maskCardNumbers(other)).toBe(other);
  });

  test.each([
    ['in a sentence', 'card 4111111111111111, please', 'card 411111******1111, please'],
    ['between letters', 'x4111111111111111y', 'x411111******1111y'],
    ['before an expiry date', '4111 1111 1111 1111 12 27', '4111 11** **** 1111 12 27'],
    ['after other digit groups', '12 4111 1111 1111 1111', '12 4111 11** **** 1111'],
    ['twice', '4111111111111111 and 378282246310005', '411111******1111 and 378282*****0005'],
    ['one right after another', '4111111111111111 5555555555554444', '411111******1111 555555******4444'],
    ['on two lines', '4111111111111111\n5555555555554444', '411111******1111\n555555******4444'],
    // 5013 4111 1111 1111 is also a valid Maestro number: masking only that would leave the Visa number readable.
    ['overlapping another', '5013 4111 1111 1111 1111', '5013 41** **** **** 1111'],
    ['sharing a group with another', '4238 2222 2222 4111 1111 1111 1111', '4238 22** **** 4111 11** **** 1111'],
  ])('%s', (_, text, expected) => {
    expect(maskCardNumbers(text)).toBe(expected);
  });
});

describe('other text is unchanged', () => {
  test.each([
    ['nothing', ''],
    ['no digits', 'paid by invoice, thank you'],
    ['an unknown issuer range', '1234567812345670'],
    ['an unknown issuer range', '9999999999999995'],
    ['a Mastercard range of 15 digits', '510510510510515'],
    ['an American Express range of 16 digits', '3782822463100052'],
    ['12 digits', '411111111117'],
    ['20 digits', '41111111111111111115'],
    ['a 24-digit reference that holds one', '000041111111111111110000'],
    ['a date and a time', '2026-11-14 09:30:00'],
    ['a telephone number', '+49 30 901820'],
    ['a masked number', '411111******1111'],
  ])('%s: %s', (_, text) => {
    expect(maskCardNumbers(text)).toBe(text);
  });
});

const luhn = (digits: string): boolean =>
  [...digits].reverse().reduce((sum, character, i) => {
    const doubled = Number(character) * (i % 2 === 1 ? 2 : 1);
    return sum + Math.floor(doubled / 10) + (doubled % 10);
  }, 0) %
    10 ===
  0;

const IN_RANGE = [
  /^4\d{12,18}$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720|9792)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(?:30[0-5]|309(?=5)|36\d|38\d|39\d)\d{11,16}$/,
  /^(?:352[89]|35[3-8]\d|60\d\d|64[4-9]\d|65\d\d|62\d\d|81\d\d|82\d\d|220[0-4])\d{12,15}$/,
  /^(?:50|5[6-9]|61|63|6[6-9])\d{11,17}$/,
];

/** A slow reference implementation, from the definition: the digits of a run of groups that must be masked. */
const maskSlowly = (groups: readonly string[]): string[] => {
  const all = groups.join('');
  const hide = new Set<number>();
  for (let from = 0; from < groups.length; from++) {
    const start = groups.slice(0, from).join('').length;
    for (let to = from + 1; to <= groups.length; to++) {
      const digits = groups.slice(from, to).join('');
      if (!IN_RANGE.some((range) => range.test(digits)) || !luhn(digits)) continue;
      for (let i = 6; i < digits.length - 4; i++) hide.add(start + i);
    }
  }
  const shown = [...all].map((digit, i) => (hide.has(i) ? '*' : digit)).join('');
  let at = 0;
  return groups.map((group) => {
    at += group.length;
    return shown.slice(at - group.length, at);
  });
};

describe('every issuer range', () => {
  const complete = (digits: string): string =>
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((check) => digits + check).find(luhn) ?? '';

  test.each([12, 13, 14, 15, 16, 17, 18, 19, 20])(
    'is recognised from its first to its last prefix, with %i digits',
    (length) => {
      const wrong: string[] = [];
      for (let prefix = 0; prefix < 10_000; prefix++) {
        const number = complete(
          String(prefix)
            .padStart(4, '0')
            .padEnd(length - 1, '0'),
        );
        const expected = IN_RANGE.some((range) => range.test(number)) ? masked(number) : number;
        if (maskCardNumbers(number) !== expected) wrong.push(number);
      }
      expect(wrong).toEqual([]);
    },
  );
});

const separator = fc.constantFrom(' ', '-', '  ', ' - ', '/', '_', '\u2009', ' \u2013 ');
const cardGroups = fc
  .constantFrom(...NUMBERS)
  .chain(([, number]) =>
    fc.constantFrom([number], number.match(/.{1,4}/g) ?? [], [...number], [number.slice(0, 7), number.slice(7)]),
  );
const anyGroup = fc.stringMatching(/^[0-9]{1,8}$/).map((group) => [group]);
const groupsArbitrary = fc
  .array(fc.oneof(cardGroups, anyGroup), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.flat());

describe('in any text', () => {
  test('exactly the middle digits of every run of groups that looks like a card number are masked', () => {
    fc.assert(
      fc.property(groupsArbitrary, separator, (groups, between) => {
        expect(maskCardNumbers(groups.join(between))).toBe(maskSlowly(groups).join(between));
      }),
      { numRuns: 500 },
    );
  });

  test('no run of groups that looks like a card number remains, and all other characters are kept', () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 12 }),
      groupsArbitrary.map((g) => g.join(' ')),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (parts) => {
        const text = parts.join('/');
        const found = maskCardNumbers(text);
        expect(found).toHaveLength(text.length);
        const kept = (unit: string, i: number) => found[i] === unit || (found[i] === '*' && /\d/.test(unit));
        expect(text.split('').every(kept)).toBe(true);
        // A group next to an asterisk is the end of a masked number, not a group of the text.
        for (const run of found.match(/(?<![\d*])\d+(?:[ -]+\d+)*(?![\d*])/g) ?? []) {
          const groups = run.split(/[ -]+/);
          expect(maskSlowly(groups)).toEqual(groups);
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['one group of digits', '4'.repeat(10_000)],
    ['single digits', '4 '.repeat(5000)],
    ['single digits far apart', `4${' '.repeat(700)}`.repeat(14)],
    ['twelve digits and spaces', `${'4 '.repeat(12)}${' '.repeat(9976)}`],
    ['dashes', '-'.repeat(10_000)],
    ['short runs', '411111111111x'.repeat(769)],
    ['card numbers', '4111 1111 1111 1111 '.repeat(500)],
    ['a digit before ever more spaces', Array.from({ length: 130 }, (_, i) => `5${' '.repeat(i)}`).join('')],
  ])('10,000 characters of %s take less than a second', (_, text) => {
    const start = performance.now();
    maskCardNumbers(text);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
