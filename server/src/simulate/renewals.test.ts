import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ID_SHAPES, makeIdMaker } from './names.ts';
import { makeDraw } from './random.ts';
import { type Renewal, renew } from './renewals.ts';

const shapeOf = (id: string): string => id.replace(/\d/g, '9').replace(/[a-f]/g, 'a');
const renewed = (id: string, days: number, renewal: Partial<Renewal> = {}): string => {
  const item = { device_token: id };
  renew(item, [{ field: 'device_token', from: 3, days: 0, salt: 12_345, ...renewal }], days);
  return item.device_token;
};

test('renewed identifiers keep their format and stay different from each other', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(0xffff_ffff), fc.constantFrom(...ID_SHAPES), (seed, salt, shape) => {
      const make = makeIdMaker(makeDraw(seed), shape, 'dvc', 10);
      const ids = Array.from(new Set(Array.from({ length: 50 }, make)));
      const after = ids.map((id) => renewed(id, 3, { salt }));
      expect(after.map(shapeOf)).toEqual(ids.map(shapeOf));
      expect(new Set(after).size).toBe(ids.length);
      expect(after.filter((id, i) => id === ids[i]).length).toBeLessThan(ids.length / 5);
    }),
    { numRuns: 60 },
  );
});

test('identifiers change from the first day on, once each, until the last day of the roll-out', () => {
  expect(renewed('dvc_0123456789ab', 2.9)).toBe('dvc_0123456789ab');
  expect(renewed('dvc_0123456789ab', 3)).not.toBe('dvc_0123456789ab');
  expect(renewed('dvc_0123456789ab', 3)).toBe(renewed('dvc_0123456789ab', 90));
  const ids = Array.from({ length: 200 }, makeIdMaker(makeDraw(1), 'hex', '', 0));
  const shareAt = (day: number): number => ids.filter((id) => renewed(id, day, { days: 6 }) !== id).length / ids.length;
  expect(shareAt(2.9)).toBe(0);
  expect(shareAt(6)).toBeGreaterThan(0.3);
  expect(shareAt(6)).toBeLessThan(0.7);
  expect(shareAt(9)).toBe(1);
});
