import { describe, expect, test } from 'vitest';
import { act, pay } from '../test/subjects.ts';
import { categoryMembers, categoryOf } from './categories.ts';

const metadata = { plan: 'gold', 'a.b': 'x', constructor: 'y' };

describe('categories', () => {
  test('of a payment are the members that are names, and all its metadata', () => {
    const paid = pay(0, { payment_method: 'card', billing_address: { country: 'DE' }, metadata });
    const told = categoryMembers(paid).map((member) => [member, categoryOf(paid, member)]);
    expect(told).toEqual([
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

  test('of an event are its metadata alone', () => {
    const acted = act(0, 'login', { metadata });
    expect(categoryMembers(acted)).toEqual(['metadata.plan', 'metadata.a.b', 'metadata.constructor']);
    expect(categoryOf(acted, 'metadata.plan')).toBe('gold');
    expect(categoryOf(acted, 'currency')).toBeUndefined();
    expect(categoryMembers(act(0, 'login'))).toEqual([]);
  });

  test('take no value from what every object has by birth', () => {
    for (const subject of [pay(0, { metadata: { plan: 'gold' } }), act(0, 'login')])
      for (const name of ['constructor', 'toString', '__proto__'])
        expect(categoryOf(subject, `metadata.${name}`)).toBeUndefined();
  });
});
