import { readFileSync, writeFileSync } from 'node:fs';
import { VERSION } from '../server/src/runtime/version.ts';

/** A JSON object of an OpenAPI document. */
type Node = { readonly [field: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const entriesOf = (value: unknown): [string, Node][] => Object.entries((value ?? {}) as Record<string, Node>);
const nameIn = (ref: unknown): string => String(ref).split('/').at(-1) as string;

/** `in` is sent by callers, `out` is returned to them. */
type Direction = 'in' | 'out';

/**
 * The types of a schema and of its fields, a line each: `out Case.status "open"`. `!` marks a field that is required, or always returned.
 * Calls `onReference` for each named schema.
 */
const schemaLines = (schema: Node, path: string, onReference: (name: string) => void): string[] => {
  const linesOf = (value: unknown, at: string): string[] => schemaLines(value as Node, at, onReference);
  if (typeof schema.$ref === 'string') {
    onReference(nameIn(schema.$ref));
    return [`${path} ${nameIn(schema.$ref)}`];
  }
  if ('const' in schema) return [`${path} ${JSON.stringify(schema.const)}`];
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `${path} ${JSON.stringify(value)}`);
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((one) => linesOf(one, path));
  if (schema.type === 'array') return linesOf(schema.items, `${path}[]`);
  if (schema.type !== 'object') return [`${path} ${schema.pattern ?? schema.type ?? 'any'}`];
  const values = [schema.additionalProperties, ...entriesOf(schema.patternProperties).map(([, value]) => value)];
  return [
    ...((schema.required ?? []) as string[]).map((name) => `${path}.${name} !`),
    ...entriesOf(schema.properties).flatMap(([name, field]) => linesOf(field, `${path}.${name}`)),
    ...values.filter(isNode).flatMap((value) => linesOf(value, `${path}.*`)),
  ];
};

const contentOf = (node: Node | undefined): Node | undefined =>
  ((node?.content as Node | undefined)?.['application/json'] as Node | undefined)?.schema as Node | undefined;

/**
 * Everything that a caller may rely on, as sorted lines: operations, parameters, fields with their types, statuses and error codes. Texts
 * and examples are left out.
 */
export const apiSurface = (document: object): string[] => {
  const { paths, components } = document as Readonly<Record<'paths' | 'components', Node>>;
  const schemas = components.schemas as Record<string, Node>;
  const lines = new Set<string>();
  const written = new Set<string>();
  const add = (schema: Node, path: string, direction: Direction): void => {
    const references: string[] = [];
    for (const line of schemaLines(schema, path, (name) => references.push(name))) lines.add(`${direction} ${line}`);
    for (const name of references) {
      if (written.has(`${direction} ${name}`)) continue;
      written.add(`${direction} ${name}`);
      add(schemas[name] as Node, name, direction);
    }
  };
  const addParameter = (operation: string, value: Node): void => {
    // Parameters of all operations are references. They get one line, without the name of the operation.
    const isShared = typeof value.$ref === 'string';
    const parameter = isShared ? ((components.parameters as Node)[nameIn(value.$ref)] as Node) : value;
    const path = `${isShared ? '' : `${operation} `}${parameter.in}.${parameter.name}`;
    if (parameter.required === true) lines.add(`in ${path} !`);
    add(parameter.schema as Node, path, 'in');
  };
  const addResponse = (operation: string, status: string, response: Node): void => {
    const content = contentOf(response);
    if (Number(status) < 400) {
      if (content === undefined) lines.add(`out ${operation} ${status}`);
      else add(content, `${operation} ${status}`, 'out');
      return;
    }
    if (content !== undefined) add(content, 'error', 'out');
    const codes = [...String(response.description).matchAll(/`(\w+)`/g)];
    for (const [, code] of codes) lines.add(`out ${operation} ${status} ${code}`);
  };
  for (const [path, methods] of entriesOf(paths))
    for (const [method, operation] of entriesOf(methods)) {
      const id = String(operation.operationId);
      lines.add(`in ${id} is ${method.toUpperCase()} ${path}`);
      for (const parameter of operation.parameters as Node[]) addParameter(id, parameter);
      const body = contentOf(operation.requestBody as Node | undefined);
      if (body !== undefined) add(body, `${id} body`, 'in');
      for (const [status, response] of entriesOf(operation.responses)) addResponse(id, status, response);
    }
  return [...lines].sort();
};

/** Records the API of a release in `test/released-api`, where a test compares later versions with it. */
if (import.meta.main) {
  const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
  const file = new URL(`../test/released-api/${VERSION}.txt`, import.meta.url);
  writeFileSync(file, `${apiSurface(document).join('\n')}\n`);
}
