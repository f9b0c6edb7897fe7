import {
  FACT_NAMES,
  FEATURE_NAMES,
  type FillFeatures,
  fact,
  KNOWLEDGE,
  makeFeatureReader,
  type RuleInput,
} from '@portcullis/engine';

/** What the server knows of addresses and e-mails has variables of its own, with words in place of numbers. */
const apart = new Set<string>(KNOWLEDGE);
const facts = new Set(FACT_NAMES.filter((name) => !apart.has(name)));

/** Everything counted, and what follows from it. Unlike a model, a rule sees ages and counts as they are, however large. */
export const RULE_FEATURES: readonly string[] = [...facts, ...FEATURE_NAMES.filter((name) => !facts.has(name))];

/** Reads one feature; undefined where there is none of that name. */
export const featureReader = (name: string): ((input: RuleInput) => number) | undefined => {
  if (facts.has(name)) {
    const at = fact(name);
    return (input) => input.facts[at] as number;
  }
  const fill: FillFeatures | undefined = makeFeatureReader([name]);
  if (fill === undefined) return undefined;
  const value = new Float64Array(1);
  return (input) => {
    fill(input.facts, input.subject, value);
    return value[0] as number;
  };
};
