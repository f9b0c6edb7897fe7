import type { Factor } from '@portcullis/contract';
import { categoryOf, isCategory } from './categories.ts';
import { OTHER_FEATURES, type Verdict } from './decide.ts';
import type { Facts } from './facts.ts';
import { featureInWords } from './feature-words.ts';
import { makeFeatureReader } from './features.ts';
import { LIST_PREFIX, RULE_PREFIX } from './own-rules.ts';
import { SIGNALS, TEST_ADDRESS_SIGNAL } from './signals.ts';
import type { Subject } from './subject.ts';

const signalsByName = new Map(SIGNALS.map((signal) => [signal.name, signal]));

const describeSignal = (name: string, verdict: Verdict, subject: Subject, facts: Facts | undefined): string => {
  if (name === TEST_ADDRESS_SIGNAL) return `An address for trying the service out: it always gets ${verdict.decision}`;
  if (name.startsWith(RULE_PREFIX)) return `The rule ${name.slice(RULE_PREFIX.length)} of this account matched`;
  if (name.startsWith(LIST_PREFIX)) return `On the list ${name.slice(LIST_PREFIX.length)} of this account`;
  const signal = signalsByName.get(name);
  if (signal === undefined) return 'A signal of an earlier version';
  return facts === undefined ? signal.meaning : signal.describe(facts, subject);
};

const value = new Float64Array(1);
const describeFeature = (name: string, subject: Subject, facts: Facts | undefined): string => {
  if (name === OTHER_FEATURES) return 'Everything else the model looks at';
  if (isCategory(name)) return `${name} is ${categoryOf(subject, name) ?? 'not given'}`;
  const read = makeFeatureReader([name]);
  if (facts === undefined || read === undefined) return featureInWords(name, undefined);
  read(facts, subject, value);
  return featureInWords(name, value[0]);
};

/**
 * The factors in words, with the numbers behind them. Made when someone reads a decision, not when it is made: nearly all are never
 * read. Without facts, or with those of an older layout, each factor gets its meaning without the numbers.
 */
export const explain = (verdict: Verdict, subject: Subject, facts: Facts | undefined): Factor[] =>
  verdict.factors.map(({ of, name, contribution }) =>
    of === 'signal'
      ? { signal: name, description: describeSignal(name, verdict, subject, facts), contribution }
      : { feature: name, description: describeFeature(name, subject, facts), contribution },
  );
