import type { ErrorDetail } from '@portcullis/contract';
import { closestName } from '../runtime/closest-name.ts';
import { describeIdError, idKindsOf } from './id-errors.ts';
import { suggestCode } from './suggestions.ts';

/** An error as the schema library reports it. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: object;
  readonly message: string;
}

/** Where the values come from. Those of a query are always text. */
type Source = 'body' | 'query';

const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const valueAt = (root: unknown, parts: readonly string[]): unknown =>
  parts.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
    root,
  );

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

const count = (number: number | undefined, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`;

const isQuotedNumber = (type: string | undefined, value: unknown): boolean =>
  (type === 'number' || type === 'integer') && typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value);

const describeType = (type: string | undefined, value: unknown, source: Source): string => {
  const hint = source === 'body' && isQuotedNumber(type, value) ? '; send it without quotes' : '';
  return `must be ${TYPE_NAMES[type ?? ''] ?? type}${hint}`;
};

const describeEnum = (allowed: readonly unknown[], value: unknown): string => {
  const suggestion = typeof value === 'string' ? closestName(value, allowed.map(String)) : undefined;
  return `must be one of ${allowed.join(', ')}${didYouMean(suggestion)}`;
};

const describePattern = (pattern: string, value: unknown): string => {
  const kinds = idKindsOf(pattern);
  return kinds.length > 0 ? describeIdError(kinds, value) : 'does not have the required format';
};

/** The message of one error. It never quotes the value: a value may be personal data. */
const describe = (error: SchemaError, field: string, value: unknown, source: Source): string => {
  const params = error.params as {
    limit?: number;
    type?: string;
    allowedValues?: unknown[];
    message?: string;
    pattern?: string | RegExp;
  };
  switch (error.keyword) {
    case 'type':
      return describeType(params.type, value, source);
    case 'enum':
      return describeEnum(params.allowedValues ?? [], value);
    case 'minLength':
      return `must have at least ${count(params.limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${count(params.limit, 'character')}`;
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minItems':
      return `must have at least ${count(params.limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(params.limit, 'item')}`;
    case 'uniqueItems':
      return 'must not contain an item twice';
    case 'maxProperties':
      return `must have at most ${count(params.limit, 'key')}`;
    case 'pattern':
      return describePattern(String(params.pattern), value);
    case '~refine':
      return `${params.message ?? error.message}${didYouMean(suggestCode(field, value))}`;
    default:
      return error.message;
  }
};

/** Keywords that a refinement explains better: `EURO` is too long, but above all no currency. */
const VAGUE: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'pattern']);

/** A check of the contract beyond JSON Schema, with its message. */
interface Refinement {
  readonly check: (value: unknown) => boolean;
  readonly error: (value: unknown) => string;
}

/** The message of a refinement that the value also fails. The library skips refinements once a keyword failed. */
const refinementOf = (schema: unknown, error: SchemaError, value: unknown): string | undefined => {
  const found = valueAt(schema, partsOf(error.schemaPath)) as { '~refine'?: readonly Refinement[] } | undefined;
  return found?.['~refine']?.findLast(({ check }) => !check(value))?.error(value);
};

/** One detail for each field of `root` that the schema refuses: the first error of the field. */
export const errorDetails = (
  errors: readonly SchemaError[],
  schema: unknown,
  root: unknown,
  source: Source,
): ErrorDetail[] => {
  const details = new Map<string, ErrorDetail>();
  const add = (field: string, message: string): void => {
    if (!details.has(field)) details.set(field, { field, message });
  };
  for (const error of errors) {
    const parts = partsOf(error.instancePath);
    // Reported for a whole map when one of its values is wrong. That value has an error of its own.
    if (error.keyword === 'additionalProperties') continue;
    if (error.keyword === 'required') {
      const { requiredProperties } = error.params as { requiredProperties: string[] };
      for (const name of requiredProperties) add([...parts, name].join('.'), 'is required');
      continue;
    }
    const value = valueAt(root, parts);
    const message = VAGUE.has(error.keyword) ? refinementOf(schema, error, value) : undefined;
    const better = message === undefined ? error : { ...error, keyword: '~refine', params: { message } };
    add(parts.join('.'), describe(better, parts.at(-1) ?? '', value, source));
  }
  return [...details.values()];
};
