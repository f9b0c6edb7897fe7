import { isCountry } from '@portcullis/contract/values';
import { countryOf, fact, type KnowledgeName, type RuleInput } from '@portcullis/engine';
import { closestName } from '../runtime/closest-name.ts';
import { quoted } from './expression-error.ts';
import type { CheckText, Term } from './types.ts';

/** A variable of expressions. */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** The types of subject that have the variable. */
  readonly on: 'transaction' | 'event' | 'both';
  readonly term: Term;
  /** Whether the variable has a value; undefined if it always has one. */
  readonly has?: (input: RuleInput) => boolean;
}

/** Caches an expensive value for all rules of one screening. */
export const once = <T>(make: (input: RuleInput) => T): ((input: RuleInput) => T) => {
  let last: RuleInput | undefined;
  let value: T;
  return (input) => {
    if (input !== last) {
      value = make(input);
      last = input;
    }
    return value;
  };
};

export const oneOf =
  (what: string, values: readonly string[]): CheckText =>
  (text) => {
    if (values.includes(text)) return undefined;
    const meant = closestName(text, values);
    return `there is no ${what} ${quoted(text)}${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
  };
export const inCapitals =
  (what: string, is: (text: string) => boolean): CheckText =>
  (text) => {
    if (!is(text)) return `${quoted(text)} is not a ${what}`;
    return text === text.toUpperCase() ? undefined : `${what}s are in capitals: write ${quoted(text.toUpperCase())}`;
  };
/** Checks a text that is compared with a country. */
export const isCountryCode = inCapitals('country code', isCountry);
export const inSmall: CheckText = (text) =>
  text === text.toLowerCase() ? undefined : `this variable is in small letters: write ${quoted(text.toLowerCase())}`;

/** A text variable; an empty text counts as absent. */
export const text = (
  name: string,
  meaning: string,
  on: Variable['on'],
  read: (input: RuleInput) => string,
  check?: CheckText,
): Variable => ({
  name,
  meaning,
  on,
  term: { type: 'string', run: read, ...(check === undefined ? {} : { check }) },
  has: (input) => read(input) !== '',
});
export const number = (
  name: string,
  meaning: string,
  on: Variable['on'],
  read: (input: RuleInput) => number,
): Variable => ({
  name,
  meaning,
  on,
  term: { type: 'number', run: read },
  has: (input) => !Number.isNaN(read(input)),
});
export const always = ({ has: _, ...variable }: Variable): Variable => variable;

/** Reads a looked-up fact. A source that cannot be used gives NaN, which means unknown. */
export const readKnown = (name: KnowledgeName): ((input: RuleInput) => number) => {
  const at = fact(name);
  return (input) => {
    const value = input.facts[at] as number;
    return value >= 0 ? value : Number.NaN;
  };
};
export const flag = (name: KnowledgeName, meaning: string): Variable => {
  const read = readKnown(name);
  return {
    name,
    meaning,
    on: 'both',
    term: { type: 'bool', run: (input) => read(input) === 1 },
    has: (input) => !Number.isNaN(read(input)),
  };
};
/** Reads a country as two capitals; empty if unknown. */
export const readCountry = (name: KnowledgeName): ((input: RuleInput) => string) => {
  const read = readKnown(name);
  return once((input) => {
    const number = read(input);
    return Number.isNaN(number) ? '' : countryOf(number);
  });
};
