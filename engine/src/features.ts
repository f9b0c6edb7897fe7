import { type EntityKind, RELATIONS } from './entity.ts';
import { FACT_NAMES, type Facts, fact, SCALARS } from './facts.ts';
import { DERIVED, type Derived, MODELLED_KINDS } from './features-derived.ts';
import type { Subject } from './subject.ts';
import type { WindowName } from './windows.ts';

/**
 * What a model looks at: facts that have proved to say something, as they are, and what follows from several of them. Everything comes
 * from the facts stored with a decision and from its request, so that training sees what was known then and nothing else. What is not
 * known stays NaN.
 */
const COUNT_WINDOWS: readonly WindowName[] = ['10m', '1h', '24h', '7d', '30d'];
const FEW_WINDOWS: readonly WindowName[] = ['1h', '24h', '7d'];
const COUNTED = [
  'small_transactions',
  'large_transactions',
  'logins',
  'failed_logins',
  'signups',
  'changes',
  'methods_added',
  'frauds',
];

const known = new Set(FACT_NAMES);
const factsOf = (kind: EntityKind): string[] =>
  [
    ...SCALARS.map((name) => `${kind}.${name}`),
    ...COUNT_WINDOWS.flatMap((window) => [`${kind}.transactions.${window}`, `${kind}.amount.${window}`]),
    ...FEW_WINDOWS.flatMap((window) => [
      ...COUNTED.map((name) => `${kind}.${name}.${window}`),
      ...RELATIONS[kind].map((other) => `${kind}.distinct_${other}.${window}`),
    ]),
    ...['failed_logins', 'signups', 'small_transactions', 'distinct_user', 'distinct_fingerprint'].map(
      (name) => `${kind}.${name}.10m`,
    ),
    `${kind}.frauds.30d`,
  ].filter((name) => known.has(name));

const TAKEN: readonly string[] = [
  'dollars',
  ...MODELLED_KINDS.flatMap(factsOf),
  ...RELATIONS.user.filter((other) => other !== 'likeness').map((other) => `user.this_${other}_age_ms`),
  'user.travel_km',
];

const DAY_MS = 24 * 3_600_000;
/**
 * How long an entity is known and how often it was seen grow with the history itself: trees would learn what day it was. What counts is
 * whether it is new, so they stop growing.
 */
export const LONG_KNOWN_MS = 30 * DAY_MS;
export const OFTEN_SEEN = 30;
const capOf = (name: string): number =>
  name.endsWith('.age_ms') || name.endsWith('_age_ms')
    ? LONG_KNOWN_MS
    : /\.(?:actions|payments)$/.test(name)
      ? OFTEN_SEEN
      : Number.POSITIVE_INFINITY;

/** Names of all features, in their order. A model file names those it was trained on. */
export const FEATURE_NAMES: readonly string[] = [...TAKEN, ...DERIVED.map(({ name }) => name)];

/** Nothing divided by nothing is not known, and neither is anything divided by nothing. */
const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

const derivedByName = new Map(DERIVED.map((derived) => [derived.name, derived]));
const taken = new Set(TAKEN);

/** Fills `features`, from `from` on, with what the facts and the subject say. */
export type FillFeatures = (facts: Facts, subject: Subject, features: Float64Array, from?: number) => void;

/** Reads the features of these names, in their order. Undefined for a name there is no feature of. */
export const makeFeatureReader = (names: readonly string[]): FillFeatures | undefined => {
  if (!names.every((name) => taken.has(name) || derivedByName.has(name))) return undefined;
  const takenAt = names.flatMap((name, at) => (taken.has(name) ? [at] : []));
  const derivedAt = names.flatMap((name, at) => (taken.has(name) ? [] : [at]));
  const to = Int32Array.from(takenAt);
  const source = Int32Array.from(takenAt, (at) => fact(names[at] as string));
  const caps = Float64Array.from(takenAt, (at) => capOf(names[at] as string));
  const derived = derivedAt.map((at) => (derivedByName.get(names[at] as string) as Derived).of);
  return (facts, subject, features, from = 0) => {
    for (let i = 0; i < to.length; i++) {
      features[from + (to[i] as number)] = Math.min(facts[source[i] as number] as number, caps[i] as number);
    }
    for (let i = 0; i < derived.length; i++) {
      const of = derived[i] as Derived['of'];
      features[from + (derivedAt[i] as number)] = finite(of(facts, subject));
    }
  };
};

export const makeFeatures = (): Float64Array => new Float64Array(FEATURE_NAMES.length);
export const fillFeatures = makeFeatureReader(FEATURE_NAMES) as FillFeatures;
