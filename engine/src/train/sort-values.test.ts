import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortValues } from './sort-values.ts';

test('values are sorted as the runtime sorts them, bit for bit, and the input stays as it is', () => {
  const aFloat = fc.oneof(fc.float({ noNaN: true }), fc.constantFrom(0, -0, 1, -1));
  fc.assert(
    fc.property(fc.array(aFloat, { maxLength: 300 }), fc.nat(3), (numbers, skipped) => {
      const values = Float32Array.from(numbers).subarray(skipped);
      const before = values.slice();
      const bitsOf = (of: Float32Array) => [...new Uint32Array(of.slice().buffer)];
      expect(bitsOf(sortValues(values))).toEqual(bitsOf(before.slice().sort()));
      expect(bitsOf(values)).toEqual(bitsOf(before));
    }),
  );
});
