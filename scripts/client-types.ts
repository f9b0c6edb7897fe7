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

/** A JSDoc comment, which editors show for a name. */
export const comment = (lines: readonly string[]): string => {
  if (lines.length < 2) return lines.map((line) => `/** ${line} */\n`).join('');
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
};

const commentOn = (schema: Schema): string =>
  comment([
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(schema.default === undefined ? [] : [`@default ${JSON.stringify(schema.default)}`]),
  ]);

/** The exported name of a schema without `$id`. */
const exportedName = (schema: unknown): string | undefined =>
  Object.entries(contract).find(([, value]) => value === schema)?.[0];

/** The name of a schema's type in the client. */
export const nameOf = (schema: TSchema): string => {
  const name = (schema as Schema).$id ?? exportedName(schema);
  if (name === undefined)
    throw new Error(
      `The contract exports no name for the schema ${JSON.stringify(schema)}. Export it or give it an $id.`,
    );
  return name;
};

/** Schemas whose fields others have too. In the client, the others extend them. */
const SHARED = [contract.ScreeningFilter, contract.Screening] as unknown as readonly Schema[];
/** With fewer fields in common, a type is easier to read on its own. */
const FEWEST_SHARED = 5;

/** The part of a type that it has from a shared schema: the schema, and how the type extends it. */
const sharedPartOf = (schema: Schema): { base: Schema; names: readonly string[]; text: string } | undefined => {
  for (const base of SHARED) {
    const fields = Object.entries(base.properties ?? {});
    const names = fields.flatMap(([name, of]) => (schema.properties?.[name] === of ? [name] : []));
    if (base === schema || names.length < FEWEST_SHARED) continue;
    const picked = names.map((name) => JSON.stringify(name)).join(' | ');
    const text = names.length === fields.length ? base.$id : `Pick<${base.$id}, ${picked}>`;
    return { base, names, text: ` extends ${text}` };
  }
  return undefined;
};

/** A schema without some of its fields. */
const without = (schema: Schema, names: readonly string[]): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name))),
});

/** The TypeScript type of a schema. Calls `onReference` for each named schema that it refers to. */
const bodyOf = (schema: Schema, onReference: (schema: Schema) => void): string => {
  const typeOf = (of: Schema): string => {
    if (of.$id === undefined) return bodyOf(of, onReference);
    onReference(of);
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
  const fields = Object.entries(schema.properties ?? {}).map(([name, of]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return `${commentOn(of)}${JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeOf(of)}${isRequired ? '' : ' | undefined'};`;
  });
  return `{\n${fields.join('\n')}\n}`;
};

const errorStatuses = `/** The HTTP status of each error code. */
export interface ErrorStatuses {
${Object.entries(contract.ERROR_STATUSES)
  .map(([code, status]) => `${code}: ${status};`)
  .join('\n')}
}`;

export const HEADER = '// Generated from the contract by `npm run client`. Do not edit.';

/** A tag in the spelling of file names: `API keys` becomes `api-keys`. */
export const fileNameOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

interface TypeText {
  readonly text: string;
  /** Names of the types it refers to. */
  readonly references: readonly string[];
}
type TypeTexts = ReadonlyMap<string, TypeText>;

/** The types of `schemas` and of the schemas they refer to, without those in `fileByType`. Adds the new ones to `fileByType`. */
const typesOf = (schemas: readonly Schema[], file: string, fileByType: Map<string, string>): TypeTexts => {
  const types = new Map<string, TypeText>();
  const add = (schema: Schema): void => {
    const name = nameOf(schema as TSchema);
    if (fileByType.has(name)) return;
    // Added before its fields are read, because they may refer to it.
    fileByType.set(name, file);
    const references: Schema[] = [];
    const shared = sharedPartOf(schema);
    if (shared !== undefined) references.push(shared.base);
    const body = bodyOf(without(schema, shared?.names ?? []), (of) => references.push(of));
    const text = `${commentOn(schema)}export interface ${name}${shared?.text ?? ''} ${body}`;
    types.set(name, { text, references: references.map((of) => nameOf(of as TSchema)) });
    references.forEach(add);
  };
  schemas.forEach(add);
  return types;
};

/** The content of a file. It imports each other type from the file that defines it, so that there is no import cycle. */
const textOf = (types: TypeTexts, fileByType: ReadonlyMap<string, string>): string => {
  const elsewhere = new Set(
    [...types.values()].flatMap(({ references }) => references).filter((name) => !types.has(name)),
  );
  const byFile = Object.groupBy([...elsewhere].sort(), (name) => fileByType.get(name) as string);
  const imports = Object.entries(byFile)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, names = []]) => `import type { ${names.join(', ')} } from './${file}.ts';`);
  const sorted = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { text }]) => text);
  return [HEADER, imports.join('\n'), ...sorted].join('\n\n');
};

/**
 * Generates the types of all requests and responses: a file for the requests of each tag, and one for its responses. A type
 * is in the first file that uses it.
 */
export const clientTypes = (): { file: string; text: string }[] => {
  const fileByType = new Map<string, string>();
  const errors = typesOf([contract.ErrorDetail as Schema], 'types-errors', fileByType);
  const all = Object.values(operations as Record<string, Operation>);
  const makeFile = (file: string, schemas: readonly (object | undefined)[]): { file: string; text: string }[] => {
    const types = typesOf(schemas.filter((schema) => schema !== undefined) as Schema[], file, fileByType);
    return types.size === 0 ? [] : [{ file, text: textOf(types, fileByType) }];
  };
  const files = Object.keys(contract.TAGS).flatMap((tag) => {
    const ofTag = all.filter((of) => of.tag === tag);
    const requests = ofTag.flatMap(({ query, body }) => [query, body]);
    const responses = ofTag.map(({ response }) => response);
    const file = `types-${fileNameOf(tag)}`;
    return [...makeFile(`${file}-requests`, requests), ...makeFile(file, responses)];
  });
  files.push({ file: 'types-errors', text: `${textOf(errors, fileByType)}\n\n${errorStatuses}` });
  const names = files.map(({ file }) => file).sort();
  const index = names.map((file) => `export type * from './${file}.ts';`);
  return [...files, { file: 'types', text: `${HEADER}\n\n${index.join('\n')}` }];
};
