import { type Knowledge, knownIndex } from './knowledge.ts';

/**
 * A place as a number of 28 bits, so that whom a user is seen with can also hold where: 12 bits of latitude and of longitude, which is 5 to
 * 10 km, and the power of two its radius in km is below.
 */
const STEPS = 2 ** 12;
const RADIUS_STEPS = 2 ** 4;
const EARTH_KM = 6371;
const RADIANS = Math.PI / 180;

const stepOf = (share: number): number => Math.min(Math.floor(share * STEPS), STEPS - 1);

/** 0 where no place is known. */
export const placeNumber = (knowledge: Knowledge): number => {
  const latitude = knowledge[knownIndex.ip_latitude] as number;
  const longitude = knowledge[knownIndex.ip_longitude] as number;
  const radius = knowledge[knownIndex.ip_radius_km] as number;
  if (!(latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180 && radius >= 0)) return 0;
  const power = Math.min(Math.ceil(Math.log2(Math.max(radius, 1))), RADIUS_STEPS - 1);
  // The south pole is nobody's address: that leaves 0 for nowhere.
  return (stepOf((latitude + 90) / 180) * STEPS + stepOf((longitude + 180) / 360)) * RADIUS_STEPS + power;
};

const radiusOf = (place: number): number => 2 ** (place % RADIUS_STEPS);
const latitudeOf = (place: number): number => ((Math.floor(place / (STEPS * RADIUS_STEPS)) + 0.5) / STEPS) * 180 - 90;
const longitudeOf = (place: number): number => (((Math.floor(place / RADIUS_STEPS) % STEPS) + 0.5) / STEPS) * 360 - 180;

/** The least that someone has moved between two places, in km: nothing where the circles they may be in touch. */
export const kmBetween = (a: number, b: number): number => {
  const [from, to] = [latitudeOf(a) * RADIANS, latitudeOf(b) * RADIANS];
  const across = Math.sin((longitudeOf(b) - longitudeOf(a)) * RADIANS * 0.5);
  const along = Math.sin((to - from) * 0.5);
  const share = along * along + Math.cos(from) * Math.cos(to) * across * across;
  const km = 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(share)));
  return Math.max(0, km - radiusOf(a) - radiusOf(b));
};
