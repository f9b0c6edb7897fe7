import { describe, expect, test } from 'vitest';
import { mailboxOf } from './mailbox.ts';
import { shippingName } from './shipping.ts';

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['ada+news@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  // Only some providers ignore dots.
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['a.d.a@gmail.com', 'ada@gmail.com'],
  ['a.da+x@googlemail.com', 'ada@gmail.com'],
  ['a.da@protonmail.com', 'ada@proton.me'],
  ['ada@pm.me', 'ada@proton.me'],
  // Nothing is left out that leaves no name.
  ['+ada@example.com', '+ada@example.com'],
  ['...@gmail.com', '...@gmail.com'],
  // A plus in the domain is not a tag.
  ['ada@exa+mple.com', 'ada@exa+mple.com'],
])('the mailbox of %s is %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
  expect(mailboxOf(mailbox)).toBe(mailbox);
});

describe('the name of a shipping address', () => {
  const berlin = { country: 'DE', postal_code: '10115', line1: 'Hauptstraße 1' };

  test.each([
    ['case', { ...berlin, country: 'de', line1: 'HAUPTstraße 1' }],
    ['spaces', { ...berlin, postal_code: '10 115', line1: ' Hauptstraße  1 ' }],
    ['punctuation', { ...berlin, postal_code: '10115.', line1: 'Hauptstraße, 1' }],
    ['the city and the second line', { ...berlin, city: 'Berlin', line2: 'Flat 2' }],
  ])('is the same whatever %s', (_, address) => {
    expect(shippingName(address)).toBe(shippingName(berlin));
  });

  test('leaves out accents', () => {
    expect(shippingName({ ...berlin, line1: 'Rue de l’Église' })).toBe(
      shippingName({ ...berlin, line1: "rue de l'eglise" }),
    );
  });

  test.each([
    ['house number', { ...berlin, line1: 'Hauptstraße 11' }],
    ['postal code', { ...berlin, postal_code: '10117' }],
    ['country', { ...berlin, country: 'AT' }],
  ])('differs for another %s', (_, address) => {
    expect(shippingName(address)).not.toBe(shippingName(berlin));
  });

  test('uses the city in countries without postal codes', () => {
    expect(shippingName({ country: 'HK', city: 'Kowloon', line1: '1 Nathan Road' })).toBe('hk kowloon 1nathanroad');
  });

  test.each([{}, { country: 'DE' }, { country: 'DE', line1: '1 Main Street' }, { postal_code: '10115', line1: ' - ' }])(
    'does not exist for %j, which many people share',
    (address) => {
      expect(shippingName(address)).toBeUndefined();
    },
  );
});
