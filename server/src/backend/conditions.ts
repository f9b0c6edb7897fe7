import type { Value } from './backend.ts';

/** A condition of a query, with the values of its parameters. */
export interface Condition {
  readonly text: string;
  readonly params: readonly Value[];
}

/** A condition on a value that may not be asked for: none if it is undefined. */
export const ifGiven = (text: string, value: Value | undefined): Condition[] =>
  value === undefined ? [] : [{ text, params: [value] }];

export const allOf = (conditions: readonly Condition[]): Condition => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  params: conditions.flatMap(({ params }) => params),
});
