import type { RuleInput } from '@portcullis/engine';
import type { Item, ListTerm, Run, Term } from './types.ts';

type Items = Run<readonly Item[]>;
type Holds = Run<boolean>;
interface Loop {
  readonly form: string;
  readonly meaning: string;
  readonly term: (list: ListTerm, items: Items, holds: Holds) => Term;
}

const countOf = (items: readonly Item[], holds: Holds, input: RuleInput): number => {
  let count = 0;
  for (let i = 0; i < items.length; i++) if (holds(input, items[i])) count++;
  return count;
};

/** Loops over a list or the keys of `metadata`, with a name for the current value. */
export const LOOPS: ReadonlyMap<string, Loop> = new Map<string, Loop>([
  [
    'exists',
    {
      form: 'list.exists(x, …)',
      meaning: 'Whether the condition is true for at least one value.',
      term: (_, items, holds) => ({
        type: 'bool',
        run: (input, item) => items(input, item).some((one) => holds(input, one)),
      }),
    },
  ],
  [
    'all',
    {
      form: 'list.all(x, …)',
      meaning: 'Whether the condition is true for every value. True for an empty list.',
      term: (_, items, holds) => ({
        type: 'bool',
        run: (input, item) => items(input, item).every((one) => holds(input, one)),
      }),
    },
  ],
  [
    'exists_one',
    {
      form: 'list.exists_one(x, …)',
      meaning: 'Whether the condition is true for exactly one value.',
      term: (_, items, holds) => ({
        type: 'bool',
        run: (input, item) => countOf(items(input, item), holds, input) === 1,
      }),
    },
  ],
  [
    'filter',
    {
      form: 'list.filter(x, …)',
      meaning: 'The values for which the condition is true. Count them with `.size()`.',
      term: ({ constants: _, ...list }, items, holds) => ({
        ...list,
        run: (input, item) => items(input, item).filter((one) => holds(input, one)),
      }),
    },
  ],
]);
