import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { Decision } from './decision.ts';
import { exampleOf, openapi } from './openapi.ts';
import { type Operation, operations } from './operations.ts';
import { type SessionOperation, sessionOperations } from './operations-session.ts';

type Node = { readonly [field: string]: unknown };
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

const generated = openapi('1.2.3');
// Parsed from text, because clients receive text.
const document = JSON.parse(JSON.stringify(generated)) as Document;
const all = Object.entries(operations) as [string, Operation][];
const ofSessions = Object.entries(sessionOperations) as [string, SessionOperation][];
const described = (of: Operation | SessionOperation): Described | undefined =>
  document.paths[of.path]?.[of.method.toLowerCase()];

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
/** The schema with every reference replaced by its target. */
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
  test('is plain JSON: serialising it loses nothing', () => {
    expect(document).toStrictEqual(generated);
  });

  test('declares its version, its security and every used tag', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info).toMatchObject({ title: 'Portcullis', version: '1.2.3' });
    expect(document.security).toEqual([{ apiKey: [] }, { session: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie' },
    });
    const used = new Set([...all, ...ofSessions].map(([, of]) => of.tag));
    expect(new Set(document.tags.map((tag) => tag.name))).toEqual(used);
  });

  test('contains every operation once, and no other', () => {
    const found = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((of) => of.operationId),
    );
    expect(found.sort()).toEqual([...all, ...ofSessions].map(([name]) => name).sort());
  });

  test.each(all)('describes %s with summary, success, errors and parameters', (name, of) => {
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

  test.each(ofSessions)('describes %s with its session instead of a key', (name, of) => {
    const found = described(of) as Described & { readonly security: unknown };
    expect(found.operationId).toBe(name);
    expect(found.security).toEqual(of.isSignedIn ? [{ session: [] }] : []);
    const statuses = Object.keys(found.responses);
    expect(statuses).toEqual(expect.arrayContaining([String(of.status), '400', '403', '429', '500', '503']));
    expect(statuses.includes('401')).toBe(of.isSignedIn || of.errors?.includes('invalid_sign_in') === true);
    expect(found.requestBody !== undefined).toBe(of.body !== undefined);
  });

  test('describes the meaning and the range of query parameters', () => {
    const found = described(operations.listCases)?.parameters.find(({ name }) => name === 'start_date');
    expect(found).toMatchObject({
      in: 'query',
      description: 'Only cases created at this time or later.',
      schema: { type: 'string' },
    });
    const limit = described(operations.listCases)?.parameters.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } });
  });

  test('has no broken reference', () => {
    const refs = nodes.filter(([, node]) => typeof node.$ref === 'string').map(([, node]) => node.$ref as string);
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of new Set(refs)) expect(follow(ref), ref).toBeDefined();
  });

  test('has an example of every body', () => {
    const bodies = nodes.filter(([path, node]) => path.endsWith('/application~1json') && isNode(node.schema));
    const successes = bodies.filter(([path]) => !/\/responses\/[45]/.test(path));
    expect(successes.length).toBeGreaterThan(all.length);
    for (const [path, node] of successes) expect(node.example, path).toBeDefined();
  });

  test.each(examples)('has a valid example at %s', (_, node) => {
    expect(accepts(node.schema, node.example)).toBe(true);
  });

  test('has only valid examples of fields', () => {
    expect(schemas.length).toBeGreaterThan(50);
    for (const [path, node] of schemas) {
      for (const example of node.examples as unknown[]) expect(accepts(node, example), path).toBe(true);
    }
  });

  test('has examples of requests that pass the validation of the service', () => {
    for (const [name, of] of all) {
      if (of.body === undefined) continue;
      expect(Compile(of.body).Check(exampleOf(asNode(of.body))), name).toBe(true);
    }
  });
});

describe('the example of a schema', () => {
  test.each<[string, Node, unknown]>([
    ['is the first of examples', { type: 'string', examples: ['a', 'b'] }, 'a'],
    ['is the constant', { const: 'review' }, 'review'],
    ['is the first value of an enum', { enum: ['allow', 'block'] }, 'allow'],
    ['is that of the first alternative', { anyOf: [{ type: 'string', examples: ['a'] }, { type: 'null' }] }, 'a'],
    ['is a list with one item', { type: 'array', items: { enum: [1] } }, [1]],
    ['has every field except warnings', { type: 'object', properties: { a: { enum: [1] }, warnings: {} } }, { a: 1 }],
  ])('%s', (_, schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected);
  });

  test('of a decision has contributions that add up to its score', () => {
    const example = exampleOf(asNode(Decision)) as unknown as Decision;
    const total = example.factors.reduce((sum, factor) => sum + factor.contribution, example.base_score);
    expect(total).toBe(example.risk_score);
    expect(example.factors.map((factor) => factor.signal)).toEqual(example.signals);
  });
});
