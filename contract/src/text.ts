import Type, { type TSchema, type TSchemaOptions } from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { readTimestamp } from './timestamps.ts';

/**
 * A string that survives storage unchanged. NUL ends a string in C libraries and lone surrogates become U+FFFD in UTF-8, so
 * two different user ids could end up in one row.
 */
export const text = (minLength: number, maxLength: number, options: TSchemaOptions = {}) =>
  Type.Refine(
    Type.String({ minLength, maxLength, ...options }),
    (value) => value.isWellFormed() && !value.includes('\0'),
    () => 'must be well-formed Unicode without NUL characters',
  );

/** An identifier chosen by the caller: opaque, compared byte by byte. */
export const callerId = (description: string, example: string) =>
  withCardRule(text(1, 255, { description, examples: [example] }), 'identifier');

export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** The timestamp format of responses. `readTimestamp` reads the formats that requests may use. */
export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-14T09:30:00.123Z'] });

/** A time in a request. */
export const moment = (description: string, example = '2026-11-14T09:30:00Z') =>
  withCardRule(
    Type.Refine(
      text(1, 64, { description, examples: [example] }),
      (value) => readTimestamp(value) !== undefined,
      () => 'must be an RFC 3339 time such as 2026-11-14T09:30:00Z, or a date such as 2026-11-14',
    ),
    'exact',
  );
