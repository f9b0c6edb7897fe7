import type { RuleVariables } from '@portcullis/contract';
import { featureMeaning } from '@portcullis/engine';
import { RULE_FEATURES } from './features.ts';
import { FUNCTIONS, METHODS } from './functions.ts';
import { LOOPS } from './loops.ts';
import { typeName } from './types.ts';
import { FEATURES, VARIABLES } from './variables.ts';

const HAS = {
  form: 'has(variable)',
  meaning: 'Whether the request has the field, or the server knows the fact: `has(email)`, `has(metadata.channel)`.',
};

/** All names that expressions may use, from the tables that the compiler uses. */
export const ruleVariables = (): RuleVariables => ({
  variables: [
    ...VARIABLES.map(({ name, meaning, on, term }) => ({ name, type: typeName(term), on, meaning })),
    {
      name: FEATURES,
      type: 'map<string, number>',
      on: 'both' as const,
      meaning:
        'Counts and other features by name: `features["user.transactions.1h"]`. In names, `device_profile` is an alias of `likeness`.',
    },
  ],
  functions: [HAS, ...FUNCTIONS.values(), ...METHODS.values(), ...LOOPS.values()].map(({ form, meaning }) => ({
    form,
    meaning,
  })),
  features: RULE_FEATURES.map((name) => ({ name, meaning: `${featureMeaning(name)}.` })),
});
