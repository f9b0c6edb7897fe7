import type { UserQuery } from '@portcullis/client';
import { TERMS as ALL } from '../explorer/terms.ts';
import { makeReadAll, makeReadTerm, readOneOf, type Suggestion, suggest, type Term } from '../parts/terms.ts';

type Parameter = Exclude<keyof UserQuery, 'from' | 'until' | 'limit' | 'before'>;
const NAMES: readonly string[] = [
  'decision',
  'label',
  'score_min',
  'score_max',
  'country',
  'signal',
  'event_type',
] satisfies Parameter[];
const TERMS: readonly Term<Parameter>[] = [
  ...(ALL.filter(({ parameter }) => NAMES.includes(parameter)) as Term<never>[]),
  {
    word: 'is:',
    example: 'is:payment',
    parameter: 'type',
    read: readOneOf({ payment: 'transaction', event: 'event' }),
    hint: 'Payments or events',
    values: ['payment', 'event'],
  },
];
// A plain word is no filter here: the box above finds users.
const readTerm = makeReadTerm(TERMS, (text) => text);
export const readTerms = makeReadAll(TERMS, readTerm);
export const suggestTerms = (text: string): readonly Suggestion[] => suggest(TERMS, text, () => []);

/** What the address of the list says. */
export interface UrlState {
  readonly find: string;
  readonly terms: readonly string[];
}
export const readUrlState = (search: string): UrlState => {
  const params = new URLSearchParams(search);
  return {
    find: params.get('find') ?? '',
    terms: params.getAll('f').flatMap((text) => readTerm(text)?.text ?? []),
  };
};
export const writeUrlState = ({ find, terms }: UrlState): string => {
  const params = new URLSearchParams();
  if (find !== '') params.set('find', find);
  for (const text of terms) params.append('f', text);
  return params.size === 0 ? '' : `?${params}`;
};
export const queryOf = ({ terms }: UrlState): UserQuery =>
  Object.fromEntries(
    terms.flatMap((text) => {
      const term = readTerm(text);
      if (term === undefined) return [];
      return [[term.parameter, term.parameter.startsWith('score') ? Number(term.value) : term.value]];
    }),
  );
