import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Knowledge, knowledgeIndex, makeKnowledge, UNAVAILABLE } from './lookup-facts.ts';
import { kmBetween, placeNumber } from './place.ts';

interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly radius: number;
}
const known = ({ latitude, longitude, radius }: Place): Knowledge => {
  const knowledge = makeKnowledge();
  knowledge[knowledgeIndex.ip_latitude] = latitude;
  knowledge[knowledgeIndex.ip_longitude] = longitude;
  knowledge[knowledgeIndex.ip_radius_km] = radius;
  return knowledge;
};
const numberOf = (place: Place): number => placeNumber(known(place));

const range = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/** Any place but the south pole, whose first cell means unknown. */
const anyPlace: fc.Arbitrary<Place> = fc.record({
  latitude: fc.oneof(range(-89, 90), fc.constantFrom(-89, 0, 90)),
  longitude: fc.oneof(range(-180, 180), fc.constantFrom(-180, 0, 180)),
  radius: fc.oneof(range(0, 200), range(0, 20_000), fc.constantFrom(0, 1, 2, 1000)),
});

const RADIANS = Math.PI / 180;
/** The distance by the angle between two directions from the centre of the earth, unlike the code under test. */
const greatCircleKm = (a: Place, b: Place): number => {
  const vectorOf = ({ latitude, longitude }: Place): [number, number, number] => {
    const [lat, lon] = [latitude * RADIANS, longitude * RADIANS];
    return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
  };
  const [x1, y1, z1] = vectorOf(a);
  const [x2, y2, z2] = vectorOf(b);
  const cross = Math.hypot(y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2);
  return 6371 * Math.atan2(cross, x1 * x2 + y1 * y2 + z1 * z2);
};

describe('a place', () => {
  test('is a 28-bit integer and never 0', () => {
    fc.assert(
      fc.property(anyPlace, (place) => {
        const number = numberOf(place);
        expect(Number.isInteger(number) && number > 0 && number < 2 ** 28).toBe(true);
      }),
    );
  });

  test('is 0 if a coordinate or the radius is unknown, unavailable or out of range', () => {
    const odd = fc.constantFrom(Number.NaN, UNAVAILABLE, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(anyPlace, fc.constantFrom('latitude', 'longitude', 'radius' as const), odd, (place, field, value) => {
        fc.pre(field !== 'radius' || value !== Number.POSITIVE_INFINITY);
        expect(numberOf({ ...place, [field]: value })).toBe(0);
      }),
    );
    expect(placeNumber(makeKnowledge())).toBe(0);
    for (const [latitude, longitude] of [
      [90.01, 0],
      [-90.01, 0],
      [0, 180.01],
      [0, -180.01],
    ] as const)
      expect(numberOf({ latitude, longitude, radius: 1 })).toBe(0);
  });
});

describe('the distance between two places', () => {
  test('is the same in both directions and never negative', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (a, b) => {
        const km = kmBetween(numberOf(a), numberOf(b));
        expect(km).toBeGreaterThanOrEqual(0);
        expect(kmBetween(numberOf(b), numberOf(a))).toBeCloseTo(km, 6);
      }),
    );
  });

  test('is 0 between a place and itself, or one within its radius', () => {
    fc.assert(
      fc.property(anyPlace, (place) => {
        const number = numberOf(place);
        expect(kmBetween(number, number)).toBe(0);
      }),
    );
    const [berlin, potsdam] = [
      { latitude: 52.52, longitude: 13.4, radius: 50 },
      { latitude: 52.39, longitude: 13.06, radius: 5 },
    ];
    expect(kmBetween(numberOf(berlin), numberOf(potsdam))).toBe(0);
  });

  // Each place is off by half a cell, at most 2.5 km by 4.9 km.
  const CELLS_KM = 11;
  test('is the true distance minus both radii, up to the cell size and the rounding of the radii', () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (a, b) => {
        const km = kmBetween(numberOf(a), numberOf(b));
        const truth = greatCircleKm(a, b);
        // A radius is rounded up to a power of two: never less, and less than twice as much.
        const atLeast = truth - CELLS_KM - 2 * Math.max(1, a.radius) - 2 * Math.max(1, b.radius);
        const atMost = truth + CELLS_KM - Math.max(1, a.radius) - Math.max(1, b.radius);
        expect(km).toBeGreaterThanOrEqual(atLeast);
        expect(km).toBeLessThanOrEqual(Math.max(0, atMost));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['Berlin', 'New York', 52.52, 13.4, 40.71, -74.01, 6385],
    ['Auckland', 'Honolulu, over the date line', -36.85, 174.76, 21.31, -157.86, 7086],
    ['the last and the first meridian', 'each other', 10, 179.99, 10, -179.99, 2],
  ])('of %s and %s is about right', (_, __, fromLat, fromLon, toLat, toLon, km) => {
    const from = { latitude: fromLat, longitude: fromLon, radius: 1 };
    const to = { latitude: toLat, longitude: toLon, radius: 1 };
    expect(Math.abs(kmBetween(numberOf(from), numberOf(to)) - km)).toBeLessThan(20);
  });
});

test('lookup facts of different items share nothing', () => {
  const all = Array.from({ length: 200 }, (_, n) => makeKnowledge().fill(n));
  expect(all.every((knowledge, n) => knowledge.every((value) => value === n))).toBe(true);
  expect(makeKnowledge().every(Number.isNaN)).toBe(true);
});
