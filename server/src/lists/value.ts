import { email, isCountry, isIp, type ListKind, maskCardNumbers, normalizeIp, userId } from '@portcullis/contract';
import { deviceId } from '@portcullis/engine';
import { Compile } from 'typebox/compile';
import { listedDevice } from '../devices/devices.ts';
import { type Family, makeWords, parseAddress, type Words } from '../knowledge/address.ts';
import { domainOf } from '../knowledge/email-domains.ts';

/** A value in the one spelling that is stored and compared, or why it is none. */
export type Read = { readonly value: string } | { readonly refusal: string };
const refuse = (refusal: string): Read => ({ refusal });

const isCallerId = Compile(userId);
const isEmail = Compile(email);
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const MAPPED_BITS = 96;
/** A slip of the pen in a wider one would list a good part of the internet. */
const WIDEST = { 4: 8, 6: 16 } as const;

/** The first `bits` bits of one word; all of it, or nothing, beyond its ends. */
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

/** The network that a value which was read before stands for: one address where it names no prefix. */
export const networkOfValue = (value: string): Network => {
  const words = makeWords();
  const [address = '', prefix] = value.split('/');
  const family = parseAddress(address, words) as 4 | 6;
  return { family, words, prefix: prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix) };
};

/** How the entry would read that lists the first `prefix` bits of the address. */
export const networkText = ({ family, words, prefix }: Network): string => {
  const masked = spell(family, maskWords(words, prefix));
  return prefix === (family === 4 ? 32 : 128) ? masked : `${masked}/${prefix}`;
};

const readAddress = (text: string): Read => {
  const [given = '', prefixText, ...more] = text.split('/');
  if (!isIp(given) || more.length > 0 || (prefixText !== undefined && !PREFIX.test(prefixText))) {
    return refuse('must be an IP address such as 198.51.100.24, or a network such as 198.51.100.0/24');
  }
  const address = normalizeIp(given);
  const network = networkOfValue(address);
  const { family } = network;
  const bits = network.prefix;
  const isMapped = family === 4 && given.includes(':');
  const prefix = prefixText === undefined ? bits : Number(prefixText) - (isMapped ? MAPPED_BITS : 0);
  if (prefix > bits) return refuse(`must have at most ${isMapped ? 128 : bits} bits behind the slash`);
  if (prefix < WIDEST[family]) return refuse(`must be a network no wider than /${WIDEST[family]}`);
  const meant = networkText({ ...network, prefix });
  if (prefix < bits && meant !== `${address}/${prefix}`) {
    return refuse(`must begin where its network begins: ${meant}, or name the address alone`);
  }
  return { value: meant };
};

const readDomain = (text: string): Read => {
  const domain = domainOf(`@${text}`);
  return text.includes('@') || !DOMAIN.test(domain)
    ? refuse('must be a domain such as example.com')
    : { value: domain };
};

const readCallerId = (text: string): Read =>
  isCallerId.Check(text) ? { value: text } : refuse('must have at most 255 characters');

const READERS: Readonly<Record<ListKind, (text: string) => Read>> = {
  user: readCallerId,
  ip_address: readAddress,
  device: (text) => {
    const name = listedDevice(text);
    return name === undefined
      ? refuse(
          'must be your identifier of the device, its id such as dvk_Zk3…, or a token of the device SDK with a key that is kept',
        )
      : { value: deviceId(name) };
  },
  email: (text) =>
    isEmail.Check(text) ? { value: text.toLowerCase() } : refuse('must be an e-mail address such as ada@example.com'),
  email_domain: readDomain,
  // Not masked, as screening does: that would list every card with the same first and last digits.
  payment_fingerprint: (text) =>
    maskCardNumbers(text) === text
      ? readCallerId(text)
      : refuse('looks like a card number: never send those, list your token of the card'),
  counterparty: readCallerId,
  country: (text) =>
    isCountry(text) ? { value: text.toUpperCase() } : refuse('must be an ISO 3166-1 alpha-2 country code such as DE'),
};

/** Reads a value of the kind as screening would, so that the two meet. */
export const readValue = (kind: ListKind, text: string): Read => READERS[kind](text);
