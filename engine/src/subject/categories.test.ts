import { describe, expect, test } from 'vitest';
import { act, pay } from '../../test/subjects.ts';
import { categoryFields, categoryOf } from './categories.ts';

const metadata = { plan: 'gold', 'a.b': 'x', constructor: 'y' };

describe('categories', () => {
  test('of a payment are its category fields and all its metadata', () => {
    const paid = pay(0, { payment_method: 'card', billing_address: { country: 'DE' }, metadata });
    const categories = categoryFields(paid).map((field) => [field, categoryOf(paid, field)]);
    expect(categories).toEqual([
      ['payment_method', 'card'],
      ['currency', 'USD'],
      ['billing_address.country', 'DE'],
      ['metadata.plan', 'gold'],
      ['metadata.a.b', 'x'],
      ['metadata.constructor', 'y'],
    ]);
    expect(categoryOf(paid, 'shipping_address.country')).toBeUndefined();
    expect(categoryOf(paid, 'user_id')).toBeUndefined();
  });

  test('of an event are its metadata only', () => {
    const acted = act(0, 'login', { metadata });
    expect(categoryFields(acted)).toEqual(['metadata.plan', 'metadata.a.b', 'metadata.constructor']);
    expect(categoryOf(acted, 'metadata.plan')).toBe('gold');
    expect(categoryOf(acted, 'currency')).toBeUndefined();
    expect(categoryFields(act(0, 'login'))).toEqual([]);
  });

  test('ignore properties that every object inherits', () => {
    for (const subject of [pay(0, { metadata: { plan: 'gold' } }), act(0, 'login')])
      for (const name of ['constructor', 'toString', '__proto__'])
        expect(categoryOf(subject, `metadata.${name}`)).toBeUndefined();
  });
});
