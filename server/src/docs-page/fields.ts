import { anchor, between, breakable, html, inline, type Part, table } from '../html/html.ts';
import { type Document, nameOf, type Parameter, resolve, type Schema } from './document.ts';

const code = (value: unknown): Part =>
  html`<code>${breakable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}</code>`;

const isNull = (schema: Schema): boolean => schema.type === 'null';

export const typeOf = (schema: Schema): Part => {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#${anchor('schema', name)}">${name}</a>`;
  }
  if (schema.anyOf !== undefined) return between(schema.anyOf.map(typeOf), ' or ');
  if (schema.type === 'array') return ['array of ', typeOf(schema.items ?? {})];
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    return ['map of ', typeOf(schema.additionalProperties)];
  }
  const [value] = 'const' in schema ? [schema.const] : (schema.enum ?? []);
  const plain = schema.type ?? (value === undefined ? 'any' : typeof value);
  return schema.format === undefined ? plain : `${plain} (${schema.format})`;
};

const grouped = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 20 });

const range = (from: number | undefined, to: number | undefined, unit = ''): string | undefined => {
  const counted = (value: number): string =>
    unit === '' ? grouped(value) : `${grouped(value)} ${unit}${value === 1 ? '' : 's'}`;
  if (from !== undefined && from === to) return `exactly ${counted(from)}`;
  if (to === undefined) return from === undefined ? undefined : `at least ${counted(from)}`;
  return from === undefined || (from === 0 && unit !== '')
    ? `up to ${counted(to)}`
    : `${grouped(from)} to ${counted(to)}`;
};

/** The largest exact integer is a default of the schema library, not a limit to show. */
const limit = (value: number | undefined): number | undefined =>
  value === Number.MAX_SAFE_INTEGER ? undefined : value;

/** The prefix of an id. Readers need to know only that. */
const PREFIXED = /^\^([A-Za-z0-9]+_)/;

const patternOf = (pattern: string | undefined): Part => {
  if (pattern === undefined) return undefined;
  const prefix = PREFIXED.exec(pattern)?.[1];
  return prefix === undefined ? ['matches ', code(pattern)] : ['begins with ', code(prefix)];
};

export const limitsOf = (schema: Schema): readonly Part[] => {
  const { anyOf = [], items, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const limits: Part[] = [
    'const' in schema ? ['always ', code(schema.const)] : undefined,
    schema.enum === undefined ? undefined : ['one of ', between(schema.enum.map(code), ', ')],
    above === undefined ? undefined : `more than ${grouped(above)}`,
    below === undefined ? undefined : `less than ${grouped(below)}`,
    range(schema.minimum, limit(schema.maximum)),
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    schema.uniqueItems === true ? 'no duplicates' : undefined,
    range(undefined, schema.maxProperties, 'key'),
    patternOf(schema.pattern),
    schema.default === undefined ? undefined : ['default ', code(schema.default)],
    ...anyOf.filter((one) => !isNull(one)).flatMap(limitsOf),
    ...(items === undefined || items.$ref !== undefined ? [] : limitsOf(items).map((of): Part => ['each ', of])),
  ];
  return limits.filter((of) => of !== undefined);
};

const descriptionOf = (document: Document, schema: Schema): string =>
  resolve(document, schema).description ?? schema.anyOf?.map((of) => descriptionOf(document, of)).find(Boolean) ?? '';

const row = (name: Part, notes: Part, schema: Schema, description: string): readonly Part[] => {
  const limits = limitsOf(schema);
  return [
    html`<code class="name">${name}</code> <span class="notes">${notes}</span>`,
    [
      html`<span class="type">${typeOf(schema)}</span>`,
      limits.length === 0 ? undefined : html` <span class="limits">${between(limits, '; ')}</span>`,
    ],
    inline(description),
  ];
};

/** Who sends the fields. Requests mark the required ones, responses the optional ones. */
export type Sender = 'caller' | 'service';

const presence = (sender: Sender, needed: boolean): Part => {
  if (!needed) return 'optional';
  return sender === 'caller' ? html`<span class="required">required</span>` : undefined;
};

/** The fields inside a field, with the path to them. A named schema lists its fields itself. */
const inside = (schema: Schema): { of: Schema; path: string } | undefined => {
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) return { of: schema, path: '.' };
  if (schema.type !== 'array' || schema.items === undefined) return undefined;
  const items = inside(schema.items);
  return items === undefined ? undefined : { of: items.of, path: `[]${items.path}` };
};

const rowsOf = (document: Document, schema: Schema, sender: Sender, prefix = ''): readonly (readonly Part[])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const full = [prefix === '' ? undefined : html`<span class="prefix">${breakable(prefix)}</span>`, breakable(name)];
    const notes = presence(sender, schema.required?.includes(name) ?? false);
    const own = row(full, notes, of, descriptionOf(document, of));
    const nested = inside(of);
    return nested === undefined
      ? [own]
      : [own, ...rowsOf(document, nested.of, sender, `${prefix}${name}${nested.path}`)];
  });

const HEADS = ['Name', 'Type', 'Description'] as const;

/** A table of the fields of a request or response, with those of inner objects. Named schemas are linked instead. */
export const fieldTable = (document: Document, schema: Schema | undefined, label: string, sender: Sender): Part => {
  const rows = rowsOf(document, resolve(document, schema), sender);
  return rows.length === 0 ? undefined : table(label, HEADS, rows, 'fields');
};

export const parameterTable = (label: string, parameters: readonly (readonly [id: string, of: Parameter])[]): Part => {
  const rows = parameters.map(([id, of]) =>
    row(
      id === '' ? of.name : html`<span id="${id}">${of.name}</span>`,
      [of.in, ', ', presence('caller', of.required ?? false)],
      of.schema ?? {},
      of.description ?? '',
    ),
  );
  return rows.length === 0 ? undefined : table(label, HEADS, rows, 'fields');
};
