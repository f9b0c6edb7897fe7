/**
 * What the server finds out about a subject before it is decided: numbers, so that they are stored with the other facts and a decision can
 * be made again without the sources they came from. NaN is not known, or not asked because the request names no address or e-mail.
 */
export const KNOWLEDGE = [
  /** `countryNumber` of where the address is. */
  'ip_country',
  'ip_latitude',
  'ip_longitude',
  /** How far from there it may be. */
  'ip_radius_km',
  /** The number of the autonomous system the address belongs to. */
  'asn',
  /** 1 or 0: servers for rent, a virtual private network, an open proxy, an exit of Tor. */
  'ip_hosting',
  'ip_vpn',
  'ip_proxy',
  'ip_tor',
  /** 1 or 0: an address that cannot be on the public internet. */
  'ip_reserved',
  /** 1 or 0: a domain for throw-away addresses; one where anybody gets an address for nothing. */
  'email_disposable',
  'email_free',
  /** One of DEVICE_STATES, of a token that the device SDK made or that pretends so. What follows is known of such tokens alone. */
  'device_state',
  /** 53 bits of the token's own number: each is made once. */
  'device_token_id',
  /** 53 bits of what the machine looks like. */
  'device_likeness',
  /** How long before it arrived the token was made, by the browser's clock: below 0 where that is ahead. */
  'device_token_age_ms',
  /** What says that a program steers the browser: a bit for each of AUTOMATION_HINTS; 0 for nothing. */
  'device_automation',
  /** `countryNumber` of the country the browser's time zone is named after. */
  'device_zone_country',
  /** 1 or 0: it is the same time there as somewhere in the country of the address; the browser's language is spoken in that country. */
  'device_zone_fits',
  'device_language_fits',
] as const;
export type Known = (typeof KNOWLEDGE)[number];

/** One number for each of KNOWLEDGE. */
export type Knowledge = Float64Array;

/**
 * What a token of the device SDK is worth: signed with a key that the browser keeps; with one that is gone with the page; not signed at all, where the
 * browser cannot; or not what the SDK made.
 */
export const DEVICE_STATES = { verified: 1, unkept: 2, unsigned: 3, tampered: 4 } as const;
export type DeviceState = keyof typeof DEVICE_STATES;

/** Stands for a fact whose source is out of order: no country, network, place or flag is ever this. */
export const UNAVAILABLE = -1000;

export const knownIndex = Object.fromEntries(KNOWLEDGE.map((name, index) => [name, index])) as Record<Known, number>;
export const makeKnowledge = (): Knowledge => new Float64Array(KNOWLEDGE.length).fill(Number.NaN);
/** What is known when nobody was asked. */
export const NO_KNOWLEDGE: Knowledge = makeKnowledge();

const A = 65;
const LETTERS = 26;
/** A two-letter code as a number. */
export const countryNumber = (code: string): number => (code.charCodeAt(0) - A) * LETTERS + code.charCodeAt(1) - A;
export const countryOf = (number: number): string =>
  String.fromCharCode(A + Math.floor(number / LETTERS), A + (number % LETTERS));

/** The names of what could not be had. */
export const unavailableOf = (knowledge: Knowledge): Known[] =>
  KNOWLEDGE.filter((_, index) => knowledge[index] === UNAVAILABLE);
