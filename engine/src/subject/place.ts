import { type Knowledge, knowledgeIndex } from './lookup-facts.ts';

/**
 * A place is a number of 28 bits, so that a history can store it like the hash of a related entity. It has 12 bits of
 * latitude, 12 bits of longitude (steps of 5 to 10 km) and the power of two that its radius in km is at most.
 */
const STEPS = 2 ** 12;
const RADIUS_STEPS = 2 ** 4;
const EARTH_KM = 6371;
const RADIANS = Math.PI / 180;

const stepOf = (share: number): number => Math.min(Math.floor(share * STEPS), STEPS - 1);

/** The place of the IP address; 0 if it is unknown. */
export const placeNumber = (knowledge: Knowledge): number => {
  const latitude = knowledge[knowledgeIndex.ip_latitude] as number;
  const longitude = knowledge[knowledgeIndex.ip_longitude] as number;
  const radius = knowledge[knowledgeIndex.ip_radius_km] as number;
  if (!(latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180 && radius >= 0)) return 0;
  const power = Math.min(Math.ceil(Math.log2(Math.max(radius, 1))), RADIUS_STEPS - 1);
  // 0 is the south pole, which no IP address has, so it can mean unknown.
  return (stepOf((latitude + 90) / 180) * STEPS + stepOf((longitude + 180) / 360)) * RADIUS_STEPS + power;
};

const radiusOf = (place: number): number => 2 ** (place % RADIUS_STEPS);
const latitudeOf = (place: number): number => ((Math.floor(place / (STEPS * RADIUS_STEPS)) + 0.5) / STEPS) * 180 - 90;
const longitudeOf = (place: number): number => (((Math.floor(place / RADIUS_STEPS) % STEPS) + 0.5) / STEPS) * 360 - 180;

/** The least distance in km between two places: 0 if the circles of their radii touch. */
export const kmBetween = (a: number, b: number): number => {
  const [from, to] = [latitudeOf(a) * RADIANS, latitudeOf(b) * RADIANS];
  const across = Math.sin((longitudeOf(b) - longitudeOf(a)) * RADIANS * 0.5);
  const along = Math.sin((to - from) * 0.5);
  const share = along * along + Math.cos(from) * Math.cos(to) * across * across;
  const km = 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(share)));
  return Math.max(0, km - radiusOf(a) - radiusOf(b));
};
