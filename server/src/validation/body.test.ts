import { type Operation, operations } from '@portcullis/contract';
import type { TObject } from 'typebox';
import { expect, test } from 'vitest';
import { bodyReader } from './body.ts';

const MAX_ENTRIES = 1000;
const MAX_KEYS = 50;
const readErrors = (schema: TObject, body: object): readonly unknown[] => {
  const result = bodyReader(schema)(body, [], () => '');
  return 'errors' in result ? result.errors : [];
};

/** An object whose fields note that they were read. */
const observed = (fields: Record<string, unknown>, note: (name: string) => void): object =>
  new Proxy(fields, {
    get: (target, name) => {
      note(String(name));
      return Reflect.get(target, name);
    },
  });

test('items beyond the limit of an array are never read', () => {
  const read = new Set<number>();
  const entries = Array.from({ length: 5000 }, (_, index) =>
    observed({ kind: 'user', value: `user_${index}` }, () => read.add(index)),
  );
  expect(readErrors(operations.addListEntries.body, { entries })).toEqual([
    { field: 'entries', message: 'must have at most 1000 items' },
  ]);
  expect(Math.max(...read)).toBeLessThanOrEqual(MAX_ENTRIES);
});

test('values beyond the limit of a map are never read', () => {
  const read = new Set<string>();
  const metadata = observed(
    Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 'x'])),
    (name) => read.add(name),
  );
  const body = { user_id: 'u', amount: 1, currency: 'EUR', metadata };
  expect(readErrors(operations.screenTransaction.body, body)).toEqual([
    { field: 'metadata', message: 'must have at most 50 keys' },
  ]);
  expect([...read].filter((name) => /^k\d/.test(name)).length).toBeLessThanOrEqual(MAX_KEYS + 1);
});

interface ArraySchema {
  readonly type?: string;
  readonly items?: { readonly enum?: readonly string[] };
  readonly maxItems?: number;
}
const arrayFields = Object.entries(operations as Record<string, Operation>).flatMap(([id, { body }]) =>
  Object.entries((body?.properties ?? {}) as Record<string, ArraySchema>).flatMap(([name, of]) =>
    of.type === 'array' ? [{ id, name, limit: of.maxItems ?? of.items?.enum?.length ?? Number.NaN }] : [],
  ),
);

// Repeated items are searched by comparing each item with every other: 32 KiB of numbers took a second.
test.each(arrayFields)('$id reads at most one item of `$name` beyond the largest array', ({ id, name, limit }) => {
  const read = new Set<number>();
  const items = new Proxy(
    Array.from({ length: 5000 }, (_, index) => index % 10),
    {
      get: (target, at) => {
        if (/^\d+$/.test(String(at))) read.add(Number(at));
        return Reflect.get(target, at);
      },
    },
  );
  const { body } = (operations as Record<string, Operation>)[id] as Operation;
  const errors = readErrors(body as TObject, { [name]: items }) as { field: string }[];
  expect(errors.map(({ field }) => field.split('.')[0])).toContain(name);
  expect(Math.max(...read)).toBeLessThanOrEqual(limit);
});

test('arrays and maps at their limits are read completely', () => {
  const entries = Array.from({ length: MAX_ENTRIES }, (_, index) => ({ kind: 'user', value: `user_${index}` }));
  expect(bodyReader(operations.addListEntries.body)({ entries }, [], () => '')).toEqual({ value: { entries } });
  const metadata = Object.fromEntries(Array.from({ length: MAX_KEYS }, (_, index) => [`k${index}`, 'x']));
  const body = { user_id: 'u', amount: 1, currency: 'EUR', metadata };
  expect(bodyReader(operations.screenTransaction.body)(body, [], () => '')).toEqual({ value: body });
});
