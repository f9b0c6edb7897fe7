import { DETAILED_KINDS } from '../subject/entity.ts';
import { KNOWLEDGE, type Knowledge, unavailableOf } from '../subject/lookup-facts.ts';
import { ACTIVITIES, type Subject } from '../subject/subject.ts';
import { FACT_NAMES, knowledgeAt, LATER_SCALARS, SCALARS, TRAVEL_KM, TRAVEL_MS } from './fact-layout.ts';

export { FACT_NAMES, LATER_SCALARS, SCALARS };
export const FACTS_VERSION = 7;
/** The first and last readable version. Each version begins with all facts of the one before it. */
export const READABLE_FACTS_VERSIONS = [3, FACTS_VERSION] as const;
export const areFactsReadable = (version: number): boolean =>
  version >= READABLE_FACTS_VERSIONS[0] && version <= READABLE_FACTS_VERSIONS[1];

const positions = new Map(FACT_NAMES.map((name, index) => [name, index]));

/** The position of a fact. It throws for an unknown name, so look positions up when a module loads. */
export const fact = (name: string): number => {
  const position = positions.get(name);
  if (position === undefined) throw new Error(`no fact is named ${name}`);
  return position;
};

/** The facts a decision is based on, one number per name of FACT_NAMES. NaN means unknown. */
export type Facts = Float64Array;
export const makeFacts = (): Facts => new Float64Array(FACT_NAMES.length);

const KNOWLEDGE_POSITIONS = Int32Array.from(KNOWLEDGE, (_, index) => knowledgeAt(index));

/** The looked-up facts among stored facts. */
export const knowledgeIn = (facts: Facts): Knowledge => {
  const knowledge = new Float64Array(KNOWLEDGE_POSITIONS.length);
  for (let i = 0; i < knowledge.length; i++) knowledge[i] = facts[KNOWLEDGE_POSITIONS[i] as number] as number;
  return knowledge;
};

/** A payment over this many times the user's 30-day mean is large for them. */
export const LARGE_TIMES = 2.5;
const USER_AMOUNT = fact('user.amount.30d');
const USER_TRANSACTIONS = fact('user.transactions.30d');
const PLAIN_TRANSACTION = ACTIVITIES.indexOf('transactions');
const LARGE_TRANSACTION = ACTIVITIES.indexOf('large_transactions');

/**
 * The activity a subject is counted as, an index into ACTIVITIES. Whether a payment is large depends on the user's
 * earlier payments. It is read from the facts, not the current history, so that counting a stored screening again
 * gives the same result.
 */
export const activityOf = (subject: Subject, facts: Facts): number =>
  subject.activity === PLAIN_TRANSACTION &&
  (facts[0] as number) * (facts[USER_TRANSACTIONS] as number) > LARGE_TIMES * (facts[USER_AMOUNT] as number) &&
  (facts[USER_TRANSACTIONS] as number) > 0
    ? LARGE_TRANSACTION
    : subject.activity;

const HOUR_MS = 3_600_000;
/** Two addresses of one place within a minute are not a journey, so a shorter time counts as five minutes. */
const SHORTEST_JOURNEY_MS = 5 * 60_000;
/** The least speed in km/h at which the user can have travelled from their last place. */
export const travelSpeed = (facts: Facts): number =>
  ((facts[TRAVEL_KM] as number) * HOUR_MS) / Math.max(facts[TRAVEL_MS] as number, SHORTEST_JOURNEY_MS);

const ACTIONS_AT = DETAILED_KINDS.map((kind) => fact(`${kind}.actions`));

/**
 * Whether the history of one of the subject's entities was unavailable. Otherwise its number of actions is known,
 * even if 0. An account is never unavailable: facts stored before version 6 lack it, and without it nothing looks new.
 */
export const isHistoryUnavailable = (hashes: Subject['hashes'], kind: number, facts: Facts): boolean =>
  kind < ACTIONS_AT.length && hashes[kind] !== 0 && Number.isNaN(facts[ACTIONS_AT[kind] as number]);

/** The names of the looked-up facts, and the kinds of the entities with a history, that were unavailable. */
export const unavailableIn = (hashes: Subject['hashes'], facts: Facts): string[] => [
  ...unavailableOf(knowledgeIn(facts)),
  ...DETAILED_KINDS.filter((_, kind) => isHistoryUnavailable(hashes, kind, facts)),
];
