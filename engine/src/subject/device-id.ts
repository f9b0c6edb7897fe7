import { hash53 } from './hash53.ts';
import { sha256 } from './sha256.ts';

const LONGEST_DEVICE_ID = 128;
const SHOWN = 64;
/** 128 bits of the digest: nobody can construct two tokens with one id. */
const DIGEST_WORDS = 4;
const WORD_DIGITS = 7;

export const isLongToken = (token: string): boolean => token.length > LONGEST_DEVICE_ID;

const shorten = (token: string, digest: string): string =>
  `${token.slice(0, SHOWN).toWellFormed()}~${digest}~${token.length}`;

const digestOf = (token: string): string => {
  const bytes = new Uint8Array(2 * token.length);
  for (let i = 0; i < token.length; i++) {
    const unit = token.charCodeAt(i);
    bytes[2 * i] = unit;
    bytes[2 * i + 1] = unit >>> 8;
  }
  return Array.from(sha256(bytes).subarray(0, DIGEST_WORDS), (word) =>
    word.toString(36).padStart(WORD_DIGITS, '0'),
  ).join('');
};

// A screening asks several times for the identifier of one token.
let [lastToken, lastId] = ['', ''];

/**
 * The identifier of the device of a token. It has a bounded length, since a token may be kilobytes long, and never ends
 * in half a character.
 */
export const deviceId = (token: string): string => {
  if (!isLongToken(token)) return token;
  if (token !== lastToken) [lastToken, lastId] = [token, shorten(token, digestOf(token))];
  return lastId;
};

/** The identifier that release 0.1 gave to a long token. Entries that were added to lists then still match it. */
export const formerDeviceId = (token: string): string => shorten(token, hash53(token).toString(36));
