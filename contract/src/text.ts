import Type, { type TSchema, type TSchemaOptions } from 'typebox';

/**
 * A string that survives storage unchanged: NUL ends a string in C libraries and lone surrogates become
 * U+FFFD in UTF-8, so two different user ids could meet in one row.
 */
export const text = (minLength: number, maxLength: number, options: TSchemaOptions = {}) =>
  Type.Refine(
    Type.String({ minLength, maxLength, ...options }),
    (value) => value.isWellFormed() && !value.includes('\0'),
    () => 'must be well-formed Unicode without NUL characters',
  );

/** An identifier the caller chose: opaque to us, compared as it is. */
export const callerId = (description: string, example: string) => text(1, 255, { description, examples: [example] });

export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** Only the timestamp format every response uses; what requests may say is read by `readTimestamp`. */
export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-14T09:30:00.123Z'] });

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Epoch milliseconds of an RFC 3339 time or a plain date (midnight UTC); undefined when it is neither. */
export const readTimestamp = (value: string): number | undefined => {
  const match = RFC_3339.exec(value);
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  // Date.parse lets February 30th through as March 2nd; the day must read back as it was written.
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset.toUpperCase()}`,
  );
  return Number.isNaN(time) ? undefined : time;
};

let writtenTime = Number.NaN;
let written = '';

/** Epoch milliseconds as the API writes them. Screenings of one millisecond share the work, which is not small. */
export const writeTimestamp = (time: number): string => {
  if (time !== writtenTime) {
    written = new Date(time).toISOString();
    writtenTime = time;
  }
  return written;
};
