/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Header {
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
}

export interface Response extends Content {
  readonly description?: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary?: string;
    readonly description?: string;
  };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly headers?: Readonly<Record<string, Header>>;
  };
}

export interface PathOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const operationsOf = (document: Document): readonly PathOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

export const nameFor = ({ summary, operationId }: Operation): string => summary ?? operationId;

/** `Address` of `#/components/schemas/Address`. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/** Names of the schemas that requests use. */
export const requestSchemas = (document: Document): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of (JSON.stringify(part) ?? '').matchAll(REFERENCE)) {
      if (names.has(name)) continue;
      names.add(name);
      visit(document.components?.schemas?.[name]);
    }
  };
  for (const { operation } of operationsOf(document)) visit(operation.requestBody);
  return names;
};

/** A reference may lead to another one. The limit ends a cycle. */
const MAX_STEPS = 10;

export const resolve = (document: Document, schema: Schema | undefined): Schema => {
  let found = schema ?? {};
  for (let step = 0; found.$ref !== undefined && step < MAX_STEPS; step++) {
    found = document.components?.schemas?.[nameOf(found.$ref)] ?? {};
  }
  return found;
};

export const parametersOf = (document: Document, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.map((parameter) =>
    parameter.$ref === undefined
      ? parameter
      : (document.components?.parameters?.[nameOf(parameter.$ref)] ?? { name: nameOf(parameter.$ref), in: 'header' }),
  );

/** The JSON of a request or response. */
export const jsonOf = (of: Content | undefined): { readonly schema?: Schema; readonly example?: unknown } | undefined =>
  of?.content?.['application/json'];

/** An example of a field with that name. Path parameters are named like the fields that hold their values. */
export const exampleNamed = (document: Document, name: string): string => {
  for (const { properties } of Object.values(document.components?.schemas ?? {})) {
    const example = properties?.[name]?.examples?.[0];
    if (example !== undefined) return String(example);
  }
  return name;
};
