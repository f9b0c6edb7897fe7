import type { RuleInput } from '@portcullis/engine';

/** The current value of the loop; loops are not nested. */
export type Item = string | number | boolean | undefined;
export type Run<T> = (input: RuleInput, item: Item) => T;

/** The error of a text that a term is compared with, if the two can never be equal. */
export type CheckText = (text: string) => string | undefined;

export type Scalar = 'bool' | 'number' | 'string';

/** A compiled part of an expression: its type and a function that computes its value. */
export type Term =
  | { readonly type: 'bool'; readonly run: Run<boolean>; readonly constant?: boolean }
  | { readonly type: 'number'; readonly run: Run<number>; readonly constant?: number }
  | {
      readonly type: 'string';
      readonly run: Run<string>;
      readonly constant?: string;
      readonly check?: CheckText;
      /** May have thousands of characters. */
      readonly isLong?: boolean;
    }
  | {
      readonly type: 'list';
      readonly of: Scalar;
      readonly run: Run<readonly Item[]>;
      /** The values of a literal list. */
      readonly constants?: readonly Item[];
      /** The number of values, if the expression shows it. */
      readonly length?: number;
      readonly check?: CheckText;
    }
  | { readonly type: 'map'; readonly run: Run<Readonly<Record<string, string>>> };

export type NumberTerm = Extract<Term, { type: 'number' }>;
export type StringTerm = Extract<Term, { type: 'string' }>;
export type BoolTerm = Extract<Term, { type: 'bool' }>;
export type ListTerm = Extract<Term, { type: 'list' }>;

/** The name of the type in documentation and errors. */
export const typeName = (term: Term): string =>
  term.type === 'list' ? `list<${term.of}>` : term.type === 'map' ? 'map<string, string>' : term.type;
