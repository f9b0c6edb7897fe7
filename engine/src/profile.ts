import type { DecisionValue } from '@portcullis/contract';
import { deviceId } from './entity.ts';
import { countryOf, knownIndex } from './knowledge.ts';
import { addProfile, growEnd, profileAt, shelfWords } from './shelf.ts';
import type { Slab } from './slab.ts';
import type { Subject } from './subject.ts';

/** A value and when it was seen, to the second. */
export interface Seen {
  readonly value: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** What is told of a user: a fold over their screenings. */
export interface Profile {
  readonly firstAt: number;
  readonly lastAt: number;
  /** The highest recent score, as of `lastAt`. */
  readonly risk: number;
  readonly transactions: number;
  readonly totals: Readonly<Record<string, number>>;
  readonly decisions: Readonly<Record<DecisionValue, number>>;
  readonly events: number;
  readonly eventTypes: Readonly<Record<string, number>>;
  /** The last seen stand last. */
  readonly devices: readonly Seen[];
  readonly ips: readonly Seen[];
  readonly countries: readonly Seen[];
  readonly signals: readonly Seen[];
}

/**
 * It stands at the end of the user's shelf: the words named here, then lists of values, mixed. An entry
 * is two words and its text. Halves: its list and the length of the text, how often it was seen, the second it was last
 * and the one it was first seen; of a currency, the second word is the total.
 */
const FIRST = 0;
const LAST = 1;
const RISK = 2;
/** Halves from here on. */
const TRANSACTIONS = 6;
const EVENTS = 7;
const DECISIONS: Readonly<Record<DecisionValue, number>> = { allow: 8, review: 9, block: 10 };
const HEAD = 6;

const COUNT = 1;
const LAST_SECOND = 2;
const FIRST_SECOND = 3;
const TOTAL = 1;
const TEXT = 2;
const LIST_SHIFT = 28;
/** Whether the text needs two bytes a character. */
const WIDE = 1 << 27;
const LENGTH_MASK = 0xffff;

const TOTALS = 0;
const EVENT_TYPES = 1;
const DEVICES = 2;
const IPS = 3;
const COUNTRIES = 4;
const SIGNALS = 5;

/** How many of each list are kept, the last seen. Currencies and types of events are few and all kept. */
const SEEN_MAX = 20;
const SECOND = 1000;
const RISK_HALF_LIFE_MS = 7 * 24 * 3_600_000;

/** Gives a shelf a profile. */
export const newProfile = (slab: Slab, before: number, moment: number): number => {
  const shelf = addProfile(slab, before, HEAD);
  const at = profileAt(slab, shelf);
  slab.f64.fill(0, at, at + HEAD);
  slab.f64[at + FIRST] = moment;
  slab.f64[at + LAST] = moment;
  return shelf;
};

const entryWords = (tag: number): number => TEXT + ((((tag & LENGTH_MASK) << (tag & WIDE ? 1 : 0)) + 7) >>> 3);

/** The character at `i` of an entry's text. */
const unitAt = ({ u32 }: Slab, entry: number, tag: number, i: number): number => {
  const text = 2 * (entry + TEXT);
  return tag & WIDE
    ? ((u32[text + (i >> 1)] as number) >>> ((i & 1) * 16)) & 0xffff
    : ((u32[text + (i >> 2)] as number) >>> ((i & 3) * 8)) & 0xff;
};

const textOf = (slab: Slab, entry: number): string => {
  const tag = slab.u32[2 * entry] as number;
  const units = Array.from({ length: tag & LENGTH_MASK }, (_, i) => unitAt(slab, entry, tag, i));
  return String.fromCharCode(...units);
};

const isText = (slab: Slab, entry: number, tag: number, text: string): boolean => {
  if ((tag & LENGTH_MASK) !== text.length) return false;
  // From the end: values of one list tend to begin alike.
  for (let i = text.length - 1; i >= 0; i--) if (unitAt(slab, entry, tag, i) !== text.charCodeAt(i)) return false;
  return true;
};

const tagOf = (list: number, text: string): number => {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) wide = WIDE;
  return ((list << LIST_SHIFT) | wide | text.length) >>> 0;
};

const writeText = ({ f64, u32 }: Slab, entry: number, tag: number, text: string): void => {
  const shift = tag & WIDE ? 1 : 2;
  f64.fill(0, entry + TEXT, entry + entryWords(tag));
  for (let i = 0; i < text.length; i++) {
    const half = 2 * (entry + TEXT) + (i >> shift);
    const by = (i & ((1 << shift) - 1)) * (32 >> shift);
    u32[half] = (u32[half] as number) | (text.charCodeAt(i) << by);
  }
};

/** Adds to the value's entry, which is made where there is none. Answers with where the shelf is then. */
const see = (slab: Slab, before: number, list: number, text: string, moment: number, add: number): number => {
  const { f64, u32 } = slab;
  const end = before + shelfWords(slab, before);
  const second = Math.floor(moment / SECOND);
  let count = 0;
  let oldest = 0;
  for (let entry = profileAt(slab, before) + HEAD; entry < end; ) {
    const tag = u32[2 * entry] as number;
    if (tag >>> LIST_SHIFT === list) {
      if (isText(slab, entry, tag, text)) {
        u32[2 * entry + COUNT] = (u32[2 * entry + COUNT] as number) + 1;
        if (list === TOTALS) f64[entry + TOTAL] = (f64[entry + TOTAL] as number) + add;
        else u32[2 * entry + LAST_SECOND] = second;
        return before;
      }
      if (count++ === 0 || (u32[2 * entry + LAST_SECOND] as number) < (u32[2 * oldest + LAST_SECOND] as number))
        oldest = entry;
    }
    entry += entryWords(tag);
  }
  if (list >= DEVICES && count === SEEN_MAX) {
    const words = entryWords(u32[2 * oldest] as number);
    f64.copyWithin(oldest, oldest + words, end);
    u32[2 * before + 1] = end - words - before;
  }
  const tag = tagOf(list, text);
  const at = shelfWords(slab, before);
  const shelf = growEnd(slab, before, entryWords(tag));
  writeEntry(slab, shelf + at, tag, text, second, add);
  return shelf;
};

const writeEntry = (slab: Slab, entry: number, tag: number, text: string, second: number, add: number): void => {
  const { f64, u32 } = slab;
  u32[2 * entry] = tag;
  u32[2 * entry + COUNT] = 1;
  if (tag >>> LIST_SHIFT === TOTALS) f64[entry + TOTAL] = add;
  else {
    u32[2 * entry + LAST_SECOND] = second;
    u32[2 * entry + FIRST_SECOND] = second;
  }
  writeText(slab, entry, tag, text);
};

const fade = (risk: number, since: number, now: number): number =>
  risk * 0.5 ** (Math.max(0, now - since) / RISK_HALF_LIFE_MS);

/** A score fades by half every week without a higher one. */
export const riskAt = (profile: Profile, now: number): number => fade(profile.risk, profile.lastAt, now);

const countOne = ({ u32 }: Slab, half: number): void => {
  u32[half] = (u32[half] as number) + 1;
};

/** Folds one screening into the profile on its user's shelf. Answers with where that is then. */
export const addToProfile = (
  slab: Slab,
  before: number,
  subject: Subject,
  score: number,
  decision: DecisionValue,
  signals: readonly string[],
): number => {
  const { f64 } = slab;
  const profile = profileAt(slab, before);
  const moment = Math.max(subject.at, f64[profile + LAST] as number);
  f64[profile + RISK] = Math.max(fade(f64[profile + RISK] as number, f64[profile + LAST] as number, moment), score);
  f64[profile + LAST] = moment;
  const located = subject.knowledge[knownIndex.ip_country] as number;
  const here = located > 0 ? countryOf(located) : undefined;
  let shelf = before;
  if (subject.type === 'transaction') {
    const { currency, amount } = subject.request;
    countOne(slab, 2 * profile + TRANSACTIONS);
    countOne(slab, 2 * profile + DECISIONS[decision]);
    shelf = see(slab, shelf, TOTALS, currency, moment, amount);
  } else {
    countOne(slab, 2 * profile + EVENTS);
    shelf = see(slab, shelf, EVENT_TYPES, subject.request.type, moment, 0);
  }
  // Only now: what is seen may move the shelf, and the counts above are where it was.
  if (here !== undefined) shelf = see(slab, shelf, COUNTRIES, here, moment, 0);
  if (subject.type === 'transaction') {
    const billing = subject.request.billing_address?.country;
    const shipping = subject.request.shipping_address?.country;
    // A country is seen once in a payment, however many of its addresses are there.
    if (billing !== undefined && billing !== here) shelf = see(slab, shelf, COUNTRIES, billing, moment, 0);
    if (shipping !== undefined && shipping !== billing && shipping !== here)
      shelf = see(slab, shelf, COUNTRIES, shipping, moment, 0);
  }
  const { device_token, ip_address } = subject.request;
  if (device_token !== undefined) shelf = see(slab, shelf, DEVICES, deviceId(device_token), moment, 0);
  if (ip_address !== undefined) shelf = see(slab, shelf, IPS, ip_address, moment, 0);
  for (let i = 0; i < signals.length; i++) shelf = see(slab, shelf, SIGNALS, signals[i] as string, moment, 0);
  return shelf;
};

/** The profile on a shelf in words, for someone who asks. */
export const tellProfile = (slab: Slab, shelf: number): Profile => {
  const { f64, u32 } = slab;
  const at = profileAt(slab, shelf);
  const half = (index: number): number => u32[2 * at + index] as number;
  const lists: Seen[][] = [[], [], [], [], [], []];
  const totals: Record<string, number> = {};
  const end = shelf + shelfWords(slab, shelf);
  for (let entry = at + HEAD; entry < end; entry += entryWords(u32[2 * entry] as number)) {
    const list = (u32[2 * entry] as number) >>> LIST_SHIFT;
    const value = textOf(slab, entry);
    if (list === TOTALS) totals[value] = f64[entry + TOTAL] as number;
    lists[list]?.push({
      value,
      firstAt: (u32[2 * entry + FIRST_SECOND] as number) * SECOND,
      lastAt: (u32[2 * entry + LAST_SECOND] as number) * SECOND,
      count: u32[2 * entry + COUNT] as number,
    });
  }
  const seen = (list: number): Seen[] => (lists[list] as Seen[]).sort((a, b) => a.lastAt - b.lastAt);
  return {
    firstAt: f64[at + FIRST] as number,
    lastAt: f64[at + LAST] as number,
    risk: f64[at + RISK] as number,
    transactions: half(TRANSACTIONS),
    totals,
    decisions: { allow: half(DECISIONS.allow), review: half(DECISIONS.review), block: half(DECISIONS.block) },
    events: half(EVENTS),
    eventTypes: Object.fromEntries(seen(EVENT_TYPES).map(({ value, count }) => [value, count])),
    devices: seen(DEVICES),
    ips: seen(IPS),
    countries: seen(COUNTRIES),
    signals: seen(SIGNALS),
  };
};
