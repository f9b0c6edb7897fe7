import type { DecisionValue } from '@portcullis/contract';
import { deviceId } from '../subject/device-id.ts';
import { countryOf, knowledgeIndex } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { addProfile, entityGroupWords, growEnd, profileAt } from './entity-group.ts';

/** A value in a profile, and when it was seen, to the second. */
export interface ProfileEntry {
  readonly value: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** The profile of a user, updated with each of their screenings. */
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
  /** The most recently seen come last. */
  readonly devices: readonly ProfileEntry[];
  readonly ips: readonly ProfileEntry[];
  readonly countries: readonly ProfileEntry[];
  readonly signals: readonly ProfileEntry[];
}

/**
 * The profile is at the end of the user's group: the words named here, then the entries of all lists, mixed. An entry
 * is two words and its text. Its halves are the list with the length of the text, the count, and the seconds it was
 * last and first seen. For a currency, the second word is the total.
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

/** The most recent entries kept per list. Currencies and event types are few, so all are kept. */
const ENTRIES_MAX = 20;
const SECOND = 1000;
const RISK_HALF_LIFE_MS = 7 * 24 * 3_600_000;

/** Adds an empty profile to a group. Returns the new position of the group. */
export const newProfile = (arena: Arena, before: number, moment: number): number => {
  const group = addProfile(arena, before, HEAD);
  const at = profileAt(arena, group);
  arena.f64.fill(0, at, at + HEAD);
  arena.f64[at + FIRST] = moment;
  arena.f64[at + LAST] = moment;
  return group;
};

const entryWords = (tag: number): number => TEXT + ((((tag & LENGTH_MASK) << (tag & WIDE ? 1 : 0)) + 7) >>> 3);

/** The character at `i` of an entry's text. */
const unitAt = ({ u32 }: Arena, entry: number, tag: number, i: number): number => {
  const text = 2 * (entry + TEXT);
  return tag & WIDE
    ? ((u32[text + (i >> 1)] as number) >>> ((i & 1) * 16)) & 0xffff
    : ((u32[text + (i >> 2)] as number) >>> ((i & 3) * 8)) & 0xff;
};

const textOf = (arena: Arena, entry: number): string => {
  const tag = arena.u32[2 * entry] as number;
  const units = Array.from({ length: tag & LENGTH_MASK }, (_, i) => unitAt(arena, entry, tag, i));
  return String.fromCharCode(...units);
};

const isText = (arena: Arena, entry: number, tag: number, text: string): boolean => {
  if ((tag & LENGTH_MASK) !== text.length) return false;
  // Compare from the end, since values of one list often begin alike.
  for (let i = text.length - 1; i >= 0; i--) if (unitAt(arena, entry, tag, i) !== text.charCodeAt(i)) return false;
  return true;
};

const tagOf = (list: number, text: string): number => {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) wide = WIDE;
  return ((list << LIST_SHIFT) | wide | text.length) >>> 0;
};

const writeText = ({ f64, u32 }: Arena, entry: number, tag: number, text: string): void => {
  const shift = tag & WIDE ? 1 : 2;
  f64.fill(0, entry + TEXT, entry + entryWords(tag));
  for (let i = 0; i < text.length; i++) {
    const half = 2 * (entry + TEXT) + (i >> shift);
    const by = (i & ((1 << shift) - 1)) * (32 >> shift);
    u32[half] = (u32[half] as number) | (text.charCodeAt(i) << by);
  }
};

/** Counts a value in its entry, which is added if missing. Returns the new position of the group. */
const countValue = (arena: Arena, before: number, list: number, text: string, moment: number, add: number): number => {
  const { f64, u32 } = arena;
  const end = before + entityGroupWords(arena, before);
  const second = Math.floor(moment / SECOND);
  let count = 0;
  let oldest = 0;
  for (let entry = profileAt(arena, before) + HEAD; entry < end; ) {
    const tag = u32[2 * entry] as number;
    if (tag >>> LIST_SHIFT === list) {
      if (isText(arena, entry, tag, text)) {
        u32[2 * entry + COUNT] = (u32[2 * entry + COUNT] as number) + 1;
        if (list === TOTALS) f64[entry + TOTAL] = (f64[entry + TOTAL] as number) + add;
        else {
          u32[2 * entry + LAST_SECOND] = Math.max(u32[2 * entry + LAST_SECOND] as number, second);
          u32[2 * entry + FIRST_SECOND] = Math.min(u32[2 * entry + FIRST_SECOND] as number, second);
        }
        return before;
      }
      if (count++ === 0 || (u32[2 * entry + LAST_SECOND] as number) < (u32[2 * oldest + LAST_SECOND] as number))
        oldest = entry;
    }
    entry += entryWords(tag);
  }
  if (list >= DEVICES && count === ENTRIES_MAX) {
    const words = entryWords(u32[2 * oldest] as number);
    f64.copyWithin(oldest, oldest + words, end);
    u32[2 * before + 1] = end - words - before;
  }
  const tag = tagOf(list, text);
  const at = entityGroupWords(arena, before);
  const group = growEnd(arena, before, entryWords(tag));
  writeEntry(arena, group + at, tag, text, second, add);
  return group;
};

const writeEntry = (arena: Arena, entry: number, tag: number, text: string, second: number, add: number): void => {
  const { f64, u32 } = arena;
  u32[2 * entry] = tag;
  u32[2 * entry + COUNT] = 1;
  if (tag >>> LIST_SHIFT === TOTALS) f64[entry + TOTAL] = add;
  else {
    u32[2 * entry + LAST_SECOND] = second;
    u32[2 * entry + FIRST_SECOND] = second;
  }
  writeText(arena, entry, tag, text);
};

const fade = (risk: number, since: number, now: number): number =>
  risk * 0.5 ** (Math.max(0, now - since) / RISK_HALF_LIFE_MS);

/** The current risk: it halves every week without a higher score. */
export const riskAt = (profile: Profile, now: number): number => fade(profile.risk, profile.lastAt, now);

const countOne = ({ u32 }: Arena, half: number): void => {
  u32[half] = (u32[half] as number) + 1;
};

/**
 * Adds a screening to the profile in its user's group. Returns the new position of the group. Screenings may be added
 * in any order: on the shared store, those of an outage come after later ones.
 */
export const addToProfile = (
  arena: Arena,
  before: number,
  subject: Subject,
  score: number,
  decision: DecisionValue,
  signals: readonly string[],
): number => {
  const { f64 } = arena;
  const profile = profileAt(arena, before);
  const moment = subject.at;
  const last = Math.max(moment, f64[profile + LAST] as number);
  const risk = fade(f64[profile + RISK] as number, f64[profile + LAST] as number, last);
  f64[profile + RISK] = Math.max(risk, fade(score, moment, last));
  f64[profile + FIRST] = Math.min(moment, f64[profile + FIRST] as number);
  f64[profile + LAST] = last;
  const located = subject.knowledge[knowledgeIndex.ip_country] as number;
  const here = located > 0 ? countryOf(located) : undefined;
  let group = before;
  if (subject.type === 'transaction') {
    const { currency, amount } = subject.request;
    countOne(arena, 2 * profile + TRANSACTIONS);
    countOne(arena, 2 * profile + DECISIONS[decision]);
    group = countValue(arena, group, TOTALS, currency, moment, amount);
  } else {
    countOne(arena, 2 * profile + EVENTS);
    group = countValue(arena, group, EVENT_TYPES, subject.request.type, moment, 0);
  }
  // Values come last, because adding one may move the group away from the position of the counts above.
  if (here !== undefined) group = countValue(arena, group, COUNTRIES, here, moment, 0);
  if (subject.type === 'transaction') {
    const billing = subject.request.billing_address?.country;
    const shipping = subject.request.shipping_address?.country;
    // A country counts once per payment, even if several addresses are in it.
    if (billing !== undefined && billing !== here) group = countValue(arena, group, COUNTRIES, billing, moment, 0);
    if (shipping !== undefined && shipping !== billing && shipping !== here)
      group = countValue(arena, group, COUNTRIES, shipping, moment, 0);
  }
  const { device_token, ip_address } = subject.request;
  if (device_token !== undefined) group = countValue(arena, group, DEVICES, deviceId(device_token), moment, 0);
  if (ip_address !== undefined) group = countValue(arena, group, IPS, ip_address, moment, 0);
  for (let i = 0; i < signals.length; i++) group = countValue(arena, group, SIGNALS, signals[i] as string, moment, 0);
  return group;
};

/** Decodes the profile of a group. */
export const decodeProfile = (arena: Arena, group: number): Profile => {
  const { f64, u32 } = arena;
  const at = profileAt(arena, group);
  const half = (index: number): number => u32[2 * at + index] as number;
  const lists: ProfileEntry[][] = [[], [], [], [], [], []];
  const totals: Record<string, number> = {};
  const end = group + entityGroupWords(arena, group);
  for (let entry = at + HEAD; entry < end; entry += entryWords(u32[2 * entry] as number)) {
    const list = (u32[2 * entry] as number) >>> LIST_SHIFT;
    const value = textOf(arena, entry);
    if (list === TOTALS) totals[value] = f64[entry + TOTAL] as number;
    lists[list]?.push({
      value,
      firstAt: (u32[2 * entry + FIRST_SECOND] as number) * SECOND,
      lastAt: (u32[2 * entry + LAST_SECOND] as number) * SECOND,
      count: u32[2 * entry + COUNT] as number,
    });
  }
  const seen = (list: number): ProfileEntry[] => (lists[list] as ProfileEntry[]).sort((a, b) => a.lastAt - b.lastAt);
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

/** Whether the words can be a profile: plausible numbers, and entries of known lists that end where the words end. */
export const isWholeProfile = (words: Float64Array, halves: Uint32Array): boolean => {
  if (words.length < HEAD || ![FIRST, LAST, RISK].every((at) => (words[at] as number) >= 0)) return false;
  let entry = HEAD;
  while (entry < words.length) {
    const tag = halves[2 * entry] as number;
    const list = tag >>> LIST_SHIFT;
    if (list > SIGNALS || (tag & LENGTH_MASK) === 0) return false;
    if (list === TOTALS && entry + TOTAL < words.length && !Number.isFinite(words[entry + TOTAL])) return false;
    entry += entryWords(tag);
  }
  return entry === words.length;
};
