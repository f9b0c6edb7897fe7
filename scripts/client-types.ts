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

export const MADE = '// Made from the contract by `npm run client`; not to be edited.';

/** `API keys` as it stands in names of files. */
export const fileOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

interface Named {
  readonly text: string;
  readonly names: readonly string[];
}

/** The types of everything the operations take and answer with, as TypeScript: a file for each tag, with what it is the first to name. */
export const clientTypes = (): { file: string; text: string }[] => {
  const placed = new Set<string>();
  const gather = (schemas: readonly Schema[]): Map<string, Named> => {
    const named = new Map<string, Named>();
    const add = (schema: Schema): void => {
      const name = nameOf(schema as TSchema);
      if (placed.has(name)) return;
      // Taken before its members are looked at, which may name it again.
      placed.add(name);
      const found: Schema[] = [];
      const text = `${commentOn(schema)}export interface ${name} ${bodyOf(schema, (of) => found.push(of))}`;
      named.set(name, { text, names: found.map((of) => nameOf(of as TSchema)) });
      found.forEach(add);
    };
    schemas.forEach(add);
    return named;
  };
  const textOf = (named: ReadonlyMap<string, Named>): string => {
    const elsewhere = new Set([...named.values()].flatMap(({ names }) => names).filter((name) => !named.has(name)));
    const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { text }]) => text);
    const imported =
      elsewhere.size === 0 ? [] : [`import type { ${[...elsewhere].sort().join(', ')} } from './types.ts';`];
    return [MADE, ...imported, ...sorted].join('\n\n');
  };
  const all = Object.values(operations as Record<string, Operation>);
  const errors = textOf(gather([contract.ErrorDetail as Schema]));
  const files = Object.keys(contract.TAGS).map((tag) => {
    const schemas = all.filter((of) => of.tag === tag).flatMap(({ query, body, response }) => [query, body, response]);
    return {
      file: `types-${fileOf(tag)}`,
      text: textOf(gather(schemas.filter((schema) => schema !== undefined) as Schema[])),
    };
  });
  files.push({ file: 'types-errors', text: `${errors}\n\n${errorStatuses}` });
  const index = files.map(({ file }) => `export type * from './${file}.ts';`).sort();
  return [...files, { file: 'types', text: `${MADE}\n\n${index.join('\n')}` }];
};
