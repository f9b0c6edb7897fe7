import { ENTITY_KINDS, kindIndex } from '../subject/entity.ts';
import { KNOWLEDGE } from '../subject/lookup-facts.ts';
import { kmBetween } from '../subject/place.ts';
import type { Subject } from '../subject/subject.ts';
import type { Arena } from './arena.ts';
import { historyAt, historyEnd } from './entity-group.ts';
import {
  FACT_LAYOUTS,
  type FactLayout,
  knowledgeAt,
  PAIR_FACTS,
  SCALARS,
  TOKEN_FACTS,
  TRAVEL_KM,
  TRAVEL_MS,
} from './fact-layout.ts';
import type { Facts } from './facts.ts';
import {
  actionsOf,
  addDistinct,
  cellsFirst,
  firstAt,
  fraudAt,
  fraudsOf,
  LAST_AT,
  lastPlace,
  M2,
  MAXIMUM,
  MEAN,
  pairAge,
  paymentsOf,
  tokenAge,
} from './history.ts';
import { addWindows, WINDOWS, widen } from './windows.ts';

const ABSENT_WHEN_NEW = ['age_ms', 'idle_ms', 'amount_mean', 'amount_deviation', 'amount_max', 'fraud_age_ms'] as const;

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
  const { scalars, transactions, ofTransactions, amount, counts, distinct, end } = FACT_LAYOUTS[kind] as FactLayout;
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
  facts.fill(0, at, end);
  const cells = cellsFirst(arena, history, kind);
  addWindows(arena, cells, historyEnd(arena, group, index), moment, facts, amount, counts);
  for (let i = 0; i < ofTransactions.length; i++) {
    const from = ofTransactions[i] as number;
    for (let window = 0; window < WINDOWS.length; window++)
      facts[transactions + window] = (facts[transactions + window] as number) + (facts[from + window] as number);
  }
  addDistinct(arena, history, kind, moment, distinct, facts);
  widen(facts, at, end);
};

/** Fills in the facts of an entity without a history: counts are 0; its age and its amounts are unknown. */
const measureNew = ({ scalars, end }: FactLayout, facts: Facts): void => {
  facts.fill(0, scalars, end);
  for (const scalar of ABSENT_WHEN_NEW) facts[scalars + SCALARS.indexOf(scalar)] = Number.NaN;
};

const WINDOWS_MS = WINDOWS.map(({ granule, granules }) => granule * granules);

/**
 * Makes the facts of an entity unknown that need more than the last `knownMs` of its history: what came before was
 * lost. The entity counts as unavailable then, but activity in shorter windows is still seen.
 */
export const forgetOlder = (facts: Facts, kind: number, knownMs: number): void => {
  const { scalars, transactions, end } = FACT_LAYOUTS[kind] as FactLayout;
  facts.fill(Number.NaN, scalars, transactions);
  for (let at = transactions; at < end; at += WINDOWS.length)
    for (let window = 0; window < WINDOWS.length; window++)
      if ((WINDOWS_MS[window] as number) > knownMs) facts[at + window] = Number.NaN;
  if (kind === kindIndex.user) for (const { at } of PAIR_FACTS) facts[at] = Number.NaN;
  for (const token of TOKEN_FACTS) if (token.kind === kind) facts[token.at] = Number.NaN;
};

/** Stands for a group that could not be read. All facts of the entity are unknown then, even whether it is new. */
export const HISTORY_UNAVAILABLE = 0xffff_ffff;

/**
 * Where the histories of a subject's entities are, by kind: the group in the arena (0 for none) and the index in that
 * group.
 */
export interface HistoryLocations {
  readonly group: Uint32Array;
  readonly index: Uint32Array;
}
export const makeHistoryLocations = (): HistoryLocations => ({
  group: new Uint32Array(ENTITY_KINDS.length),
  index: new Uint32Array(ENTITY_KINDS.length),
});

/** Fills in how long ago the device, and devices of its profile, first sent the token of the request. */
const measureToken = (arena: Arena, locations: HistoryLocations, subject: Subject, facts: Facts): void => {
  const token = subject.hashes[kindIndex.token] as number;
  for (let i = 0; i < TOKEN_FACTS.length; i++) {
    const { kind, at } = TOKEN_FACTS[i] as (typeof TOKEN_FACTS)[number];
    const group = locations.group[kind] as number;
    const isThere = token !== 0 && subject.hashes[kind] !== 0 && group !== 0 && group !== HISTORY_UNAVAILABLE;
    const history = isThere ? historyAt(arena, group, locations.index[kind] as number) : 0;
    facts[at] = isThere ? tokenAge(arena, history, kind, kindIndex.token, token, subject.at) : Number.NaN;
  }
};

/** Reused between calls. */
const before = { place: 0, at: 0 };
const measureTravel = (arena: Arena, user: number, subject: Subject, facts: Facts): void => {
  const here = subject.hashes[kindIndex.place] as number;
  facts[TRAVEL_KM] = Number.NaN;
  facts[TRAVEL_MS] = Number.NaN;
  if (user === 0 || here === 0) return;
  lastPlace(arena, user, before);
  if (before.place === 0) return;
  facts[TRAVEL_KM] = before.place === here ? 0 : kmBetween(before.place, here);
  facts[TRAVEL_MS] = Math.max(0, subject.at - before.at);
};

/** Fills `facts` with the state before the subject. The histories must not include the subject yet. */
export const measure = (arena: Arena, locations: HistoryLocations, subject: Subject, facts: Facts): void => {
  facts[0] = subject.dollars;
  for (let i = 0; i < KNOWLEDGE.length; i++) facts[knowledgeAt(i)] = subject.knowledge[i] as number;
  for (let kind = 0; kind < FACT_LAYOUTS.length; kind++) {
    const layout = FACT_LAYOUTS[kind] as FactLayout;
    const group = locations.group[kind] as number;
    if (subject.hashes[kind] === 0 || group === HISTORY_UNAVAILABLE) facts.fill(Number.NaN, layout.scalars, layout.end);
    else if (group === 0) measureNew(layout, facts);
    else measureEntity(arena, group, locations.index[kind] as number, kind, subject.at, facts);
  }
  const users = locations.group[kindIndex.user] as number;
  const user =
    users === 0 || users === HISTORY_UNAVAILABLE
      ? 0
      : historyAt(arena, users, locations.index[kindIndex.user] as number);
  for (let i = 0; i < PAIR_FACTS.length; i++) {
    const { relation, at } = PAIR_FACTS[i] as (typeof PAIR_FACTS)[number];
    const hash = subject.hashes[relation] as number;
    facts[at] = user === 0 || hash === 0 ? Number.NaN : pairAge(arena, user, relation, hash, subject.at);
  }
  measureTravel(arena, user, subject, facts);
  measureToken(arena, locations, subject, facts);
};
