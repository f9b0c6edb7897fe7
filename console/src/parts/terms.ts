/** A condition that people type, such as `score>60`. */
export interface Term<Parameter extends string> {
  /** How it begins, such as `score>`. */
  readonly word: string;
  /** Shorter or older spellings of the word. */
  readonly also?: readonly string[];
  readonly example: string;
  /** The parameter of the request that it sets. */
  readonly parameter: Parameter;
  /** The value of the parameter; undefined if the text is none. */
  readonly read: (value: string) => string | undefined;
  /** What it asks for, in a few words. */
  readonly hint?: string;
  /** The values that it can have, if they are few. */
  readonly values?: readonly string[];
}
export interface ReadTerm<Parameter extends string> {
  readonly parameter: Parameter;
  readonly value: string;
  /** As it is shown, and kept in the address. */
  readonly text: string;
}

export const readScore = (value: string): string | undefined =>
  /^\d{1,3}$/.test(value) && Number(value) <= 100 ? value : undefined;
export const readDollars = (value: string): string | undefined => (/^\d{1,9}$/.test(value) ? value : undefined);
export const readCountry = (value: string): string | undefined =>
  /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : undefined;
export const readAny = (value: string): string | undefined => (value === '' ? undefined : value);
export const readOneOf =
  (values: Readonly<Record<string, string>>) =>
  (value: string): string | undefined =>
    values[value.toLowerCase()];
export const readOneIn = (values: readonly string[]) => readOneOf(Object.fromEntries(values.map((one) => [one, one])));

type Find<Parameter extends string> = (text: string) => { term: Term<Parameter>; rest: string } | undefined;
/** The term that a text begins with, and what follows its word. */
export const makeFind =
  <Parameter extends string>(terms: readonly Term<Parameter>[]): Find<Parameter> =>
  (text) => {
    const typed = text.trimStart();
    for (const term of terms)
      for (const word of [term.word, ...(term.also ?? [])])
        if (typed.toLowerCase().startsWith(word)) return { term, rest: typed.slice(word.length).trim() };
    return undefined;
  };

/** Reads a condition. `plain` is the condition that a text without a word stands for. */
export const makeReadTerm = <Parameter extends string>(
  terms: readonly Term<Parameter>[],
  plain: (text: string) => string,
): ((text: string) => ReadTerm<Parameter> | undefined) => {
  const find = makeFind(terms);
  return (text) => {
    const typed = text.trim();
    if (typed === '') return undefined;
    const found = find(typed) ?? (/\s/.test(typed) ? undefined : find(plain(typed)));
    const value = found?.term.read(found.rest);
    if (found === undefined || value === undefined) return undefined;
    return { parameter: found.term.parameter, value, text: `${found.term.word}${found.rest}` };
  };
};

/** Reads what was typed: several conditions if each has its word, else one, whose value may have spaces. */
export const makeReadAll = <Parameter extends string>(
  terms: readonly Term<Parameter>[],
  readTerm: (text: string) => ReadTerm<Parameter> | undefined,
): ((text: string) => readonly ReadTerm<Parameter>[]) => {
  const find = makeFind(terms);
  return (text) => {
    const pieces = text.trim().split(/\s+/);
    const isSeveral = pieces.length > 1 && pieces.every((piece) => find(piece) !== undefined);
    const read = (isSeveral ? pieces : [text]).map(readTerm);
    return read.every((term) => term !== undefined) ? read : [];
  };
};

/** What could be typed next. One that is not whole still needs a value. */
export interface Suggestion {
  readonly text: string;
  readonly detail?: string;
  readonly isWhole: boolean;
}
const MOST = 9;
/** Completes a word, or the value after it. */
export const suggest = <Parameter extends string>(
  terms: readonly Term<Parameter>[],
  text: string,
  valuesOf: (term: Term<Parameter>) => readonly { value: string; detail?: string }[],
): readonly Suggestion[] => {
  const found = makeFind(terms)(text);
  if (found === undefined) {
    const typed = text.trim().toLowerCase();
    return terms
      .filter(({ word, hint = '' }) => word.startsWith(typed) || hint.toLowerCase().includes(typed))
      .map(({ word, hint, example }) => ({ text: word, detail: hint ?? example, isWhole: false }));
  }
  const { term, rest } = found;
  const known = [...(term.values ?? []).map((value) => ({ value, detail: '' })), ...valuesOf(term)];
  return known
    .filter(({ value, detail = '' }) => `${value} ${detail}`.toLowerCase().includes(rest.toLowerCase()))
    .slice(0, MOST)
    .map(({ value, detail }) => ({ text: `${term.word}${value}`, ...(detail && { detail }), isWhole: true }));
};
