import { maskCardNumbers } from '@portcullis/contract/values';
import type { TObject } from 'typebox';
import { suggestField } from './suggestions.ts';

/** A field of a schema. */
interface Field {
  readonly isRequired: boolean;
  /** The fields of an object. */
  readonly object: Shape | undefined;
  /** The fields of each item of an array of objects. */
  readonly array: Shape | undefined;
  /** The most items of an array, or keys of a map. */
  readonly limit: number | undefined;
}

/** The fields of a schema by name, at every level. */
export interface Shape {
  readonly names: readonly string[];
  readonly known: ReadonlyMap<string, Field>;
  /** Whether the caller chooses the field names. */
  readonly isOpen: boolean;
}

interface PropertySchema {
  readonly type?: string;
  readonly items?: { readonly type?: string; readonly enum?: readonly unknown[] };
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
}

/**
 * The most items of an array, or keys of a map. An array of different items from a list has at most as many as the list:
 * one more is a repeated or a wrong one. The search for repeated items compares each with every other.
 */
const limitOf = ({ maxItems, maxProperties, uniqueItems, items }: PropertySchema): number | undefined =>
  maxItems ?? maxProperties ?? (uniqueItems === true ? items?.enum?.length : undefined);

export const shapeOf = (schema: TObject): Shape => {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, PropertySchema>);
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const fieldOf = (name: string, of: PropertySchema): Field => ({
    isRequired: required.has(name),
    object: of.type === 'object' ? shapeOf(of as TObject) : undefined,
    array: of.items?.type === 'object' ? shapeOf(of.items as TObject) : undefined,
    limit: limitOf(of),
  });
  return {
    names: properties.map(([name]) => name),
    known: new Map(properties.map(([name, of]) => [name, fieldOf(name, of)])),
    isOpen: 'additionalProperties' in schema || 'patternProperties' in schema,
  };
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_WARNINGS = 20;
const MAX_NAME_LENGTH = 64;
export const NO_FIELDS: ReadonlySet<string> = new Set();

/** A field name that is safe in a message: short, printable, without a card number. */
export const safeName = (name: string): string => {
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return maskCardNumbers(short).replaceAll(/\p{C}/gu, '\uFFFD');
};

/** The contract fixes the wording of this warning, with its "member". */
const warnOfUnknown = (shape: Shape, path: string, name: string, warnings: string[]): void => {
  if (warnings.length === MAX_WARNINGS) warnings.push('further unknown members were ignored');
  if (warnings.length > MAX_WARNINGS) return;
  const suggestion = suggestField(name, shape.names);
  const hint = suggestion === undefined ? '' : `; did you mean \`${path}${suggestion}\`?`;
  warnings.push(`unknown member \`${safeName(path + name)}\` was ignored${hint}`);
};

/**
 * The first items of an array or map that is too long, one more than it may have: the schema refuses it. Without this,
 * every item would be validated first, and one body of 512 KiB would stop the event loop for a third of a second.
 */
const cut = (value: unknown, limit: number): unknown => {
  if (Array.isArray(value)) return value.length > limit ? value.slice(0, limit + 1) : value;
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  if (names.length <= limit) return value;
  return Object.fromEntries(names.slice(0, limit + 1).map((name) => [name, value[name]]));
};

/** The value of a field without what the schema does not know; the same value if there is nothing to leave out. */
const takeValue = (
  { object, array, limit }: Field,
  sent: unknown,
  path: string,
  name: string,
  warnings: string[],
): unknown => {
  const value = limit === undefined ? sent : cut(sent, limit);
  if (object !== undefined && !object.isOpen && isObject(value))
    return takeKnownFields(object, value, `${path}${name}.`, warnings, NO_FIELDS);
  if (array === undefined || !Array.isArray(value)) return value;
  return value.map((item, index) =>
    isObject(item) ? takeKnownFields(array, item, `${path}${name}.${index}.`, warnings, NO_FIELDS) : item,
  );
};

/**
 * Takes the fields that the schema knows, without optional fields that are null. Adds a warning for each unknown field,
 * except those in `ignored`. Most bodies have nothing to leave out, and are returned as they are: a copy would take
 * longer than all checks.
 */
export const takeKnownFields = (
  shape: Shape,
  from: Record<string, unknown>,
  path: string,
  warnings: string[],
  ignored: ReadonlySet<string>,
): Record<string, unknown> => {
  const names = Object.keys(from);
  let taken: Record<string, unknown> | undefined;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const sent = from[name];
    const field = shape.known.get(name);
    if (field === undefined && !ignored.has(name)) warnOfUnknown(shape, path, name, warnings);
    const isTaken = field !== undefined && (sent !== null || field.isRequired);
    const value = isTaken ? takeValue(field, sent, path, name, warnings) : undefined;
    if (taken === undefined) {
      if (isTaken && value === sent) continue;
      taken = {};
      for (let before = 0; before < i; before++) taken[names[before] as string] = from[names[before] as string];
    }
    if (isTaken) taken[name] = value;
  }
  return taken ?? from;
};
