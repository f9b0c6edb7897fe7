import { ENTITY_KINDS, type EntityKind, RELATIONS } from './entity.ts';
import { FACT_NAMES, type Facts, fact, SCALARS } from './facts.ts';
import type { Subject } from './subject.ts';
import type { WindowName } from './windows.ts';

/**
 * What a model looks at: facts that have proved to say something, as they are, and what follows from several of them. Everything comes
 * from the facts stored with a decision and from its request, so that training sees what was known then and nothing else. What is not
 * known stays NaN.
 */
interface Derived {
  readonly name: string;
  readonly of: (facts: Facts, subject: Subject) => number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first of January 1970 was a Thursday. */
const THURSDAY = 4;

const at = (facts: Facts, index: number): number => facts[index] as number;
const ratio = (name: string, above: string, below: string): Derived => {
  const [a, b] = [fact(above), fact(below)];
  return { name, of: (facts) => at(facts, a) / at(facts, b) };
};
/** The mean amount within a window. */
const meanOf = (kind: EntityKind, window: WindowName): Derived =>
  ratio(`${kind}.amount_mean.${window}`, `${kind}.amount.${window}`, `${kind}.transactions.${window}`);
/** The amount at hand over the mean within a window. */
const overMean = (kind: EntityKind, window: WindowName): Derived => {
  const mean = meanOf(kind, window);
  const dollars = fact('dollars');
  return { name: `amount_over_${mean.name}`, of: (facts, subject) => at(facts, dollars) / mean.of(facts, subject) };
};
const overFact = (name: string): Derived => ratio(`amount_over_${name}`, 'dollars', name);
/** How many deviations the amount is from the mean; a dollar more, for those who always pay the same. */
const deviationsOf = (kind: EntityKind): Derived => {
  const [dollars, mean, deviation] = [fact('dollars'), fact(`${kind}.amount_mean`), fact(`${kind}.amount_deviation`)];
  return {
    name: `${kind}.amount_deviations`,
    of: (facts) => (at(facts, dollars) - at(facts, mean)) / (at(facts, deviation) + 1),
  };
};
/** The share of fraud among what was labelled within a window. */
const fraudShare = (kind: 'user' | 'counterparty', window: WindowName): Derived => {
  const [frauds, legitimates] = [fact(`${kind}.frauds.${window}`), fact(`${kind}.legitimates.${window}`)];
  return {
    name: `${kind}.fraud_share.${window}`,
    of: (facts) => at(facts, frauds) / (at(facts, frauds) + at(facts, legitimates)),
  };
};
const hourOf = (subject: Subject): number => (subject.at % DAY_MS) / HOUR_MS;
const weekdayOf = (subject: Subject): number => (Math.floor(subject.at / DAY_MS) + THURSDAY) % 7;

const DERIVED: readonly Derived[] = [
  { name: 'is_event', of: (_, subject) => (subject.type === 'event' ? 1 : 0) },
  { name: 'hour', of: (_, subject) => hourOf(subject) },
  { name: 'is_night', of: (_, subject) => (hourOf(subject) < 6 ? 1 : 0) },
  { name: 'is_weekend', of: (_, subject) => (weekdayOf(subject) % 6 === 0 ? 1 : 0) },
  ...(['user', 'counterparty', 'fingerprint'] as const).flatMap((kind) => [
    meanOf(kind, '24h'),
    meanOf(kind, '7d'),
    meanOf(kind, '30d'),
    overMean(kind, '7d'),
    overMean(kind, '30d'),
    overFact(`${kind}.amount_mean`),
    overFact(`${kind}.amount_max`),
    deviationsOf(kind),
  ]),
  ...(['user', 'counterparty'] as const).flatMap((kind) =>
    (['24h', '7d', '30d'] as const).map((window) => fraudShare(kind, window)),
  ),
  // Bursts: how much of the longer time is in the shorter.
  ...ENTITY_KINDS.flatMap((kind) => [
    ratio(`${kind}.burst.1h`, `${kind}.transactions.1h`, `${kind}.transactions.24h`),
    ratio(`${kind}.burst.24h`, `${kind}.transactions.24h`, `${kind}.transactions.30d`),
  ]),
];

const COUNT_WINDOWS: readonly WindowName[] = ['10m', '1h', '24h', '7d', '30d'];
const FEW_WINDOWS: readonly WindowName[] = ['1h', '24h', '7d'];
const COUNTED = ['small_transactions', 'logins', 'failed_logins', 'signups', 'changes', 'methods_added', 'frauds'];

const known = new Set(FACT_NAMES);
const factsOf = (kind: EntityKind): string[] =>
  [
    ...SCALARS.map((name) => `${kind}.${name}`),
    ...COUNT_WINDOWS.flatMap((window) => [`${kind}.transactions.${window}`, `${kind}.amount.${window}`]),
    ...FEW_WINDOWS.flatMap((window) => [
      ...COUNTED.map((name) => `${kind}.${name}.${window}`),
      ...RELATIONS[kind].map((other) => `${kind}.distinct_${other}.${window}`),
    ]),
    `${kind}.frauds.30d`,
  ].filter((name) => known.has(name));

const TAKEN: readonly string[] = [
  'dollars',
  ...ENTITY_KINDS.flatMap(factsOf),
  ...RELATIONS.user.map((other) => `user.this_${other}_age_ms`),
];
const takenFrom = Int32Array.from(TAKEN, fact);

/** Names of all features, in their order. A model file names those it was trained on. */
export const FEATURE_NAMES: readonly string[] = [...TAKEN, ...DERIVED.map(({ name }) => name)];
export const makeFeatures = (): Float64Array => new Float64Array(FEATURE_NAMES.length);

/** Nothing divided by nothing is not known, and neither is anything divided by nothing. */
const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

/** Fills `features` with what the facts and the subject say. */
export const fillFeatures = (facts: Facts, subject: Subject, features: Float64Array, from = 0): void => {
  let next = from;
  for (let i = 0; i < takenFrom.length; i++) features[next++] = facts[takenFrom[i] as number] as number;
  for (let i = 0; i < DERIVED.length; i++) features[next++] = finite((DERIVED[i] as Derived).of(facts, subject));
};
