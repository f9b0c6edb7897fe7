import type { RuleInput } from '@portcullis/engine';

/** What the one loop stands at: there is none within another. */
export type Item = string | number | boolean | undefined;
export type Run<T> = (input: RuleInput, item: Item) => T;

/** Says what is wrong with a text that something is compared with, where it could never be equal. */
export type CheckText = (text: string) => string | undefined;

export type Scalar = 'bool' | 'number' | 'string';

/** A part of an expression: its type, and how its value is come by. */
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
      /** Of a list that is written out and the same for all. */
      readonly constants?: readonly Item[];
      /** How many there are, as far as the expression tells. */
      readonly length?: number;
      readonly check?: CheckText;
    }
  | { readonly type: 'map'; readonly run: Run<Readonly<Record<string, string>>> };

export type Numeric = Extract<Term, { type: 'number' }>;
export type Textual = Extract<Term, { type: 'string' }>;
export type Truth = Extract<Term, { type: 'bool' }>;
export type Listed = Extract<Term, { type: 'list' }>;

/** As documentation and faults call it. */
export const typeName = (term: Term): string =>
  term.type === 'list' ? `list<${term.of}>` : term.type === 'map' ? 'map<string, string>' : term.type;
