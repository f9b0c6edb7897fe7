import { expect, test } from 'vitest';
import { act, pay } from '../../test/subjects.ts';
import { countryName } from './country-name.ts';
import { money } from './money.ts';

test.each([
  ['USD', 1234.5, 'USD 1,234.50'],
  ['EUR', 100, 'EUR 86.40'],
  ['JPY', 100, 'JPY 15,400'],
  ['KWD', 100, 'KWD 30.700'],
])('an amount in dollars is written in the currency of the payment, here %s', (currency, dollars, text) => {
  expect(money(pay(0, { amount: 1, currency }), dollars)).toBe(text);
});

test('the amount of the payment is written as it was sent', () => {
  for (const [amount, currency, text] of [
    [19.99, 'EUR', 'EUR 19.99'],
    [1_500_000, 'IDR', 'IDR 1,500,000'],
    [0.1, 'GBP', 'GBP 0.10'],
  ] as const) {
    const subject = pay(0, { amount, currency });
    expect(money(subject, subject.dollars)).toBe(text);
  }
});

test('an event and a currency without a rate have amounts in US dollars', () => {
  expect(money(act(0, 'login'), 12.5)).toBe('USD 12.50');
  expect(money(pay(0, { currency: 'XTS' }), 12.5)).toBe('USD 12.50');
});

test('a country has its English name, with an article where people say one', () => {
  expect(['BR', 'US', 'NL', 'DO', 'XK', 'zz', ''].map(countryName)).toEqual([
    'Brazil',
    'the United States',
    'the Netherlands',
    'the Dominican Republic',
    'Kosovo',
    'zz',
    '',
  ]);
});
