import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsCardNumber, maskCardNumbers, maskIdentifier } from './mask.ts';

const NUMBERS = [
  '4111111111111111',
  '5555555555554444',
  '378282246310005',
  '30569309025904',
  '6011111111111117',
  '6205500000000000004',
  '2200000000000004',
  '6759649826438453',
] as const;

/** The digit 0 of every script that Unicode has, and of the spellings that it treats as digits. */
const ZEROS = Array.from({ length: 0x20000 }, (_, code) => code).filter(
  (code) => /\p{Nd}/u.test(String.fromCodePoint(code)) && String.fromCodePoint(code).normalize('NFKC') === '0',
);
const OTHER_ZEROS = [0x660, 0x6f0, 0x966, 0xe50, 0x1040, 0x17e0, 0x1810, 0xa620, 0x104a0, 0x1e950];
const scripts = [...ZEROS, ...OTHER_ZEROS];
const inScript = (digit: string, zero: number): string => String.fromCodePoint(zero + Number(digit));

/** Characters that people write between the groups of a number, and that hide there. */
const JOINERS = [
  ' ',
  '\t',
  '-',
  '.',
  '/',
  '\\',
  '_',
  '\u00a0',
  '\u2007',
  '\u202f',
  '\u3000',
  '\u2010',
  '\u2011',
  '\u2013',
].concat([
  '\u2014',
  '\u2212',
  '\uff0d',
  '\u00ad',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  // Invisible letters.
  '\u3164',
  '\u115f',
  '\uffa0',
  '\u0301',
  '\ufe0f\u20e3',
  '·',
  '•',
]);
/** Characters that separate values rather than groups. */
const DIVIDERS = [',', ';', ':', '|', '\n', '*', '#', '+', '(', ')', '"', '\u{1f600}', ' , ', ') - ('];

const GROUPINGS: readonly ((number: string) => string[])[] = [
  (number) => [number],
  (number) => [...number],
  (number) => number.match(/.{1,4}/g) ?? [],
];
const printed = fc
  .tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(...GROUPINGS))
  .map(([number, split]) => split(number));
const anyGroups = fc
  .tuple(fc.constantFrom(...NUMBERS), fc.array(fc.integer({ min: 1, max: 19 }), { minLength: 1, maxLength: 19 }))
  .map(([number, lengths]) => {
    const groups: string[] = [];
    for (let at = 0; at < number.length; at += groups.at(-1)?.length ?? 1)
      groups.push(number.slice(at, at + (lengths[groups.length % lengths.length] as number)));
    return groups;
  });
/** Numbers such as 4.1 and 37.82, one after the other, are prices or coordinates, whatever digits they have. */
const DECIMALS = /^(?:\p{N}{1,3}\.\p{N}+[^.\p{N}]+)*\p{N}{1,3}\.\p{N}+$/u;

/** Writes groups with a separator before each but the first. Returns the text, and the text that masking must give. */
const spell = (groups: readonly string[], separators: readonly string[], zeros: readonly number[]) => {
  const length = groups.join('').length;
  let text = '';
  let masked = '';
  let at = 0;
  groups.forEach((group, index) => {
    const separator = index === 0 ? '' : (separators[index % separators.length] as string);
    text += separator;
    masked += separator;
    for (const digit of group) {
      const written = inScript(digit, zeros[at % zeros.length] as number);
      text += written;
      masked += at >= 6 && at < length - 4 ? '*' : written;
      at++;
    }
  });
  return { text, masked };
};
const zerosArbitrary = fc.oneof(
  fc.constant([0x30]),
  fc.array(fc.constantFrom(...scripts), { minLength: 1, maxLength: 4 }),
);
const around = fc.constantFrom('', 'card ', 'Karte:', '卡', 'x');

describe('a card number is found', () => {
  test.each(scripts)('in digits of the script from U+%i', (zero) => {
    for (const number of NUMBERS) {
      const { text, masked } = spell([number], [''], [zero]);
      expect(maskCardNumbers(text)).toBe(masked);
    }
  });

  test('in circled, superscript and subscript digits', () => {
    expect(maskCardNumbers('④①①① ①①①① ①①①① ①①①①')).toBe('④①①① ①①** **** ①①①①');
    for (const one of ['➀', '❶', '➊', '⓵', '፩']) {
      const written = [...'4111111111111111'].map((digit) => inScript(digit, (one.codePointAt(0) as number) - 1));
      expect(maskCardNumbers(written.join(''))).toBe(written.fill('*', 6, -4).join(''));
    }
    expect(maskCardNumbers('➃⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿➁')).toBe('➃⓿⓿⓿⓿⓿******⓿⓿⓿➁');
    expect(maskCardNumbers('⁴¹¹¹¹¹¹¹¹¹¹¹¹¹¹¹')).toBe('⁴¹¹¹¹¹******¹¹¹¹');
    expect(maskCardNumbers('₄₁₁₁₁₁₁₁₁₁₁₁₁₁₁₁')).toBe('₄₁₁₁₁₁******₁₁₁₁');
  });

  test('in digits that look like decimals, if a dot and a space separate these', () => {
    expect(maskCardNumbers('4.1 .1.1 .1.1 .1.1 .1.1 .1.1 .1.1 .1.1')).toBe('4.1 .1.1 .1.1 .*.* .*.* .*.* .1.1 .1.1');
    expect(maskCardNumbers('4.1 1.1 1.1 1.1 1.1 1.1 1.1 1.1')).toBe('4.1 1.1 1.1 1.1 1.1 1.1 1.1 1.1');
  });

  test('in any groups, with any mixture of joiners and scripts', () => {
    const separators = fc.array(
      fc.array(fc.constantFrom(...JOINERS), { minLength: 1, maxLength: 3 }).map((s) => s.join('')),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(anyGroups, separators, zerosArbitrary, around, around, (groups, joiners, zeros, before, after) => {
        const { text, masked } = spell(groups, joiners, zeros);
        fc.pre(!DECIMALS.test(text));
        const found = maskCardNumbers(`${before}${text}${after}`);
        // A part of the number can be one too, so more digits may be hidden, but none of these is shown.
        expect(found.length).toBe(before.length + masked.length + after.length);
        expect(
          [...masked].every((character, at) => character !== '*' || [...found][[...before].length + at] === '*'),
        ).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('in groups as printed on cards, with any characters between them that are not letters', () => {
    const separators = fc.array(fc.constantFrom(...JOINERS, ...DIVIDERS), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(printed, separators, zerosArbitrary, (groups, between, zeros) => {
        const { text, masked } = spell(groups, between, zeros);
        fc.pre(!DECIMALS.test(text));
        expect(maskCardNumbers(text)).toBe(masked);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['3782-822463-10005', '3782-82****-*0005'],
    ['3782,822463,10005', '3782,82****,*0005'],
    ['3056/930902/5904', '3056/93****/5904'],
    ['(4111) 1111-1111.1111', '(4111) 11**-****.1111'],
    ['４１１１　１１１１　１１１１　１１１１', '４１１１　１１**　****　１１１１'],
    ['4️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣', '4️⃣1️⃣1️⃣1️⃣1️⃣1️⃣*️⃣*️⃣*️⃣*️⃣*️⃣*️⃣1️⃣1️⃣1️⃣1️⃣'],
  ])('%s becomes %s', (text, masked) => {
    expect(maskCardNumbers(text)).toBe(masked);
  });
});

describe('text that is not a card number stays as it is', () => {
  const two = (from: number, to: number) => fc.integer({ min: from, max: to }).map((n) => String(n).padStart(2, '0'));
  const digits = (from: number, to: number) => fc.stringMatching(new RegExp(`^\\d{${from},${to}}$`));
  const time = fc.tuple(two(0, 23), two(0, 59), two(0, 59)).map((parts) => parts.join(':'));
  const SHAPES: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'a time of ISO 8601': fc
      .tuple(
        fc.integer({ min: 1900, max: 2100 }),
        two(1, 12),
        two(1, 31),
        fc.constantFrom('T', ' '),
        time,
        digits(1, 9),
      )
      .map(([y, m, d, t, clock, fraction]) => `${y}-${m}-${d}${t}${clock}.${fraction}`),
    'a date and a time': fc
      .tuple(two(1, 31), two(1, 12), fc.integer({ min: 1900, max: 2100 }), fc.constantFrom('.', '/', '-'), time)
      .map(([d, m, y, dot, clock]) => `${[d, m, y].join(dot)} ${clock}`),
    coordinates: fc
      .tuple(
        fc.double({ min: -90, max: 90, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.constantFrom(', ', ',', ' ', '; '),
      )
      .map(([lat, long, between]) => `${lat.toFixed(6)}${between}${long.toFixed(6)}`),
    'a number with a fraction': fc.double({ min: -999, max: 999, noNaN: true }).map((n) => n.toFixed(12)),
    prices: fc
      .array(
        fc.double({ min: 0, max: 999, noNaN: true }).map((n) => n.toFixed(2)),
        { maxLength: 12 },
      )
      .map((all) => all.join(' ')),
    'an IPv4 address': fc.ipV4(),
    'codes of five digits': fc.array(digits(5, 5), { maxLength: 8 }).map((codes) => codes.join(', ')),
    'text without digits': fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll(/\p{N}/gu, '')),
    'fewer than 13 digits': fc.array(digits(1, 3), { maxLength: 4 }).map((all) => all.join('-')),
  };
  test.each(Object.entries(SHAPES))('%s', (_, shape) => {
    fc.assert(
      fc.property(shape, (text) => {
        expect(maskCardNumbers(text)).toBe(text);
        expect(maskIdentifier(text, () => 'tag')).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an identifier', () => {
  const tagOf = (hidden: string): string => [...hidden].map((digit) => 'abcdefghij'[Number(digit)]).join('');

  test('is masked with a tag of the hidden digits after the number', () => {
    expect(maskIdentifier('4111111111111111', tagOf)).toBe('411111******1111~bbbbbb');
    expect(maskIdentifier('cust-4111 1111 1111 1111@example.com', tagOf)).toBe(
      'cust-4111 11** **** 1111~bbbbbb@example.com',
    );
    expect(maskIdentifier('378282246310005', tagOf)).toBe('378282*****0005~cegdb');
  });

  test('is different for different identifiers, and masked once', () => {
    const cards = fc.stringMatching(/^\d{6}$/).map((middle) => {
      const [open] = [...'0123456789']
        .map((check) => `411111${middle}111${check}`)
        .filter((number) => holdsCardNumber(number));
      return open as string;
    });
    fc.assert(
      fc.property(cards, cards, (one, other) => {
        const masked = maskIdentifier(one, tagOf);
        expect(masked === maskIdentifier(other, tagOf)).toBe(one === other);
        expect(maskIdentifier(masked, tagOf)).toBe(masked);
      }),
    );
  });

  test.each([
    ['13 digits, as of shops', '5018000000007'],
    ['13 digits, as of telephones', '4222222222222'],
    ['17 digits', '40000000000000006'.padEnd(17, '0')],
    ['18 digits, as of messages', '411111111111111112'],
  ])('stays as it is with %s', (_, id) => {
    expect(maskIdentifier(id, tagOf)).toBe(id);
    expect(holdsCardNumber(id)).toBe(false);
  });
});
