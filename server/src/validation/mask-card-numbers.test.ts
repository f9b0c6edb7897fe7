import { MAX_DEVICE_LENGTH, type TagOf, TransactionRequest, text } from '@portcullis/contract';
import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { makeMasker } from './mask-card-numbers.ts';

const CARD = '4111111111111111';
const MASKED = '411111******1111';
const tagOf: TagOf = (hidden) => `t${hidden}`;
const warning = (field: string): string =>
  `\`${field}\` looked like a card number and was masked; never send card numbers`;

const maskWith = (schema: object, value: object): { value: unknown; warnings: string[] } => {
  const warnings: string[] = [];
  makeMasker(schema)(value, warnings, tagOf);
  return { value, warnings };
};

describe('the masker of a schema', () => {
  test('masks text, tags identifiers, and leaves formats, tokens and numbers as they are', () => {
    const request = {
      user_id: CARD,
      amount: 378_282_246_310_005,
      currency: 'EUR',
      // Read as text, the digits are a card number.
      ip_address: '4111:1111:1111:1111::',
      device_token: `pcd1.${CARD}.`,
      payment_fingerprint: CARD,
      billing_address: { line1: `card ${CARD}`, country: 'DE' },
    };
    expect(maskWith(TransactionRequest, request)).toEqual({
      value: {
        ...request,
        user_id: `${MASKED}~t111111`,
        payment_fingerprint: MASKED,
        billing_address: { line1: `card ${MASKED}`, country: 'DE' },
      },
      warnings: [warning('user_id'), warning('payment_fingerprint'), warning('billing_address.line1')],
    });
  });

  test('tags a name of a device', () => {
    expect(maskWith(TransactionRequest, { device_token: CARD }).value).toEqual({ device_token: `${MASKED}~t111111` });
  });

  test('masks keys of a map, keeps the values of keys that become equal, and keeps __proto__', () => {
    const metadata = JSON.parse(
      `{"a":"b","${CARD}":"1","4111110000001111":"2","4111110000000005":"${CARD}","__proto__":"3"}`,
    );
    const { value, warnings } = maskWith(TransactionRequest, { metadata });
    expect(Object.entries((value as { metadata: object }).metadata)).toEqual([
      ['a', 'b'],
      [MASKED, '1'],
      ['4111110000001111', '2'],
      ['411111******0005', MASKED],
      ['__proto__', '3'],
    ]);
    expect(warnings).toEqual([
      warning(`metadata.${MASKED}`),
      warning('metadata.411111******0005'),
      warning('metadata.411111******0005'),
    ]);
    const twins = maskWith(TransactionRequest, { metadata: { [CARD]: '1', [MASKED]: '2' } }).value;
    expect(twins).toEqual({ metadata: { [MASKED]: '1', [`${MASKED} (2)`]: '2' } });
  });

  test('does not search a device token that is too long to be stored', () => {
    const long = { device_token: CARD.padEnd(2 * MAX_DEVICE_LENGTH + 1) };
    expect(maskWith(TransactionRequest, { ...long })).toEqual({ value: long, warnings: [] });
    const longest = { device_token: CARD.padEnd(2 * MAX_DEVICE_LENGTH) };
    expect(maskWith(TransactionRequest, longest).warnings).toEqual([warning('device_token')]);
  });

  test('returns the same map if nothing in it is masked', () => {
    const metadata = { order: 'A-1' };
    const value = { metadata };
    maskWith(TransactionRequest, value);
    expect(value.metadata).toBe(metadata);
  });

  test('masks lists and nullable fields, and reports 20 of them', () => {
    const schema = Type.Object({
      all: Type.Array(Type.Object({ note: text(0, 100) })),
      other: Type.Union([text(0, 100), Type.Null()]),
    });
    const { value, warnings } = maskWith(schema, {
      all: Array.from({ length: 30 }, () => ({ note: CARD })),
      other: null,
    });
    expect(value).toEqual({ all: Array.from({ length: 30 }, () => ({ note: MASKED })), other: null });
    expect(warnings).toHaveLength(21);
    expect(warnings[3]).toBe(warning('all.3.note'));
    expect(warnings.at(-1)).toBe('further card numbers were masked');
    expect(maskWith(schema, { all: [], other: CARD }).value).toEqual({ all: [], other: MASKED });
  });
});
