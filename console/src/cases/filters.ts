import type { CaseQuery } from '@portcullis/client';
import {
  makeReadAll,
  makeReadTerm,
  readAny,
  readCountry,
  readDollars,
  readOneIn,
  readOneOf,
  readScore,
  type Suggestion,
  suggest,
  type Term,
} from '../parts/terms.ts';

/** The views of the queue. */
export const VIEWS = ['mine', 'unassigned', 'open', 'snoozed', 'resolved'] as const;
export type View = (typeof VIEWS)[number];
export const VIEW_TITLES: Readonly<Record<View, string>> = {
  mine: 'Mine',
  unassigned: 'Unassigned',
  open: 'All open',
  snoozed: 'Set aside',
  resolved: 'Resolved',
};

export const ORDERS = ['priority', 'oldest', 'newest', 'score', 'amount'] as const;
export type Order = (typeof ORDERS)[number];
export const ORDER_TITLES: Readonly<Record<Order, string>> = {
  priority: 'Most urgent',
  oldest: 'Waiting longest',
  newest: 'Newest',
  score: 'Highest score',
  amount: 'Largest amount',
};

const TARGETS = ['over', 'soon'];
const PRIORITIES = ['urgent', 'high', 'normal', 'low'];
const TERMS: readonly Term<keyof CaseQuery>[] = [
  { word: 'score>', example: 'score>60', parameter: 'score_min', read: readScore, hint: 'At least this score' },
  { word: 'score<', example: 'score<80', parameter: 'score_max', read: readScore, hint: 'At most this score' },
  {
    word: 'is:',
    example: 'is:payment',
    parameter: 'subject_type',
    read: readOneOf({ payment: 'transaction', event: 'event' }),
    hint: 'Payments or events',
    values: ['payment', 'event'],
  },
  {
    word: 'usd>',
    example: 'usd>500',
    parameter: 'usd_min',
    read: readDollars,
    hint: 'At least this amount in US dollars',
  },
  {
    word: 'country:',
    example: 'country:NG',
    parameter: 'country',
    read: readCountry,
    hint: 'Country of the IP address',
  },
  { word: 'signal:', example: 'signal:new_device', parameter: 'signal', read: readAny, hint: 'Active signal' },
  {
    word: 'priority:',
    example: 'priority:urgent',
    parameter: 'priority',
    read: readOneIn(PRIORITIES),
    hint: 'Priority of the case',
    values: PRIORITIES,
  },
  { word: 'tag:', example: 'tag:gift_cards', parameter: 'tag', read: readAny, hint: 'Tag of the case' },
  { word: 'user:', example: 'user:user_1842', parameter: 'user_id', read: readAny, hint: 'User id' },
  {
    word: 'with:',
    example: 'with:mara@example.com',
    parameter: 'assignee',
    read: readAny,
    hint: 'Assignee of the case',
  },
  {
    word: 'attack:',
    example: 'attack:case_…',
    parameter: 'attack_of',
    read: readAny,
    hint: 'Cases of the same attack',
  },
  {
    word: 'target:',
    example: 'target:over',
    parameter: 'target',
    read: readOneIn(TARGETS),
    hint: 'Past the review target, or close to it',
    values: TARGETS,
  },
];
/** The condition that a text stands for. A plain word is a user. */
export const readTerm = makeReadTerm(TERMS, (text) => `user:${text}`);
export const readTerms = makeReadAll(TERMS, readTerm);
export const suggestTerms = (text: string): readonly Suggestion[] => suggest(TERMS, text, () => []);

/** What the address of the list says. */
export interface UrlState {
  readonly view: View;
  readonly sort: Order;
  readonly terms: readonly string[];
}
const isIn = <Value extends string>(values: readonly Value[], value: string | null): value is Value =>
  values.includes(value as Value);

export const readUrlState = (search: string): UrlState => {
  const params = new URLSearchParams(search);
  const view = params.get('view');
  const sort = params.get('sort');
  const user = params.get('user');
  const terms = params.getAll('f').filter((text) => readTerm(text) !== undefined);
  return {
    view: isIn(VIEWS, view) ? view : 'open',
    sort: isIn(ORDERS, sort) ? sort : 'priority',
    terms: user === null ? terms : [...terms, `user:${user}`],
  };
};
export const writeUrlState = ({ view, sort, terms }: UrlState): string => {
  const params = new URLSearchParams();
  if (view !== 'open') params.set('view', view);
  if (sort !== 'priority') params.set('sort', sort);
  for (const text of terms) params.append('f', text);
  return params.size === 0 ? '' : `?${params}`;
};

const NUMBERS: readonly (keyof CaseQuery)[] = ['score_min', 'score_max', 'usd_min'];
/** The request for the list. Resolved cases are those of one status at a time, so the newest of all are read and sifted. */
export const queryOf = ({ view, sort, terms }: UrlState): CaseQuery => {
  const conditions = Object.fromEntries(
    terms.map(readTerm).flatMap((term) => {
      if (term === undefined) return [];
      return [[term.parameter, NUMBERS.includes(term.parameter) ? Number(term.value) : term.value]];
    }),
  );
  if (view === 'resolved') return { ...conditions, sort: 'newest' };
  const assignee = view === 'mine' ? { assignee: 'me' } : view === 'unassigned' ? { assignee: 'none' } : {};
  return { status: 'open', sort, snoozed: view === 'snoozed', ...assignee, ...conditions };
};
