import { describe, expect, test } from 'vitest';
import { isCountry } from './countries.ts';
import { CURRENCIES, inDollars, isCurrency } from './currencies.ts';

const WITHOUT_RATE = 'BOV CHE CHW CLF COU MXV UYI UYW XAD XAG XAU XBA XBB XBC XBD XPD XPT XSU XTS XUA XXX'.split(' ');

describe('currencies', () => {
  test('codes are three capital letters, unique and sorted', () => {
    for (const code of CURRENCIES) expect(code).toMatch(/^[A-Z]{3}$/);
    expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length);
    expect([...CURRENCIES].sort()).toEqual(CURRENCIES);
    expect(CURRENCIES.length).toBeGreaterThan(170);
  });

  test.each(['USD', 'EUR', 'GBP', 'JPY', 'CNY', 'INR', 'BRL', 'CHF', 'XCG', 'ZWG', 'SLE', 'VED', 'XTS', 'XXX'])(
    '%s is a current code, in upper and lower case',
    (code) => {
      expect([code, code.toLowerCase(), code[0] + code.slice(1).toLowerCase()].every(isCurrency)).toBe(true);
    },
  );

  test.each([
    ['withdrawn', 'DEM'],
    ['withdrawn', 'HRK'],
    ['withdrawn', 'ANG'],
    ['withdrawn', 'ZWL'],
    ['never given', 'AAA'],
    ['no ISO code', 'BTC'],
    ['numeric', '978'],
    ['too short', 'EU'],
    ['too long', 'EURO'],
    ['empty', ''],
    ['padded', ' EUR'],
    ['with a line end', 'EUR\n'],
    ['with a long s that capitalises to S', 'u\u017fd'],
    ['with a dotless i that capitalises to I', '\u0131nr'],
    ['a property of every object', 'toString'],
  ])('%s is not a currency: %s', (_, code) => {
    expect(isCurrency(code)).toBe(false);
  });

  test('amounts of every code with a market rate are converted to dollars proportionally', () => {
    for (const code of CURRENCIES.filter((known) => !WITHOUT_RATE.includes(known))) {
      const one = inDollars(1, code);
      expect(one, code).toBeGreaterThan(0);
      expect(one, code).toBeLessThan(10);
      expect(inDollars(1000, code), code).toBeCloseTo(one * 1000, 6);
    }
  });

  test.each(WITHOUT_RATE)('%s has no market rate, so its amounts are unknown, not small', (code) => {
    expect(isCurrency(code)).toBe(true);
    expect(inDollars(100, code)).toBeNaN();
  });

  test('an unknown code has no rate', () => {
    expect(inDollars(100, 'AAA')).toBeNaN();
    expect(inDollars(100, '__proto__')).toBeNaN();
  });

  test('a dollar is worth a dollar, and rates are not inverted', () => {
    expect(inDollars(12.34, 'USD')).toBe(12.34);
    expect(inDollars(100, 'EUR')).toBeGreaterThan(100);
    expect(inDollars(10_000, 'JPY')).toBeLessThan(100);
    expect(inDollars(1, 'KWD')).toBeGreaterThan(3);
  });
});

describe('countries', () => {
  test.each(['DE', 'US', 'GB', 'FR', 'AX', 'ZW', 'XK', 'de', 'Us'])('%s is a country', (code) => {
    expect(isCountry(code)).toBe(true);
  });

  test.each(['', 'D', 'DEU', 'ZZ', 'UK', 'EU', 'AN', 'SU', '12', ' D', 'D ', 'ß', '\ufb01', '\u0131t', 'S\u017f'])(
    '%j is not a country',
    (code) => {
      expect(isCountry(code)).toBe(false);
    },
  );

  test('are the 249 of ISO 3166-1, and Kosovo', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry);
    expect(codes).toHaveLength(250);
  });
});
