import { isCountry } from '@portcullis/contract';
import { countryOf, fact, type Known, type RuleInput } from '@portcullis/engine';
import { closest } from '../http/closest.ts';
import { quoted } from './fault.ts';
import type { CheckText, Term } from './terms.ts';

/** What an expression may name. */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** On the others it is absent. */
  readonly on: 'transaction' | 'event' | 'both';
  readonly term: Term;
  /** Whether there is anything to tell; undefined where there always is. */
  readonly has?: (input: RuleInput) => boolean;
}

/** For what costs more than a look: made once per screening, for all its rules. */
export const once = <T>(make: (input: RuleInput) => T): ((input: RuleInput) => T) => {
  let last: RuleInput | undefined;
  let made: T;
  return (input) => {
    if (input !== last) {
      made = make(input);
      last = input;
    }
    return made;
  };
};

export const oneOf =
  (what: string, values: readonly string[]): CheckText =>
  (text) => {
    if (values.includes(text)) return undefined;
    const meant = closest(text, values);
    return `there is no ${what} ${quoted(text)}${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
  };
export const inCapitals =
  (what: string, is: (text: string) => boolean): CheckText =>
  (text) => {
    if (!is(text)) return `${quoted(text)} is no ${what}`;
    return text === text.toUpperCase() ? undefined : `${what}s are in capitals: ${quoted(text.toUpperCase())}`;
  };
/** What a text is compared with that is a country. */
export const isCountryCode = inCapitals('country code', isCountry);
export const inSmall: CheckText = (text) =>
  text === text.toLowerCase() ? undefined : `it is compared in small letters: ${quoted(text.toLowerCase())}`;

/** An empty one is as good as none. */
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

/** What the server found out; a source that is out of order tells nothing. */
export const knownOf = (name: Known): ((input: RuleInput) => number) => {
  const at = fact(name);
  return (input) => {
    const value = input.facts[at] as number;
    return value >= 0 ? value : Number.NaN;
  };
};
export const flag = (name: Known, meaning: string): Variable => {
  const read = knownOf(name);
  return {
    name,
    meaning,
    on: 'both',
    term: { type: 'bool', run: (input) => read(input) === 1 },
    has: (input) => !Number.isNaN(read(input)),
  };
};
/** Two capitals; empty where it is not known. */
export const knownCountry = (name: Known): ((input: RuleInput) => string) => {
  const read = knownOf(name);
  return once((input) => {
    const number = read(input);
    return Number.isNaN(number) ? '' : countryOf(number);
  });
};
