import type { CaseQuery } from '@portcullis/client';

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

/** A condition of the list: a word that people type, and the parameter that it sets. */
interface Term {
  readonly word: string;
  readonly example: string;
  readonly parameter: keyof CaseQuery;
  readonly read: (value: string) => string | undefined;
}
const number = (value: string): string | undefined =>
  /^\d{1,3}$/.test(value) && Number(value) <= 100 ? value : undefined;
const oneOf =
  (values: Readonly<Record<string, string>>) =>
  (value: string): string | undefined =>
    values[value.toLowerCase()];
const any = (value: string): string | undefined => (value === '' ? undefined : value);

const TERMS: readonly Term[] = [
  { word: 'score>', example: 'score>60', parameter: 'score_min', read: number },
  { word: 'score<', example: 'score<80', parameter: 'score_max', read: number },
  {
    word: 'is:',
    example: 'is:payment',
    parameter: 'subject_type',
    read: oneOf({ payment: 'transaction', event: 'event' }),
  },
  {
    word: 'usd>',
    example: 'usd>500',
    parameter: 'usd_min',
    read: (value) => (/^\d{1,9}$/.test(value) ? value : undefined),
  },
  {
    word: 'country:',
    example: 'country:NG',
    parameter: 'country',
    read: (value) => (/^[a-z]{2}$/i.test(value) ? value.toUpperCase() : undefined),
  },
  { word: 'signal:', example: 'signal:new_device', parameter: 'signal', read: any },
  {
    word: 'priority:',
    example: 'priority:urgent',
    parameter: 'priority',
    read: oneOf({ low: 'low', normal: 'normal', high: 'high', urgent: 'urgent' }),
  },
  {
    word: 'target:',
    example: 'target:over',
    parameter: 'target',
    read: oneOf({ over: 'over', soon: 'soon' }),
  },
  { word: 'tag:', example: 'tag:gift_cards', parameter: 'tag', read: any },
  { word: 'user:', example: 'user:user_1842', parameter: 'user_id', read: any },
  { word: 'with:', example: 'with:mara@example.com', parameter: 'assignee', read: any },
  { word: 'attack:', example: 'attack:case_…', parameter: 'attack_of', read: any },
];
export const EXAMPLES: readonly string[] = TERMS.map(({ example }) => example);

/** The condition that a text stands for, such as `score>60`; undefined if it is none. A plain word is a user. */
export const readTerm = (text: string): { parameter: keyof CaseQuery; value: string; text: string } | undefined => {
  const typed = text.trim();
  const term = TERMS.find(({ word }) => typed.toLowerCase().startsWith(word));
  if (term === undefined)
    return typed === '' || /\s/.test(typed) ? undefined : { parameter: 'user_id', value: typed, text: `user:${typed}` };
  const value = term.read(typed.slice(term.word.length).trim());
  return value === undefined ? undefined : { parameter: term.parameter, value, text: typed };
};

/** What the address of the list says. */
export interface Chosen {
  readonly view: View;
  readonly sort: Order;
  readonly terms: readonly string[];
}
const isIn = <Value extends string>(values: readonly Value[], value: string | null): value is Value =>
  values.includes(value as Value);

export const readChosen = (search: string): Chosen => {
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
export const writeChosen = ({ view, sort, terms }: Chosen): string => {
  const params = new URLSearchParams();
  if (view !== 'open') params.set('view', view);
  if (sort !== 'priority') params.set('sort', sort);
  for (const text of terms) params.append('f', text);
  return params.size === 0 ? '' : `?${params}`;
};

const NUMBERS: readonly (keyof CaseQuery)[] = ['score_min', 'score_max', 'usd_min'];
/** The request for the list. Resolved cases are those of one status at a time, so the newest of all are read and sifted. */
export const queryOf = ({ view, sort, terms }: Chosen): CaseQuery => {
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
