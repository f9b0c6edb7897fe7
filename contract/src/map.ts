import Type, { type TObjectOptions, type TRecord, type TSchema } from 'typebox';

/**
 * An object whose member names are not ours to choose. TypeBox gives what is written so the type `object`, which lets any value through; this says what the
 * values are.
 */
export const mapOf = <T extends TSchema>(values: T, options: TObjectOptions): TRecord<string, T> =>
  Type.Object({}, { additionalProperties: values, ...options }) as unknown as TRecord<string, T>;
