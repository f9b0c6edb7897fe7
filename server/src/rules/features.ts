import {
  FACT_NAMES,
  type FillFeatures,
  fact,
  KNOWLEDGE,
  makeActiveSignals,
  makeFeatureReader,
  NUMERIC_FEATURES,
  type RuleInput,
} from '@portcullis/engine';

/** Facts about addresses and e-mails are variables instead, with words in place of numbers. */
const knowledgeNames = new Set<string>(KNOWLEDGE);
const facts = new Set(FACT_NAMES.filter((name) => !knowledgeNames.has(name)));

/** A rule reads signals by their names in `signals`. */
const NO_SIGNALS = makeActiveSignals();

/** All facts of histories and all derived features. Unlike a model, a rule sees ages and counts without a cap. */
export const RULE_FEATURES: readonly string[] = [...facts, ...NUMERIC_FEATURES.filter((name) => !facts.has(name))];

/** `device_profile` is an alias of `likeness` in names of features. Returns the name without the alias. */
export const canonicalFeature = (name: string): string =>
  name.replace(/^(user\.(?:this|trust)_)?device_profile(?=[._]|$)/, '$1likeness');

/** A function that reads one feature; undefined if there is none of that name. */
export const featureReader = (text: string): ((input: RuleInput) => number) | undefined => {
  const name = canonicalFeature(text);
  if (facts.has(name)) {
    const at = fact(name);
    return (input) => input.facts[at] as number;
  }
  const fill: FillFeatures | undefined = NUMERIC_FEATURES.includes(name) ? makeFeatureReader([name]) : undefined;
  if (fill === undefined) return undefined;
  const value = new Float64Array(1);
  return (input) => {
    fill(input.facts, input.subject, NO_SIGNALS, value);
    return value[0] as number;
  };
};
