import type { ErrorDetail, TagOf } from '@portcullis/contract';
import type { TObject } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { errorDetails, type SchemaError } from './error-details.ts';
import { isObject, NO_FIELDS, safeName, shapeOf, takeKnownFields } from './known-fields.ts';
import { makeMasker } from './mask-card-numbers.ts';
import { suggestField } from './suggestions.ts';

// Every error is returned at once. The library stops at eight by default.
Settings.Set({ maxErrors: 100 });

/** A value that matches its schema, or every error found in it. */
export type ReadResult<T> = { readonly value: T } | { readonly errors: readonly ErrorDetail[] };

/** Finds errors that a schema cannot express, in a body that may have others. */
export type BodyCheck = (body: Readonly<Record<string, unknown>>) => readonly ErrorDetail[];

/** More levels than any schema has. */
const MAX_DEPTH = 8;
const NO_ERRORS: readonly ErrorDetail[] = [];

const errorsIn = (validator: Validator, value: unknown): readonly SchemaError[] =>
  validator.Errors(value)[1] as readonly SchemaError[];

/** The value without its deepest levels: the search for duplicate items recurses and would exhaust the stack. */
const limitDepth = (value: unknown, levels: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => limitDepth(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, limitDepth(inner, levels - 1)]));
};

/** Makes a reader at its first use: compiling the schemas of all operations would take a third of the start. */
export const atFirstUse = <Args extends unknown[], Result>(make: () => (...args: Args) => Result) => {
  let made: ((...args: Args) => Result) | undefined;
  return (...args: Args): Result => {
    made ??= make();
    return made(...args);
  };
};

/**
 * Makes the reader of a request body. It keeps the fields of the schema, masks card numbers in them, and adds a warning
 * for each unknown or masked field. Fields in `ignored` belong to the caller and are skipped without a warning.
 */
export const bodyReader = <T>(schema: TObject, checkBody?: BodyCheck, ignored: ReadonlySet<string> = NO_FIELDS) => {
  const shape = shapeOf(schema);
  const validator = Compile(schema);
  const maskCards = makeMasker(schema);
  return (body: unknown, warnings: string[], tagOf: TagOf): ReadResult<T> => {
    const value = isObject(body) ? takeKnownFields(shape, body, '', warnings, ignored) : body;
    const further = checkBody !== undefined && isObject(value) ? checkBody(value) : NO_ERRORS;
    const isValid = validator.Check(value);
    if (isValid && further.length === 0) {
      maskCards(value, warnings, tagOf);
      return { value: value as T };
    }
    const limited = limitDepth(value, MAX_DEPTH);
    const details = isValid ? [] : errorDetails(errorsIn(validator, limited), schema, limited, 'body');
    const fields = new Set(details.map(({ field }) => field));
    return { errors: [...details, ...further.filter(({ field }) => !fields.has(field))] };
  };
};

const WHOLE_NUMBER = /^-?\d{1,16}$/;
const DECIMAL = /^-?\d{1,16}(?:\.\d{1,16})?$/;
/** How the parameters of each type are written. Other text stays text, and does not match the schema. */
const NOTATIONS: Readonly<Record<string, RegExp>> = { integer: WHOLE_NUMBER, number: DECIMAL };

/** The number or truth value that a parameter of this type writes. Any other text stays as it is, and is refused. */
const typedValue = (type: string | undefined, text: string): unknown => {
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  return NOTATIONS[type ?? '']?.test(text) === true ? Number(text) : text;
};

/** Makes the reader of query parameters. Unknown ones are errors: a misspelt filter would silently list everything. */
export const queryReader = <T>(schema: TObject) => {
  const { known, names } = shapeOf(schema);
  const validator = Compile(schema);
  const maskCards = makeMasker(schema);
  const types = schema.properties as Record<string, { type?: string }>;
  return (query: Record<string, unknown>, warnings: string[], tagOf: TagOf): ReadResult<T> => {
    const value: Record<string, unknown> = {};
    const details: ErrorDetail[] = [];
    for (const [name, text] of Object.entries(query)) {
      if (!known.has(name)) {
        const suggestion = suggestField(name, names);
        const hint = suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`;
        details.push({ field: safeName(name), message: `is not a parameter${hint}` });
      } else if (Array.isArray(text)) details.push({ field: name, message: 'must be given once' });
      else {
        value[name] = typeof text === 'string' ? typedValue(types[name]?.type, text) : text;
      }
    }
    if (!validator.Check(value)) details.push(...errorDetails(errorsIn(validator, value), schema, value, 'query'));
    if (details.length > 0) return { errors: details };
    maskCards(value, warnings, tagOf);
    return { value: value as T };
  };
};
