/** The features of a model as reasons for a fraud analyst. */
import type { Theme } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import { makeActiveSignals } from '../signals/evaluate.ts';
import { categoryOf, isCategory, METADATA } from '../subject/categories.ts';
import { countryName } from '../subject/country-name.ts';
import type { Subject } from '../subject/subject.ts';
import type { NamedKind } from './feature-vocabulary.ts';
import { type FillFeatures, makeFeatureReader } from './features.ts';
import { describeMissing } from './missing-features.ts';
import { type Description, factReader, type Phrase } from './phrase.ts';
import { ACCOUNT_PHRASES } from './phrases-account.ts';
import { AGE_PHRASES } from './phrases-age.ts';
import { AMOUNT_PHRASES } from './phrases-amount.ts';
import { COUNT_PHRASES } from './phrases-count.ts';
import { LABEL_PHRASES } from './phrases-label.ts';
import { OTHER_PHRASES } from './phrases-other.ts';
import { describeNeverSeen, PAIR_PHRASES } from './phrases-pair.ts';

/** What a feature says about one subject, with its place among the reasons. */
export interface FeatureReason extends Description {
  readonly theme: Theme;
  readonly topic: string;
}

/** The first pattern that matches counts. */
const PATTERNS = [
  ...OTHER_PHRASES,
  ...ACCOUNT_PHRASES,
  ...PAIR_PHRASES,
  ...LABEL_PHRASES,
  ...AGE_PHRASES,
  ...AMOUNT_PHRASES,
  ...COUNT_PHRASES,
];

interface Feature {
  readonly phrase: Phrase;
  /** Undefined for a fact that no model uses. */
  readonly read: FillFeatures | undefined;
  /** The number of actions of the entity that the feature is about. */
  readonly actions: ((facts: Facts) => number) | undefined;
}
const features = new Map<string, Feature | undefined>();
const makeFeature = (name: string): Feature | undefined => {
  for (const [pattern, phrase] of PATTERNS) {
    const match = pattern.exec(name);
    if (match === null) continue;
    const made = phrase(...match.slice(1));
    const [owner] = made.of;
    const actions = owner === undefined ? undefined : factReader(`${owner}.actions`);
    return { phrase: made, read: makeFeatureReader([name]), actions };
  }
  return undefined;
};
/** Stored decisions name features only, so the number of names is limited. */
const featureOf = (name: string): Feature | undefined => {
  if (!features.has(name)) features.set(name, makeFeature(name));
  return features.get(name);
};

/** The meaning of a feature or a fact, for a page of reference. */
export const featureMeaning = (name: string): string => featureOf(name)?.phrase.meaning ?? name;

const FIELD_NAMES: Readonly<Record<string, string>> = {
  payment_method: 'payment method',
  currency: 'currency',
  'billing_address.country': 'billing country',
  'shipping_address.country': 'shipping country',
};
/** A field of the request whose values have their own risk. */
const describeCategory = (field: string, subject: Subject): FeatureReason => {
  const name = FIELD_NAMES[field] ?? `metadata \`${field.slice(METADATA.length)}\``;
  const value = categoryOf(subject, field);
  const isCountry = field.endsWith('.country');
  return {
    theme: isCountry ? 'place' : subject.type === 'event' ? 'account' : 'money',
    topic: field,
    text: value === undefined ? `No ${name} was sent` : `The ${name} is ${isCountry ? countryName(value) : value}`,
  };
};

/**
 * The topic of a feature of a model. Only one feature of each topic is listed. Features of different entities differ: one of
 * them may be missing.
 */
export const featureTopic = (name: string): string => {
  const phrase = isCategory(name) ? undefined : featureOf(name)?.phrase;
  return phrase === undefined ? name : [phrase.topic, ...phrase.of].join(' ');
};

const value = new Float64Array(1);
/** Signals are described by themselves. */
const NO_SIGNALS = makeActiveSignals();

/**
 * What a feature says about a subject; undefined if nothing is known. Without facts it is the meaning of the feature.
 */
export const describeFeature = (
  name: string,
  subject: Subject,
  facts: Facts | undefined,
): FeatureReason | undefined => {
  if (isCategory(name)) return describeCategory(name, subject);
  const feature = featureOf(name);
  if (feature?.read === undefined) return undefined;
  const { phrase, read } = feature;
  const { theme, topic } = phrase;
  if (facts === undefined) return { theme, topic, text: phrase.meaning };
  const missing = describeMissing(phrase.of, subject, facts);
  if (missing === null) return undefined;
  if (missing !== undefined) return { theme, topic, ...missing };
  read(facts, subject, NO_SIGNALS, value);
  const evidence = { facts, subject };
  const isFirst = feature.actions?.(facts) === 0 && phrase.describesFirst !== true;
  const description = isFirst
    ? describeNeverSeen(phrase.of[0] as NamedKind, evidence)
    : phrase.describe(value[0] as number, evidence);
  return description === undefined ? undefined : { theme, topic, ...description };
};
