import type { Factor } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import { describeFeature } from '../model/feature-descriptions.ts';
import { makeFeatureReader } from '../model/features.ts';
import { ITEM_TYPE_FEATURES } from '../model/features-derived.ts';
import { describeMissing } from '../model/missing-features.ts';
import { SIGNALS, TEST_ADDRESS_SIGNAL } from '../signals/signals.ts';
import { categoryOf, isCategory } from '../subject/categories.ts';
import type { Subject } from '../subject/subject.ts';
import { LIST_PREFIX, RULE_PREFIX } from './account-rules.ts';
import { byContribution, type Contribution, OTHER_FEATURES, type Verdict } from './verdict.ts';

const signalsByName = new Map(SIGNALS.map((signal) => [signal.name, signal]));

const describeSignal = (name: string, verdict: Verdict, subject: Subject, facts: Facts | undefined): string => {
  if (name === TEST_ADDRESS_SIGNAL) return `Test IP address: the decision is always ${verdict.decision}`;
  if (name.startsWith(RULE_PREFIX)) return `Rule ${name.slice(RULE_PREFIX.length)} of this account matched`;
  if (name.startsWith(LIST_PREFIX)) return `On list ${name.slice(LIST_PREFIX.length)} of this account`;
  const signal = signalsByName.get(name);
  if (signal === undefined) return 'Signal of an earlier version';
  return facts === undefined ? signal.meaning : signal.describe(facts, subject);
};

const value = new Float64Array(1);
const describeModelFeature = (name: string, subject: Subject, facts: Facts | undefined): string => {
  if (name === OTHER_FEATURES) return 'All other features of the model';
  if (isCategory(name)) {
    const category = categoryOf(subject, name);
    return category === undefined ? `No ${name} was sent` : `${name} is ${category}`;
  }
  const read = makeFeatureReader([name]);
  if (facts === undefined || read === undefined) return describeFeature(name, undefined);
  read(facts, subject, value);
  const missing = Number.isNaN(value[0]) ? describeMissing(name, subject, facts) : undefined;
  return missing ?? describeFeature(name, value[0]);
};

/** Whether a factor only states the type of the item, or that it did not fail. */
const isItemType = ({ of, name }: Contribution, { request }: Subject): boolean =>
  of === 'feature' &&
  (ITEM_TYPE_FEATURES.has(name) || (name === 'is_failed' && !('outcome' in request && request.outcome === 'failed')));

/**
 * Adds the contributions of the item's type to OTHER_FEATURES: the type is no reason for a decision. The sum stays
 * the same.
 */
const withoutItemType = (all: readonly Contribution[], subject: Subject): readonly Contribution[] => {
  const reasons = all.filter((factor) => !isItemType(factor, subject));
  if (reasons.length === all.length) return all;
  const isOther = ({ of, name }: Contribution): boolean => of === 'feature' && name === OTHER_FEATURES;
  const contribution = all
    .filter((factor) => isItemType(factor, subject) || isOther(factor))
    .reduce((sum, factor) => sum + factor.contribution, 0);
  const listed = reasons.filter((factor) => !isOther(factor));
  if (contribution === 0) return listed;
  return [...listed, { of: 'feature' as const, name: OTHER_FEATURES, contribution }].sort(byContribution);
};

/**
 * Describes the factors of a verdict in sentences, with their numbers. Called when a decision is read, because most
 * decisions are never read. Without facts, or with facts of an unreadable version, each factor gets its meaning only.
 */
export const explain = (verdict: Verdict, subject: Subject, facts: Facts | undefined): Factor[] =>
  withoutItemType(verdict.factors, subject).map(({ of, name, contribution }) =>
    of === 'signal'
      ? { signal: name, description: describeSignal(name, verdict, subject, facts), contribution }
      : { feature: name, description: describeModelFeature(name, subject, facts), contribution },
  );
