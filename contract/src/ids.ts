import Type from 'typebox';
import { ID_PREFIXES, ID_SUFFIX_PATTERN, type IdKind } from './id-prefixes.ts';

const EXAMPLE_SUFFIX = '01kcy5v3n7f2q8r4t6w9x0y1z2';

export const id = (kind: IdKind, description: string) =>
  Type.String({
    pattern: `^${ID_PREFIXES[kind]}_${ID_SUFFIX_PATTERN}$`,
    description,
    examples: [`${ID_PREFIXES[kind]}_${EXAMPLE_SUFFIX}`],
  });
