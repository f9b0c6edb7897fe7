import Type, { type TObjectOptions, type TRecord, type TSchema } from 'typebox';

/**
 * An object with free field names and values of one schema. TypeBox types `additionalProperties` as plain `object`, which
 * would accept any value.
 */
export const mapOf = <T extends TSchema>(values: T, options: TObjectOptions): TRecord<string, T> =>
  Type.Object({}, { additionalProperties: values, ...options }) as unknown as TRecord<string, T>;
