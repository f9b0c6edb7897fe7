import { FACT_NAMES, type Facts, fact, LATER_SCALARS, SCALARS } from '../history/facts.ts';
import type { WindowName } from '../history/windows.ts';
import type { ActiveSignals } from '../signals/evaluate.ts';
import type { Signal } from '../signals/signal.ts';
import { SIGNALS } from '../signals/signals.ts';
import { type DetailedKind, RELATIONS } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import type { DerivedFeature } from './derived-feature.ts';
import { DERIVED, LONG_KNOWN_MS, MODELLED_KINDS } from './features-derived.ts';

/**
 * The features of models: selected facts as they are, values derived from several facts, and the signals: their grade, or
 * else 1 or 0. All of them come from the facts stored with a decision and from its request, so training uses only facts
 * known at that time. An unknown value is NaN.
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
  'actor_frauds',
  'disputes',
];

const known = new Set(FACT_NAMES);
const factsOf = (kind: DetailedKind): string[] =>
  [
    ...[...SCALARS, ...LATER_SCALARS, 'disputes_known', 'dispute_days'].map((name) => `${kind}.${name}`),
    ...COUNT_WINDOWS.flatMap((window) => [`${kind}.transactions.${window}`, `${kind}.amount.${window}`]),
    ...FEW_WINDOWS.flatMap((window) => [
      ...COUNTED.map((name) => `${kind}.${name}.${window}`),
      ...RELATIONS[kind].map((other) => `${kind}.distinct_${other}.${window}`),
    ]),
    ...['failed_logins', 'signups', 'small_transactions', 'distinct_user', 'distinct_fingerprint'].map(
      (name) => `${kind}.${name}.10m`,
    ),
    `${kind}.frauds.30d`,
    `${kind}.actor_frauds.30d`,
    `${kind}.disputes.30d`,
  ].filter((name) => known.has(name));

const PLAIN_FACTS: readonly string[] = [
  'dollars',
  ...MODELLED_KINDS.flatMap(factsOf),
  ...RELATIONS.user.filter((other) => other !== 'likeness').map((other) => `user.this_${other}_age_ms`),
  'user.this_recurring_days',
  'user.this_recurring_payments',
  'user.travel_km',
];

/** Counts grow with the length of the history as ages do, and get a cap for the same reason. */
const OFTEN_SEEN = 30;
const capOf = (name: string): number =>
  name.endsWith('.age_ms') || name.endsWith('_age_ms')
    ? LONG_KNOWN_MS
    : /\.(?:actions|payments)$|\.this_\w+_(?:days|payments)$/.test(name)
      ? OFTEN_SEEN
      : Number.POSITIVE_INFINITY;

/** Names of the features of signals begin with this. */
export const SIGNAL_FEATURE = 'signal.';

/** Names of the features that are numbers measured or derived. */
export const NUMERIC_FEATURES: readonly string[] = [...PLAIN_FACTS, ...DERIVED.map(({ name }) => name)];
/** Names of all features, in order. A model file lists the features it was trained on. */
export const FEATURE_NAMES: readonly string[] = [
  ...NUMERIC_FEATURES,
  ...SIGNALS.map(({ name }) => SIGNAL_FEATURE + name),
];

/** The result of a division by zero is unknown. */
const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

const derivedByName = new Map(DERIVED.map((derived) => [derived.name, derived]));
const plainFacts = new Set(PLAIN_FACTS);
const signalIndexes = new Map(SIGNALS.map(({ name }, index) => [SIGNAL_FEATURE + name, index]));

/** The index in SIGNALS of the signal that a feature is; -1 for other features. */
export const signalIndexOf = (feature: string): number => signalIndexes.get(feature) ?? -1;
/** The assumed weight of the signal that a feature is; 0 for signals without one and for other features. */
export const assumedWeightOf = (feature: string): number => SIGNALS[signalIndexOf(feature)]?.assumedWeight ?? 0;

/** Fills `features`, starting at `from`. */
export type FillFeatures = (
  facts: Facts,
  subject: Subject,
  active: ActiveSignals,
  features: Float64Array,
  from?: number,
) => void;

/** Makes a reader of the named features, in that order. Returns undefined if a name is not a feature. */
export const makeFeatureReader = (names: readonly string[]): FillFeatures | undefined => {
  if (!names.every((name) => plainFacts.has(name) || derivedByName.has(name) || signalIndexes.has(name)))
    return undefined;
  const positionsIn = (of: { has: (name: string) => boolean }): number[] =>
    names.flatMap((name, at) => (of.has(name) ? [at] : []));
  const [plainAt, derivedAt, signalAt] = [plainFacts, derivedByName, signalIndexes].map(positionsIn) as [
    number[],
    number[],
    number[],
  ];
  const to = Int32Array.from(plainAt);
  const source = Int32Array.from(plainAt, (at) => fact(names[at] as string));
  const caps = Float64Array.from(plainAt, (at) => capOf(names[at] as string));
  const derived = derivedAt.map((at) => (derivedByName.get(names[at] as string) as DerivedFeature).of);
  const derivedTo = Int32Array.from(derivedAt);
  const signalOf = (at: number): number => signalIndexes.get(names[at] as string) as number;
  const gradeOf = (at: number): Signal['grade'] => (SIGNALS[signalOf(at)] as Signal).grade;
  const flagTo = Int32Array.from(signalAt.filter((at) => gradeOf(at) === undefined));
  const flags = Int32Array.from(flagTo, signalOf);
  const gradeTo = Int32Array.from(signalAt.filter((at) => gradeOf(at) !== undefined));
  const grades = Array.from(gradeTo, gradeOf) as NonNullable<Signal['grade']>[];
  return (facts, subject, active, features, from = 0) => {
    for (let i = 0; i < to.length; i++) {
      features[from + (to[i] as number)] = Math.min(facts[source[i] as number] as number, caps[i] as number);
    }
    for (let i = 0; i < derived.length; i++) {
      const of = derived[i] as DerivedFeature['of'];
      features[from + (derivedTo[i] as number)] = finite(of(facts, subject));
    }
    for (let i = 0; i < flags.length; i++)
      features[from + (flagTo[i] as number)] = active[flags[i] as number] as number;
    for (let i = 0; i < grades.length; i++) {
      const grade = grades[i] as NonNullable<Signal['grade']>;
      features[from + (gradeTo[i] as number)] = grade(facts, subject);
    }
  };
};
