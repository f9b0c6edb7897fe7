import { countryNumber, deviceId, hash53, kindIndex, knownIndex, type Subject } from '@portcullis/engine';
import { makeWords, parseAddress } from '../knowledge/address.ts';
import { domainOf } from '../knowledge/email-domains.ts';
import { countryKeyNumber, FIRST_V4, FIRST_V6, GROUP, type Keys, v4Number, v6Number } from './keys.ts';
import type { Table } from './table.ts';
import { maskWord } from './value.ts';

/** What is looked through. */
export interface Marked {
  readonly table: Table;
  /** Lengths of prefix of the networks that are there. */
  readonly v4: readonly number[];
  readonly v6: readonly number[];
}

/**
 * Marks the lists that something of a subject is on. It is asked with every screening, so the hashes that the subject has anyway are used first, and
 * the text itself is looked at only when they are found.
 */
export const makeMarker = ({ hash }: Keys, marks: Uint8Array) => {
  const words = makeWords();

  const markText = (table: Table, group: number, number: number, text: string | undefined, now: number): number => {
    if (text === undefined || table.count(group) === 0) return 0;
    const at = table.look(group, number);
    return at === -1 ? 0 : table.mark(at, hash.text(text), now, marks);
  };
  const markNumber = (table: Table, group: number, number: number, now: number): number => {
    const at = table.look(group, number);
    return at === -1 ? 0 : table.mark(at, 0, now, marks);
  };

  const markV6 = (table: Table, prefix: number, now: number): number => {
    const a = maskWord(words[0] as number, prefix);
    const b = maskWord(words[1] as number, prefix - 32);
    const c = maskWord(words[2] as number, prefix - 64);
    const d = maskWord(words[3] as number, prefix - 96);
    const at = table.look(FIRST_V6 + prefix, v6Number(a, b, c, d));
    return at === -1 ? 0 : table.mark(at, hash.words(a, b, c, d), now, marks);
  };
  const markAddress = ({ table, v4, v6 }: Marked, { request, hashes, at: now }: Subject): number => {
    const { ip_address: ip } = request;
    if (ip === undefined) return 0;
    let found = markText(table, GROUP.ip_address, hashes[kindIndex.ip] as number, ip, now);
    if (v4.length === 0 && v6.length === 0) return found;
    const family = parseAddress(ip, words);
    if (family === 4) {
      for (let i = 0; i < v4.length; i++) {
        const prefix = v4[i] as number;
        found += markNumber(table, FIRST_V4 + prefix, v4Number(maskWord(words[0] as number, prefix)), now);
      }
    } else if (family === 6) for (let i = 0; i < v6.length; i++) found += markV6(table, v6[i] as number, now);
    return found;
  };

  const markDevice = (table: Table, { request, hashes, at }: Subject): number => {
    const { device_token: token } = request;
    if (token === undefined || table.count(GROUP.device) === 0) return 0;
    return markText(table, GROUP.device, hashes[kindIndex.device] as number, deviceId(token), at);
  };

  /** The address, its domain, and every domain that this is below. */
  const markEmail = (table: Table, { request, hashes, at }: Subject): number => {
    const { email } = request;
    if (email === undefined) return 0;
    let found = 0;
    if (table.count(GROUP.email) > 0)
      found += markText(table, GROUP.email, hashes[kindIndex.email] as number, email.toLowerCase(), at);
    if (table.count(GROUP.email_domain) === 0) return found;
    const domain = domainOf(email);
    for (let start = 0; domain.indexOf('.', start) !== -1; start = domain.indexOf('.', start) + 1) {
      const name = start === 0 ? domain : domain.slice(start);
      found += markText(table, GROUP.email_domain, hash53(name), name, at);
    }
    return found;
  };

  const markCountry = (table: Table, country: number, now: number): number =>
    country >= 0 ? markNumber(table, GROUP.country, countryKeyNumber(country), now) : 0;
  const markCountries = (table: Table, subject: Subject): number => {
    if (table.count(GROUP.country) === 0) return 0;
    const { at } = subject;
    let found = markCountry(table, subject.knowledge[knownIndex.ip_country] as number, at);
    if (subject.type === 'event') return found;
    const billing = subject.request.billing_address?.country;
    const shipping = subject.request.shipping_address?.country;
    if (billing !== undefined) found += markCountry(table, countryNumber(billing), at);
    if (shipping !== undefined) found += markCountry(table, countryNumber(shipping), at);
    return found;
  };

  /** Answers with how many entries it met. */
  return (marked: Marked, subject: Subject): number => {
    const { table } = marked;
    const { at, request, hashes } = subject;
    const found =
      markText(table, GROUP.user, hashes[kindIndex.user] as number, request.user_id, at) +
      markAddress(marked, subject) +
      markDevice(table, subject) +
      markEmail(table, subject) +
      markCountries(table, subject);
    if (subject.type === 'event') return found;
    const { payment_fingerprint: token, counterparty_id: counterparty } = subject.request;
    return (
      found +
      markText(table, GROUP.payment_fingerprint, hashes[kindIndex.fingerprint] as number, token, at) +
      markText(table, GROUP.counterparty, hashes[kindIndex.counterparty] as number, counterparty, at)
    );
  };
};
