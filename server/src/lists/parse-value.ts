import {
  email,
  holdsCardNumber,
  isCountry,
  isIp,
  type ListKind,
  maskCardNumbers,
  maskIdentifier,
  normalizeIp,
  type TagOf,
  userId,
} from '@portcullis/contract';
import { deviceId } from '@portcullis/engine';
import { Compile } from 'typebox/schema';
import { deviceListValue } from '../devices/devices.ts';
import { type Family, makeWords, parseAddress, type Words } from '../knowledge/address.ts';
import { domainOf } from '../knowledge/email-domains.ts';

/** A value in its stored spelling, or the error. */
export type ParsedValue = { readonly value: string } | { readonly error: string };
const refuse = (error: string): ParsedValue => ({ error });

const isCallerId = Compile(userId);
const isEmail = Compile(email);
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const MAPPED_BITS = 96;
/** The widest allowed networks. A typo in a wider one would list a large part of the internet. */
const MIN_PREFIX = { 4: 8, 6: 16 } as const;

/** The first `bits` bits of a word; `bits` may be below 0 or above 32. */
export const maskWord = (word: number, bits: number): number =>
  bits >= 32 ? word : bits <= 0 ? 0 : (word & (-1 << (32 - bits))) >>> 0;

const maskWords = (words: Words, prefix: number): Words =>
  words.map((word, index) => maskWord(word, prefix - 32 * index));

const spell = (family: Family, words: Words): string =>
  family === 4
    ? [24, 16, 8, 0].map((shift) => ((words[0] as number) >>> shift) & 255).join('.')
    : normalizeIp([...words].map((word) => `${(word >>> 16).toString(16)}:${(word & 0xffff).toString(16)}`).join(':'));

export interface Network {
  readonly family: 4 | 6;
  readonly words: Words;
  readonly prefix: number;
}

/** The network of a value in its stored spelling; a single address without a prefix. */
export const networkOfValue = (value: string): Network => {
  const words = makeWords();
  const [address = '', prefix] = value.split('/');
  const family = parseAddress(address, words) as 4 | 6;
  return { family, words, prefix: prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix) };
};

/** The stored spelling of the network of the first `prefix` bits. */
export const networkText = ({ family, words, prefix }: Network): string => {
  const masked = spell(family, maskWords(words, prefix));
  return prefix === (family === 4 ? 32 : 128) ? masked : `${masked}/${prefix}`;
};

const parseNetwork = (text: string): ParsedValue => {
  const [addressText = '', prefixText, ...more] = text.split('/');
  if (!isIp(addressText) || more.length > 0 || (prefixText !== undefined && !PREFIX.test(prefixText))) {
    return refuse('must be an IP address such as 198.51.100.24, or a network such as 198.51.100.0/24');
  }
  const address = normalizeIp(addressText);
  const network = networkOfValue(address);
  const { family } = network;
  const bits = network.prefix;
  const isMapped = family === 4 && addressText.includes(':');
  const prefix = prefixText === undefined ? bits : Number(prefixText) - (isMapped ? MAPPED_BITS : 0);
  if (prefix > bits) return refuse(`must have a prefix of at most ${isMapped ? 128 : bits} bits`);
  if (prefix < MIN_PREFIX[family]) return refuse(`must be a network no wider than /${MIN_PREFIX[family]}`);
  const value = networkText({ ...network, prefix });
  if (prefix < bits && value !== `${address}/${prefix}`) {
    return refuse(`has address bits after the prefix: send the network ${value}, or the address without a prefix`);
  }
  return { value };
};

const CARD_NUMBER = 'looks like a card number; never send card numbers';

const parseDomain = (text: string): ParsedValue => {
  const domain = domainOf(`@${text}`);
  if (holdsCardNumber(domain)) return refuse(CARD_NUMBER);
  return text.includes('@') || !DOMAIN.test(domain)
    ? refuse('must be a domain such as example.com')
    : { value: domain };
};

/** Kinds of values that are identifiers of the caller: a card number in one is masked as in a screening. */
const IDENTIFIERS: ReadonlySet<ListKind> = new Set(['user', 'device', 'email', 'counterparty']);

/** A value without card numbers; the same one for kinds that cannot hold them. */
export const maskedValue = (kind: ListKind, value: string, tagOf: TagOf): string =>
  IDENTIFIERS.has(kind) ? maskIdentifier(value, tagOf) : value;

const parseCallerId = (text: string, tagOf: TagOf): ParsedValue =>
  isCallerId.Check(text) ? { value: maskIdentifier(text, tagOf) } : refuse('must have at most 255 characters');

const PARSERS: Readonly<Record<ListKind, (text: string, tagOf: TagOf) => ParsedValue>> = {
  user: parseCallerId,
  ip_address: parseNetwork,
  device: (text, tagOf) => {
    const name = deviceListValue(text);
    return name === undefined
      ? refuse(
          'must be your identifier of the device, a device id such as dvk_Zk3…, or a token of the device SDK with a key that the browser keeps',
        )
      : { value: deviceId(maskIdentifier(name, tagOf)) };
  },
  email: (text, tagOf) =>
    isEmail.Check(text)
      ? { value: maskIdentifier(text.toLowerCase(), tagOf) }
      : refuse('must be an e-mail address such as ada@example.com'),
  email_domain: parseDomain,
  // Refused, not masked as in screenings: a masked number would match every card with the same first and last digits.
  payment_fingerprint: (text, tagOf) =>
    maskCardNumbers(text) === text
      ? parseCallerId(text, tagOf)
      : refuse(`${CARD_NUMBER}, send your token of the card instead`),
  counterparty: parseCallerId,
  country: (text) =>
    isCountry(text) ? { value: text.toUpperCase() } : refuse('must be an ISO 3166-1 alpha-2 country code such as DE'),
};

/** Parses a value, and masks card numbers in it, as a screening does, so that both compare equal. */
export const parseValue = (kind: ListKind, text: string, tagOf: TagOf): ParsedValue => PARSERS[kind](text, tagOf);
