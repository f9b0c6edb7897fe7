/**
 * Facts that the server looks up before a decision. They are numbers, stored with the other facts, so that a decision
 * can be replayed without the data sources. NaN means unknown, or not looked up because the request has no IP address
 * or e-mail address.
 */
export const KNOWLEDGE = [
  /** The country of the IP address, as `countryNumber`. */
  'ip_country',
  'ip_latitude',
  'ip_longitude',
  /** The accuracy radius of the coordinates. */
  'ip_radius_km',
  /** The number of the autonomous system of the IP address. */
  'asn',
  /** 1 or 0: a hosting provider, a VPN, an open proxy, a Tor exit node. */
  'ip_hosting',
  'ip_vpn',
  'ip_proxy',
  'ip_tor',
  /** 1 or 0: a reserved address, which is not on the public internet. */
  'ip_reserved',
  /** 1 or 0: the e-mail domain is for disposable addresses; it belongs to a free mail provider. */
  'email_disposable',
  'email_free',
  /**
   * One of DEVICE_STATES, for a token that has the form of a device SDK token. The facts below are known for such
   * tokens only.
   */
  'device_state',
  /** 53 bits of the token's unique id. */
  'device_token_id',
  /** A 53-bit hash of the device profile. */
  'device_likeness',
  /** The age of the token on arrival, by the browser's clock: negative if that clock is ahead. */
  'device_token_age_ms',
  /** Hints that a program controls the browser: a bit for each of AUTOMATION_HINTS. */
  'device_automation',
  /** The country of the browser's time zone, as `countryNumber`. */
  'device_zone_country',
  /**
   * 1 or 0: the time zone has the offset of one in the IP address's country; the browser's language is spoken in that
   * country.
   */
  'device_zone_fits',
  'device_language_fits',
] as const;
export type KnowledgeName = (typeof KNOWLEDGE)[number];

/** One number for each of KNOWLEDGE. */
export type Knowledge = Float64Array;

/**
 * How far a device SDK token can be trusted: signed with a key that the browser stores; with a key that is lost with
 * the page; unsigned, because the browser cannot sign; or altered after the SDK made it.
 */
export const DEVICE_STATES = { verified: 1, unkept: 2, unsigned: 3, tampered: 4 } as const;
export type DeviceState = keyof typeof DEVICE_STATES;

/** The value of a fact whose data source is unavailable. No country, network, place or flag has this value. */
export const UNAVAILABLE = -1000;

export const knowledgeIndex = Object.fromEntries(KNOWLEDGE.map((name, index) => [name, index])) as Record<
  KnowledgeName,
  number
>;
/** Lookup facts are parts of a larger block: a block of their own for each would take six times as long to allocate. */
const BLOCK_SIZE = 64 * KNOWLEDGE.length;
let block = new Float64Array(BLOCK_SIZE);
let blockEnd = 0;
export const makeKnowledge = (): Knowledge => {
  if (blockEnd === BLOCK_SIZE) {
    block = new Float64Array(BLOCK_SIZE);
    blockEnd = 0;
  }
  const knowledge = new Float64Array(block.buffer, blockEnd * Float64Array.BYTES_PER_ELEMENT, KNOWLEDGE.length);
  blockEnd += KNOWLEDGE.length;
  return knowledge.fill(Number.NaN);
};
/** Lookup facts without any lookup: all unknown. */
export const NO_KNOWLEDGE: Knowledge = makeKnowledge();

const A = 65;
const LETTERS = 26;
/** A two-letter country code as a number. */
export const countryNumber = (code: string): number => (code.charCodeAt(0) - A) * LETTERS + code.charCodeAt(1) - A;
export const countryOf = (number: number): string =>
  String.fromCharCode(A + Math.floor(number / LETTERS), A + (number % LETTERS));

/** The names of the facts whose data source was unavailable. */
export const unavailableOf = (knowledge: Knowledge): KnowledgeName[] =>
  KNOWLEDGE.filter((_, index) => knowledge[index] === UNAVAILABLE);
