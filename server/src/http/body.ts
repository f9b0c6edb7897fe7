import { type ErrorDetail, maskCardNumbers } from '@portcullis/contract';
import type { TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { closest } from './closest.ts';
import { invalidRequest } from './errors.ts';

// All faults are to be named at once; the library stops at eight unless told.
Settings.Set({ maxErrors: 100 });

interface Fault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

const jsonPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
};

const explain = (fault: Fault): string => {
  const params = fault.params as { limit?: number; type?: string; allowedValues?: unknown[]; message?: string };
  switch (fault.keyword) {
    case 'type':
      return `must be ${TYPE_NAMES[params.type ?? ''] ?? params.type}`;
    case 'enum':
      return `must be one of ${params.allowedValues?.join(', ')}`;
    case 'minLength':
      return `must have at least ${params.limit} character${params.limit === 1 ? '' : 's'}`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minItems':
      return `must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}`;
    case 'uniqueItems':
      return 'must not hold an item twice';
    case 'maxProperties':
      return `must have at most ${params.limit} keys`;
    case '~refine':
      return params.message ?? fault.message;
    default:
      return fault.message;
  }
};

const faultDetails = (faults: readonly Fault[]): ErrorDetail[] => {
  const details = new Map<string, ErrorDetail>();
  const add = (field: string, message: string): void => {
    // The first fault of a field says it best: a text that is too short is then also no country code.
    if (!details.has(field)) details.set(field, { field: maskCardNumbers(field), message });
  };
  for (const fault of faults) {
    const at = jsonPath(fault.instancePath);
    // Said of an open map as a whole when one of its values is wrong, which is a fault of its own.
    if (fault.keyword === 'additionalProperties') continue;
    if (fault.keyword === 'required') {
      const { requiredProperties } = fault.params as { requiredProperties: string[] };
      for (const name of requiredProperties) add(at === '' ? name : `${at}.${name}`, 'is required');
    } else add(at, explain(fault));
  }
  return [...details.values()];
};

interface Shape {
  readonly names: readonly string[];
  readonly known: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** Members that are objects with members of their own. */
  readonly nested: ReadonlyMap<string, Shape>;
  /** Members that are lists of such objects. */
  readonly listed: ReadonlyMap<string, Shape>;
  /** Members whose names the caller chooses. */
  readonly open: boolean;
}

const shapeOf = (schema: TObject): Shape => {
  const properties = Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: string; items?: { type?: string } }>,
  );
  return {
    names: properties.map(([name]) => name),
    known: new Set(properties.map(([name]) => name)),
    required: new Set((schema.required as string[] | undefined) ?? []),
    nested: new Map(
      properties.filter(([, of]) => of.type === 'object').map(([name, of]) => [name, shapeOf(of as TObject)]),
    ),
    listed: new Map(
      properties
        .filter(([, { items }]) => items?.type === 'object')
        .map(([name, { items }]) => [name, shapeOf(items as TObject)]),
    ),
    open: 'additionalProperties' in schema || 'patternProperties' in schema,
  };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_WARNINGS = 20;
/** No schema is this deep. */
const DEEPEST = 8;
const NO_FAULTS: readonly ErrorDetail[] = [];
const NONE: ReadonlySet<string> = new Set();

/** A member name as a message may hold it: short, printable, and not a card number in disguise. */
const quoted = (name: string): string => {
  const short = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  return `\`${maskCardNumbers(short).replaceAll(/\p{C}/gu, '\uFFFD')}\``;
};

/** Copies the members the schema knows, without those that are null and optional; tells of the others, but for those `apart`. */
const takeKnown = (
  shape: Shape,
  from: Record<string, unknown>,
  path: string,
  warnings: string[],
  apart: ReadonlySet<string>,
): Record<string, unknown> => {
  const taken: Record<string, unknown> = {};
  for (const name of Object.keys(from)) {
    const value = from[name];
    if (!shape.known.has(name)) {
      if (apart.has(name)) continue;
      if (warnings.length === MAX_WARNINGS) warnings.push('further unknown members were ignored');
      if (warnings.length > MAX_WARNINGS) continue;
      const meant = closest(name, shape.names);
      const hint = meant === undefined ? '' : `; did you mean \`${path}${meant}\`?`;
      warnings.push(`unknown member ${quoted(path + name)} was ignored${hint}`);
      continue;
    }
    if (value === null && !shape.required.has(name)) continue;
    const nested = shape.nested.get(name);
    const listed = shape.listed.get(name);
    if (nested !== undefined && !nested.open && isObject(value)) {
      taken[name] = takeKnown(nested, value, `${path}${name}.`, warnings, NONE);
    } else if (listed !== undefined && Array.isArray(value)) {
      taken[name] = value.map((item, index) =>
        isObject(item) ? takeKnown(listed, item, `${path}${name}.${index}.`, warnings, NONE) : item,
      );
    } else taken[name] = value;
  }
  return taken;
};

/** Without what lies deeper than any schema: looking for items given twice recurses into them and would exhaust the stack. */
const cut = (value: unknown, levels: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, levels - 1)]));
};

/** Faults that a schema cannot tell, of a body that may have others. */
export type FurtherFaults = (body: Readonly<Record<string, unknown>>) => readonly ErrorDetail[];

/**
 * Makes the reader of a request body: what the schema knows of it, what was odd, or an error that names every fault. Members `apart` stand
 * beside the request and are no business of the schema.
 */
export const bodyReader = <T>(schema: TObject, furtherFaults?: FurtherFaults, apart: ReadonlySet<string> = NONE) => {
  const shape = shapeOf(schema);
  const validator = Compile(schema);
  return (body: unknown, warnings: string[]): T => {
    const value = isObject(body) ? takeKnown(shape, body, '', warnings, apart) : body;
    const further = furtherFaults !== undefined && isObject(value) ? furtherFaults(value) : NO_FAULTS;
    const valid = validator.Check(value);
    if (valid && further.length === 0) return value as T;
    const details = valid ? [] : faultDetails(validator.Errors(cut(value, DEEPEST)) as readonly Fault[]);
    const unsaid = further.filter(({ field }) => details.every((detail) => detail.field !== field));
    throw invalidRequest([...details, ...unsaid]);
  };
};

const WHOLE_NUMBER = /^-?\d{1,16}$/;

/** Makes the reader of query parameters. A misspelt filter would silently list everything, so unknown ones are faults. */
export const queryReader = <T>(schema: TObject) => {
  const shape = shapeOf(schema);
  const validator = Compile(schema);
  const types = schema.properties as Record<string, { type?: string }>;
  return (query: Record<string, unknown>): T => {
    const value: Record<string, unknown> = {};
    const details: ErrorDetail[] = [];
    for (const [name, text] of Object.entries(query)) {
      if (!shape.known.has(name)) {
        const meant = closest(name, shape.names);
        details.push({
          field: quoted(name).slice(1, -1),
          message: `is not a parameter${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`,
        });
      } else if (Array.isArray(text)) details.push({ field: name, message: 'must be given once' });
      else {
        const isNumber = types[name]?.type === 'integer' && typeof text === 'string' && WHOLE_NUMBER.test(text);
        value[name] = isNumber ? Number(text) : text;
      }
    }
    if (!validator.Check(value)) details.push(...faultDetails(validator.Errors(value) as readonly Fault[]));
    if (details.length > 0) throw invalidRequest(details);
    return value as T;
  };
};
