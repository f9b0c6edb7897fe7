import {
  countryNumber,
  formerDeviceId,
  type Identify,
  isLongToken,
  kindIndex,
  knowledgeIndex,
  type Subject,
} from '@portcullis/engine';
import { makeWords, parseAddress } from '../knowledge/address.ts';
import { domainOf } from '../knowledge/email-domains.ts';
import { countryKeyNumber, entryCheck, FIRST_V4, FIRST_V6, GROUP, type Keys, v4Number } from './entry-keys.ts';
import type { Table } from './hash-table.ts';
import { maskWord } from './parse-value.ts';

/** The entries to search. */
export interface SearchTable {
  readonly table: Table;
  /** Prefix lengths of the networks in the table. */
  readonly v4: readonly number[];
  readonly v6: readonly number[];
}

/**
 * Marks the lists that match a subject, and returns the number of matching entries. It runs with every screening: it
 * searches by the identities that a subject has anyway.
 */
export const makeFindMatches = ({ v6Number, v6Check }: Keys, marks: Uint8Array) => {
  const words = makeWords();
  const [keys, checks]: [number[], number[]] = [[], []];

  /** Marks the entries with the identity of the subject's entity of a kind. */
  const markEntity = (table: Table, group: number, kind: number, { hashes, checks, at: now }: Subject): number => {
    const key = hashes[kind] as number;
    if (key === 0 || table.count(group) === 0) return 0;
    const at = table.look(group, key);
    return at === -1 ? 0 : table.mark(at, entryCheck(checks[kind] as number), now, marks);
  };
  /** Marks the entries with a name that is not an entity of the subject. */
  const markName = (
    table: Table,
    group: number,
    identify: Identify,
    kind: number,
    name: string,
    now: number,
  ): number => {
    identify(kind, name, keys, checks);
    const at = table.look(group, keys[kind] as number);
    return at === -1 ? 0 : table.mark(at, entryCheck(checks[kind] as number), now, marks);
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
    return at === -1 ? 0 : table.mark(at, v6Check(a, b, c, d), now, marks);
  };
  const markAddress = ({ table, v4, v6 }: SearchTable, subject: Subject): number => {
    const { request, at: now } = subject;
    const { ip_address: ip } = request;
    if (ip === undefined) return 0;
    let found = markEntity(table, GROUP.ip_address, kindIndex.ip, subject);
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

  const markDevice = (table: Table, identify: Identify, subject: Subject): number => {
    const { device_token: token } = subject.request;
    if (token === undefined || table.count(GROUP.device) === 0) return 0;
    const { device } = kindIndex;
    const found = markEntity(table, GROUP.device, device, subject);
    if (!isLongToken(token)) return found;
    return found + markName(table, GROUP.device, identify, device, formerDeviceId(token), subject.at);
  };

  /** The e-mail address, its domain, and all parent domains. */
  const markEmail = (table: Table, identify: Identify, subject: Subject): number => {
    const { email } = subject.request;
    if (email === undefined) return 0;
    let found = markEntity(table, GROUP.email, kindIndex.email, subject);
    if (table.count(GROUP.email_domain) === 0) return found;
    const domain = domainOf(email);
    for (let start = 0; domain.indexOf('.', start) !== -1; start = domain.indexOf('.', start) + 1) {
      const name = start === 0 ? domain : domain.slice(start);
      found += markName(table, GROUP.email_domain, identify, kindIndex.domain, name, subject.at);
    }
    return found;
  };

  const markCountry = (table: Table, country: number, now: number): number =>
    country >= 0 ? markNumber(table, GROUP.country, countryKeyNumber(country), now) : 0;
  const markCountries = (table: Table, subject: Subject): number => {
    if (table.count(GROUP.country) === 0) return 0;
    const { at } = subject;
    let found = markCountry(table, subject.knowledge[knowledgeIndex.ip_country] as number, at);
    if (subject.type === 'event') return found;
    const billing = subject.request.billing_address?.country;
    const shipping = subject.request.shipping_address?.country;
    if (billing !== undefined) found += markCountry(table, countryNumber(billing), at);
    if (shipping !== undefined) found += markCountry(table, countryNumber(shipping), at);
    return found;
  };

  return (searched: SearchTable, identify: Identify, subject: Subject): number => {
    const { table } = searched;
    return (
      markEntity(table, GROUP.user, kindIndex.user, subject) +
      markAddress(searched, subject) +
      markDevice(table, identify, subject) +
      markEmail(table, identify, subject) +
      markCountries(table, subject) +
      markEntity(table, GROUP.payment_fingerprint, kindIndex.fingerprint, subject) +
      markEntity(table, GROUP.counterparty, kindIndex.counterparty, subject)
    );
  };
};
