import type { RuleVariables } from '@portcullis/contract';
import { featureInWords } from '@portcullis/engine';
import { RULE_FEATURES } from './features.ts';
import { FUNCTIONS, METHODS } from './functions.ts';
import { LOOPS } from './loops.ts';
import { typeName } from './terms.ts';
import { FEATURES, VARIABLES } from './variables.ts';

const HAS = {
  form: 'has(variable)',
  meaning: 'Whether the request has the member, or the server knows it: `has(email)`, `has(metadata.channel)`.',
};

/** The dots that stand for the number end a sentence well enough. */
const sentence = (words: string): string => (words.endsWith('…') ? words : `${words}.`);

/** What an expression may name, made from the very tables it is checked by. */
export const ruleVariables = (): RuleVariables => ({
  variables: [
    ...VARIABLES.map(({ name, meaning, on, term }) => ({ name, type: typeName(term), on, meaning })),
    {
      name: FEATURES,
      type: 'map<string, number>',
      on: 'both' as const,
      meaning: 'What was counted, by the name of the feature: `features["user.transactions.1h"]`.',
    },
  ],
  functions: [HAS, ...FUNCTIONS.values(), ...METHODS.values(), ...LOOPS.values()].map(({ form, meaning }) => ({
    form,
    meaning,
  })),
  features: RULE_FEATURES.map((name) => ({ name, meaning: sentence(featureInWords(name, undefined)) })),
});
