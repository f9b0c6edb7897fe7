import * as contract from '@portcullis/contract';
import { type Operation, operations } from '@portcullis/contract';
import type { TSchema } from 'typebox';

interface Schema {
  readonly $id?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A comment for whoever hovers over a name in an editor. */
export const comment = (lines: readonly string[]): string => {
  if (lines.length < 2) return lines.map((line) => `/** ${line} */\n`).join('');
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
};

const commentOn = (schema: Schema): string =>
  comment([
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(schema.default === undefined ? [] : [`@default ${JSON.stringify(schema.default)}`]),
  ]);

/** As it is exported by the contract, where it has no name of its own. */
const exportedName = (schema: unknown): string | undefined =>
  Object.entries(contract).find(([, value]) => value === schema)?.[0];

/** The name of the type that a schema of the table has in the client. */
export const nameOf = (schema: TSchema): string => {
  const name = (schema as Schema).$id ?? exportedName(schema);
  if (name === undefined) throw new Error(`no name for ${JSON.stringify(schema)}`);
  return name;
};

const bodyOf = (schema: Schema, found: (schema: Schema) => void): string => {
  const typeOf = (of: Schema): string => {
    if (of.$id === undefined) return bodyOf(of, found);
    found(of);
    return of.$id;
  };
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === undefined) return 'unknown';
  if (schema.type === 'array') return `(${typeOf(schema.items as Schema)})[]`;
  if (schema.type !== 'object') return PLAIN[schema.type] as string;
  const [values] = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})].filter(Boolean);
  if (values !== undefined) return `Record<string, ${typeOf(values)}>`;
  const members = Object.entries(schema.properties ?? {}).map(([name, of]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return `${commentOn(of)}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeOf(of)}${isRequired ? '' : ' | undefined'};`;
  });
  return `{\n${members.join('\n')}\n}`;
};

const errorStatuses = `/** The HTTP status of each error code. */
export interface ErrorStatuses {
${Object.entries(contract.ERROR_STATUSES)
  .map(([code, status]) => `${code}: ${status};`)
  .join('\n')}
}`;

/** The types of everything the operations take and answer with, as TypeScript. */
export const clientTypes = (): string => {
  const named = new Map<string, string>();
  const add = (schema: Schema): void => {
    const name = nameOf(schema as TSchema);
    if (named.has(name)) return;
    // Taken before its members are looked at, which may name it again.
    named.set(name, '');
    const found: Schema[] = [];
    named.set(name, `${commentOn(schema)}export interface ${name} ${bodyOf(schema, (of) => found.push(of))}`);
    found.forEach(add);
  };
  for (const { query, body, response } of Object.values(operations as Record<string, Operation>))
    for (const schema of [query, body, response]) if (schema !== undefined) add(schema as Schema);
  add(contract.ErrorDetail as Schema);
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return ['// Made from the contract by `npm run client`; not to be edited.', errorStatuses, ...sorted].join('\n\n');
};
