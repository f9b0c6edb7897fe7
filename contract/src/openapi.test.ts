import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { Decision } from './decision.ts';
import { exampleOf, openapi } from './openapi.ts';
import { type Operation, operations } from './operations.ts';

type Node = { readonly [member: string]: unknown };
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Node[];
  readonly requestBody?: { readonly content: Node };
  readonly responses: Readonly<Record<string, Node>>;
}
interface Document {
  readonly openapi: string;
  readonly info: Node;
  readonly tags: readonly { readonly name: string }[];
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Node>>;
}

const made = openapi('1.2.3');
// What a client gets is the text, so the text is what is looked at.
const document = JSON.parse(JSON.stringify(made)) as Document;
const all = Object.entries(operations) as [string, Operation][];
const described = (of: Operation): Described | undefined => document.paths[of.path]?.[of.method.toLowerCase()];

const asNode = (schema: object): Node => schema as Node;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
function* nodesOf(value: unknown, path = '#'): Generator<[path: string, node: Node]> {
  if (!isNode(value)) return;
  yield [path, value];
  for (const [name, inner] of Object.entries(value)) yield* nodesOf(inner, `${path}/${name.replaceAll('/', '~1')}`);
}
const follow = (ref: string): unknown => {
  const steps = ref.split('/').slice(1);
  return steps.reduce<unknown>((node, step) => (isNode(node) ? node[step.replaceAll('~1', '/')] : undefined), document);
};
/** The schema with everything it refers to put in its place. */
const inlined = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(inlined);
  if (!isNode(node)) return node;
  if (typeof node.$ref === 'string') return inlined(follow(node.$ref));
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inlined(value)]));
};
const accepts = (schema: unknown, value: unknown): boolean => Compile(inlined(schema) as TSchema).Check(value);

const nodes = [...nodesOf(document)];
const examples = nodes.filter(([, node]) => 'example' in node && 'schema' in node);
const schemas = nodes.filter(
  ([path, node]) => Array.isArray(node.examples) && !path.endsWith('/properties') && !path.endsWith('/example'),
);

describe('the OpenAPI document', () => {
  test('is plain JSON: nothing is lost on the way to a client', () => {
    expect(document).toEqual(made);
  });

  test('names its version, its security and every tag it uses', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info).toMatchObject({ title: 'Portcullis', version: '1.2.3' });
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' } });
    const used = new Set(all.map(([, of]) => of.tag));
    expect(new Set(document.tags.map((tag) => tag.name))).toEqual(used);
  });

  test('holds every operation once and no other', () => {
    const found = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((of) => of.operationId),
    );
    expect(found.sort()).toEqual(all.map(([name]) => name).sort());
  });

  test.each(all)('describes %s with a summary, its success, its failures and its parameters', (name, of) => {
    const found = described(of);
    expect(found?.operationId).toBe(name);
    expect(found?.summary.length).toBeGreaterThan(5);
    expect(found?.description).toContain(`\`${of.permission}\``);
    const statuses = Object.keys(found?.responses ?? {});
    expect(statuses.filter((status) => status.startsWith('2'))).toEqual([String(of.status)]);
    expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '429', '500', '503']));
    if (of.params !== undefined) expect(statuses).toContain('404');
    if (of.method === 'POST') expect(statuses).toEqual(expect.arrayContaining(['409', '422']));
    if (of.body !== undefined) expect(statuses).toEqual(expect.arrayContaining(['413', '415']));
    for (const response of Object.values(found?.responses ?? {})) expect(response.description).toBeTruthy();
    const named = (found?.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(named.map((parameter) => `{${parameter.name}}`)).toEqual(of.path.match(/\{\w+\}/g) ?? []);
    expect(named.every((parameter) => parameter.required === true)).toBe(true);
    const queried = (found?.parameters ?? []).filter((parameter) => parameter.in === 'query');
    expect(queried.map((parameter) => parameter.name)).toEqual(Object.keys(of.query?.properties ?? {}));
    expect(found?.requestBody !== undefined).toBe(of.body !== undefined);
    const success = found?.responses[of.status] as Node;
    expect(success.content !== undefined).toBe(of.response !== undefined);
  });

  test('says what a query parameter means and may be', () => {
    const found = described(operations.listCases)?.parameters.find(({ name }) => name === 'start_date');
    expect(found).toMatchObject({
      in: 'query',
      description: 'Cases created at or after it.',
      schema: { type: 'string' },
    });
    const limit = described(operations.listCases)?.parameters.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } });
  });

  test('refers only to what it holds', () => {
    const refs = nodes.filter(([, node]) => typeof node.$ref === 'string').map(([, node]) => node.$ref as string);
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of new Set(refs)) expect(follow(ref), ref).toBeDefined();
  });

  test('gives an example of every body', () => {
    const bodies = nodes.filter(([path, node]) => path.endsWith('/application~1json') && isNode(node.schema));
    const successes = bodies.filter(([path]) => !/\/responses\/[45]/.test(path));
    expect(successes.length).toBeGreaterThan(all.length);
    for (const [path, node] of successes) expect(node.example, path).toBeDefined();
  });

  test.each(examples)('has an example that its own schema accepts at %s', (_, node) => {
    expect(accepts(node.schema, node.example)).toBe(true);
  });

  test('has only examples of single members that their schemas accept', () => {
    expect(schemas.length).toBeGreaterThan(50);
    for (const [path, node] of schemas) {
      for (const example of node.examples as unknown[]) expect(accepts(node, example), path).toBe(true);
    }
  });

  test('says of every member of a request what the checks behind it say: the examples pass both', () => {
    for (const [name, of] of all) {
      if (of.body === undefined) continue;
      expect(Compile(of.body).Check(exampleOf(asNode(of.body))), name).toBe(true);
    }
  });
});

describe('the example of a schema', () => {
  test.each<[string, Node, unknown]>([
    ['is the first one given', { type: 'string', examples: ['a', 'b'] }, 'a'],
    ['is the constant where there is one', { const: 'review' }, 'review'],
    ['is the first of several values', { enum: ['allow', 'block'] }, 'allow'],
    ['is of the first alternative', { anyOf: [{ type: 'string', examples: ['a'] }, { type: 'null' }] }, 'a'],
    ['is a list of one', { type: 'array', items: { enum: [1] } }, [1]],
    ['has every member but the warnings', { type: 'object', properties: { a: { enum: [1] }, warnings: {} } }, { a: 1 }],
  ])('%s', (_, schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected);
  });

  test('of a decision adds up, as every decision does', () => {
    const example = exampleOf(asNode(Decision)) as unknown as Decision;
    const total = example.factors.reduce((sum, factor) => sum + factor.contribution, example.base_score);
    expect(total).toBe(example.risk_score);
    expect(example.factors.map((factor) => factor.signal)).toEqual(example.signals);
  });
});
