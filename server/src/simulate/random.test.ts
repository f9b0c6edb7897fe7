import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exp, ln, makeDraw } from './random.ts';

test('logarithm and exponential are accurate to eight digits', () => {
  fc.assert(
    fc.property(fc.double({ min: -20, max: 20, noNaN: true }), (x) => {
      // The largest error is 7.03e-9, at half the logarithm of 2.
      expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(1e-8);
      expect(ln(Math.exp(x))).toBeCloseTo(x, 8);
    }),
  );
});

test('the draws of a seed are the same on every machine', () => {
  const draw = makeDraw(42);
  const drawn = [draw.random(), draw.normal(), draw.logNormal(10, 0.5), draw.logBetween(1, 1000), draw.exponential(5)];
  expect([...drawn, draw.poisson(3), draw.poisson(80), draw.hex(10), draw.letters(6)]).toMatchInlineSnapshot(`
    [
      0.6011037519201636,
      -0.16902975811521884,
      17.790449861551558,
      102.14147479411194,
      0.9607317040425409,
      4,
      77,
      "bee8a8354e",
      "hsyvaq",
    ]
  `);
});

test('means and variance match the requested distribution', () => {
  const draw = makeDraw(1);
  const meanOf = (drawOnce: () => number): number => {
    let sum = 0;
    for (let i = 0; i < 50_000; i++) sum += drawOnce();
    return sum / 50_000;
  };
  expect(meanOf(draw.normal)).toBeCloseTo(0, 1);
  expect(meanOf(() => draw.normal() ** 2)).toBeCloseTo(1, 1);
  expect(meanOf(() => draw.exponential(7)) / 7).toBeCloseTo(1, 1);
  expect(meanOf(() => draw.poisson(0.4)) / 0.4).toBeCloseTo(1, 1);
  expect(meanOf(() => draw.poisson(50)) / 50).toBeCloseTo(1, 1);
});
