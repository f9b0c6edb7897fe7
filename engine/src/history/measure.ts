import { ENTITY_KINDS, kindIndex } from '../subject/entity.ts';
import { KNOWLEDGE } from '../subject/lookup-facts.ts';
import { kmBetween } from '../subject/place.ts';
import { ACTIVITIES, type Subject } from '../subject/subject.ts';
import { forgetAccount, measureAccount } from './account.ts';
import type { Arena } from './arena.ts';
import { cellsFirst } from './cells.ts';
import { historyAt, historyEnd } from './entity-group.ts';
import {
  CHANGE_AGE,
  FACT_LAYOUTS,
  type FactLayout,
  knowledgeAt,
  LATER_SCALARS,
  OTHER_FACTS,
  PAIR_FACTS,
  SCALARS,
  TOKEN_FACTS,
  TRAVEL_KM,
  TRAVEL_MS,
} from './fact-layout.ts';
import { type Facts, fact } from './facts.ts';
import {
  ACTOR_COUNT,
  ACTOR_FRAUDS,
  actionsOf,
  actorFraudAt,
  DISPUTE_COUNT,
  DISPUTE_DAYS,
  firstAt,
  fraudAt,
  fraudsOf,
  LAST_AT,
  M2,
  MAXIMUM,
  MEAN,
  paymentsOf,
  readCount,
  secondOf,
} from './history-layout.ts';
import { lastPlace } from './last-place.ts';
import { HISTORY_UNAVAILABLE, type HistoryLocations } from './locations.ts';
import { pairAge, pairDays, pairPaidAge, pairPayments, pairVouched, wasPairSeen } from './pair.ts';
import { addDistinct, findPairs, KIND_CODES, lastWithOther, tokenAge } from './related.ts';
import { fillWindows, widen } from './window-facts.ts';
import { lastMoment, WINDOWS } from './windows.ts';

const ABSENT_WHEN_NEW = ['age_ms', 'idle_ms', 'amount_mean', 'amount_deviation', 'amount_max', 'fraud_age_ms'] as const;
const ABSENT_AT = Uint8Array.from(ABSENT_WHEN_NEW, (scalar) => SCALARS.indexOf(scalar));
const LATER_ABSENT_WHEN_NEW = LATER_SCALARS.indexOf('actor_fraud_age_ms');

/** For a few facts, a loop is faster than `fill`. */
const fillFew = (facts: Facts, value: number, from: number, end: number): void => {
  for (let at = from; at < end; at++) facts[at] = value;
};

/** Fills in the facts of version 5 of an entity that have no window. */
const measureActor = (
  arena: Arena,
  history: number,
  kind: number,
  moment: number,
  laterScalars: number,
  facts: Facts,
): void => {
  const half = 2 * history + ACTOR_FRAUDS;
  const frauds = readCount(arena, half, ACTOR_COUNT);
  facts[laterScalars] = frauds;
  facts[laterScalars + 1] = frauds > 0 ? Math.max(0, moment - actorFraudAt(arena, history)) : Number.NaN;
  if (kind === kindIndex.user) {
    facts[laterScalars + 2] = readCount(arena, half, DISPUTE_COUNT);
    facts[laterScalars + 3] = readCount(arena, half, DISPUTE_DAYS);
  }
};

const CHANGES = ACTIVITIES.indexOf('changes');
const CHANGES_OF_MONTH = fact('user.changes.30d');
/** Fills in how long ago the user's last credential change was, given the number of changes. */
const measureChange = (arena: Arena, cells: number, end: number, moment: number, facts: Facts): void => {
  const changes = facts[CHANGES_OF_MONTH] as number;
  facts[CHANGE_AGE] = changes > 0 ? moment - lastMoment(arena, cells, end, CHANGES, moment) : Number.NaN;
};

/**
 * Fills in the facts of one entity, number `index` of a group, as of `now` or of its last activity if that is later.
 */
export const measureEntity = (
  arena: Arena,
  group: number,
  index: number,
  kind: number,
  now: number,
  facts: Facts,
): void => {
  const layout = FACT_LAYOUTS[kind] as FactLayout;
  const { scalars, distinct, firstDistinct, end, laterScalars, laterDistinct, laterEnd } = layout;
  const { f64 } = arena;
  const history = historyAt(arena, group, index);
  const last = f64[history + LAST_AT] as number;
  const moment = Math.max(now, last);
  const payments = paymentsOf(arena, history);
  let at = scalars;
  facts[at++] = moment - firstAt(arena, history);
  facts[at++] = moment - last;
  facts[at++] = actionsOf(arena, history);
  facts[at++] = payments;
  facts[at++] = payments > 0 ? (f64[history + MEAN] as number) : Number.NaN;
  facts[at++] = payments > 1 ? Math.sqrt((f64[history + M2] as number) / (payments - 1)) : Number.NaN;
  facts[at++] = payments > 0 ? (f64[history + MAXIMUM] as number) : Number.NaN;
  const frauds = fraudsOf(arena, history);
  facts[at++] = frauds;
  facts[at++] = frauds > 0 ? Math.max(0, moment - fraudAt(arena, history)) : Number.NaN;
  const cells = cellsFirst(arena, history, kind);
  const cellsEnd = historyEnd(arena, group, index);
  fillWindows(arena, cells, cellsEnd, moment, layout, facts);
  fillFew(facts, 0, firstDistinct, end);
  fillFew(facts, 0, laterDistinct, laterEnd);
  addDistinct(arena, history, kind, moment, distinct, facts);
  widen(facts, firstDistinct, end);
  widen(facts, laterDistinct, laterEnd);
  if (kind === kindIndex.user) measureChange(arena, cells, cellsEnd, moment, facts);
  measureActor(arena, history, kind, moment, laterScalars, facts);
};

/** Fills in the facts of an entity without a history: counts are 0; its age and its amounts are unknown. */
const measureNew = ({ scalars, end, laterScalars, laterEnd }: FactLayout, facts: Facts): void => {
  facts.fill(0, scalars, end);
  for (let i = 0; i < ABSENT_AT.length; i++) facts[scalars + (ABSENT_AT[i] as number)] = Number.NaN;
  fillFew(facts, 0, laterScalars, laterEnd);
  facts[laterScalars + LATER_ABSENT_WHEN_NEW] = Number.NaN;
};

const WINDOWS_MS = WINDOWS.map(({ granule, granules }) => granule * granules);

const forgetWindows = (facts: Facts, from: number, end: number, knownMs: number): void => {
  for (let at = from; at < end; at += WINDOWS.length)
    for (let window = 0; window < WINDOWS.length; window++)
      if ((WINDOWS_MS[window] as number) > knownMs) facts[at + window] = Number.NaN;
};

/** Fills in the facts of a pair that was never seen, or is unknown. */
const forgetPair = (facts: Facts, i: number, count: number): void => {
  const { ages, paid, days, payments, vouched, seen } = PAIR_FACTS;
  facts[ages[i] as number] = Number.NaN;
  facts[paid + i] = Number.NaN;
  facts[days + i] = count;
  facts[payments + i] = count;
  facts[vouched + i] = count;
  facts[seen + i] = count;
};

/**
 * Makes the facts of an entity unknown that need more than the last `knownMs` of its history: what came before was
 * lost. The entity counts as unavailable then, but activity in shorter windows is still seen.
 */
export const forgetOlder = (facts: Facts, kind: number, knownMs: number): void => {
  if (kind === kindIndex.account) {
    forgetAccount(facts);
    return;
  }
  const { scalars, transactions, end, laterScalars, laterWindows, laterEnd } = FACT_LAYOUTS[kind] as FactLayout;
  facts.fill(Number.NaN, scalars, transactions);
  forgetWindows(facts, transactions, end, knownMs);
  facts.fill(Number.NaN, laterScalars, laterWindows);
  forgetWindows(facts, laterWindows, laterEnd, knownMs);
  if (kind === kindIndex.user) {
    for (let i = 0; i < PAIR_FACTS.relations.length; i++) forgetPair(facts, i, Number.NaN);
    for (const { at } of OTHER_FACTS) facts[at] = Number.NaN;
    if (!((facts[CHANGE_AGE] as number) < knownMs)) facts[CHANGE_AGE] = Number.NaN;
  }
  for (const token of TOKEN_FACTS) if (token.kind === kind) facts[token.at] = Number.NaN;
};

/** Fills in how long ago the device, and devices of its profile, first sent the token of the request. */
const measureToken = (arena: Arena, locations: HistoryLocations, subject: Subject, facts: Facts): void => {
  const token = subject.hashes[kindIndex.token] as number;
  if (token === 0) return;
  for (let i = 0; i < TOKEN_FACTS.length; i++) {
    const { kind, at } = TOKEN_FACTS[i] as (typeof TOKEN_FACTS)[number];
    const group = locations.group[kind] as number;
    if (subject.hashes[kind] === 0 || group === 0 || group === HISTORY_UNAVAILABLE) continue;
    const history = historyAt(arena, group, locations.index[kind] as number);
    facts[at] = tokenAge(arena, history, kind, kindIndex.token, token, subject.at);
  }
};

/** Reused between calls. */
const before = { place: 0, at: 0 };
const measureTravel = (arena: Arena, user: number, subject: Subject, facts: Facts): void => {
  const here = subject.hashes[kindIndex.place] as number;
  if (user === 0 || here === 0) return;
  lastPlace(arena, user, here, subject.at, before);
  if (before.place === 0) return;
  facts[TRAVEL_KM] = before.place === here ? 0 : kmBetween(before.place, here);
  facts[TRAVEL_MS] = Math.max(0, subject.at - before.at);
};

const PAIR_CODES = Uint8Array.from(PAIR_FACTS.relations, (relation) => KIND_CODES[relation] as number);
const NO_PAIRS = new Uint32Array(KIND_CODES.length);

const DAY_SECONDS = 86_400;
/** Fills in how long ago the user was with others of the kinds of the subject's entities, from the pairs found last. */
const measureOthers = ({ hashes }: Subject, second: number, facts: Facts): void => {
  for (let i = 0; i < OTHER_FACTS.length; i++) {
    const { relation, at } = OTHER_FACTS[i] as (typeof OTHER_FACTS)[number];
    const last = lastWithOther[KIND_CODES[relation] as number] as number;
    if (last !== 0 && hashes[relation] !== 0) facts[at] = Math.floor(Math.max(0, second - last) / DAY_SECONDS);
  }
};

/** Fills in the facts about the user, 0 if new, with each entity of the subject. Never together counts as none at all. */
const measurePairs = (arena: Arena, user: number, isUnavailable: boolean, subject: Subject, facts: Facts): void => {
  const { hashes } = subject;
  const second = secondOf(subject.at);
  const found = user === 0 ? NO_PAIRS : findPairs(arena, user, hashes);
  const { relations, ages, paid, days, payments, vouched, seen } = PAIR_FACTS;
  for (let i = 0; i < PAIR_CODES.length; i++) {
    const pair = found[PAIR_CODES[i] as number] as number;
    if (pair === 0) {
      if (!isUnavailable && hashes[relations[i] as number] !== 0) forgetPair(facts, i, 0);
      continue;
    }
    facts[ages[i] as number] = pairAge(arena, pair, second);
    facts[paid + i] = pairPaidAge(arena, pair, second);
    facts[days + i] = pairDays(arena, pair);
    facts[payments + i] = pairPayments(arena, pair);
    facts[vouched + i] = pairVouched(arena, pair);
    facts[seen + i] = Number(wasPairSeen(arena, pair, second));
  }
  if (user !== 0) measureOthers(subject, second, facts);
};

/**
 * Hides the histories that have newer items than an imported one. Their windows end with the newest item, so they would
 * show what came after it.
 */
const hideNewer = (arena: Arena, { group, index }: HistoryLocations, { at, hashes }: Subject): void => {
  for (let kind = 0; kind < ENTITY_KINDS.length; kind++) {
    const of = group[kind] as number;
    if (hashes[kind] === 0 || of === 0 || of === HISTORY_UNAVAILABLE) continue;
    const last = arena.f64[historyAt(arena, of, index[kind] as number) + LAST_AT] as number;
    if (last > at) group[kind] = HISTORY_UNAVAILABLE;
  }
};

const KNOWLEDGE_AT = Uint16Array.from(KNOWLEDGE, (_, index) => knowledgeAt(index));

/**
 * Fills `facts` with the state before the subject. The histories must not include the subject yet. For an imported
 * subject, histories with newer items are marked as unavailable in `locations`.
 */
export const measure = (arena: Arena, locations: HistoryLocations, subject: Subject, facts: Facts): void => {
  if (subject.isImported) hideNewer(arena, locations, subject);
  // What follows fills in only what is known.
  facts.fill(Number.NaN);
  facts[0] = subject.dollars;
  const { knowledge } = subject;
  for (let i = 0; i < KNOWLEDGE_AT.length; i++) facts[KNOWLEDGE_AT[i] as number] = knowledge[i] as number;
  for (let kind = 0; kind < FACT_LAYOUTS.length; kind++) {
    const group = locations.group[kind] as number;
    if (subject.hashes[kind] === 0 || group === HISTORY_UNAVAILABLE) continue;
    if (group === 0) measureNew(FACT_LAYOUTS[kind] as FactLayout, facts);
    else measureEntity(arena, group, locations.index[kind] as number, kind, subject.at, facts);
  }
  const accounts = locations.group[kindIndex.account] as number;
  if (subject.hashes[kindIndex.account] !== 0 && accounts !== HISTORY_UNAVAILABLE) {
    const index = locations.index[kindIndex.account] as number;
    measureAccount(arena, accounts === 0 ? 0 : historyAt(arena, accounts, index), subject.at, facts);
  }
  const users = locations.group[kindIndex.user] as number;
  const isUnavailable = users === HISTORY_UNAVAILABLE;
  const user = users === 0 || isUnavailable ? 0 : historyAt(arena, users, locations.index[kindIndex.user] as number);
  measurePairs(arena, user, isUnavailable, subject, facts);
  measureTravel(arena, user, subject, facts);
  measureToken(arena, locations, subject, facts);
};
