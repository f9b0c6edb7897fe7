import { readFileSync } from 'node:fs';
import { type Operation, openapi, operations } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { docsPage } from '../src/http/docs.ts';
import { type Reply, type Service, startService } from './harness.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** What a reader sees: no tags, and entities as the characters they stand for. */
const textOf = (page: string): string =>
  page.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] as string);

const attributes = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

describe('the documentation of a running service', () => {
  let service: Service;
  let reply: Reply;
  beforeAll(async () => {
    service = await startService();
    reply = await service.call('GET', '/docs');
  });

  test('is a page that may run nothing and load nothing', () => {
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.text).not.toMatch(/<script|<link|<img|<iframe|javascript:|@import|url\(|\son\w+=/i);
    expect(attributes(reply.text, 'src')).toEqual([]);
  });

  test('links to itself and to the document alone, and no link is dead', () => {
    const links = attributes(reply.text, 'href');
    expect(links.filter((link) => !link.startsWith('#') && link !== '/openapi.json')).toEqual([]);
    const ids = attributes(reply.text, 'id');
    expect(ids.length).toBe(new Set(ids).size);
    const known = new Set(ids.map((id) => `#${id}`));
    expect(links.filter((link) => link.startsWith('#') && !known.has(link))).toEqual([]);
  });

  test.each(Object.entries(operations as Record<string, Operation>))('shows %s', (id, { method, path, summary }) => {
    const from = reply.text.indexOf(`<article class="operation" id="op-${id}"`);
    expect(from).toBeGreaterThan(0);
    const section = textOf(reply.text.slice(from, reply.text.indexOf('</article>', from)));
    expect(section).toContain(summary);
    expect(section).toContain(`${method} ${path}`);
    expect(section).toContain('curl ');
    for (const status of [401, 403, 429, 500, 503]) expect(section).toContain(String(status));
  });

  test('has its headings in order', () => {
    const levels = [...reply.text.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  });

  test('is made from the document that is checked in', async () => {
    const { json } = await service.call('GET', '/openapi.json');
    expect(json).toEqual(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')));
  });
});

const HOSTILE = `"><script>alert('1')</script>\`<img src=x onerror=alert(2)>\` & <!-- `;

/** Names of elements and attributes: a quote that got out of its attribute would leave a word that no page has. */
const wordsOf = (page: string): Set<string> =>
  new Set([...page.matchAll(/<[^>]*>/g)].flatMap(([tag]) => tag.replaceAll(/"[^"]*"/g, '').split(/[\s<>]+/)));

test('text of a document is text on the page, wherever it stands', () => {
  const ordinary = wordsOf(docsPage(openapi('0') as never));
  const schema = {
    type: 'object',
    description: HOSTILE,
    required: [HOSTILE],
    properties: {
      [HOSTILE]: { type: HOSTILE, format: HOSTILE, description: HOSTILE, default: HOSTILE, examples: [HOSTILE] },
      list: {
        type: 'array',
        items: { type: 'object', properties: { [HOSTILE]: { enum: [HOSTILE], pattern: HOSTILE } } },
      },
      other: { $ref: `#/components/schemas/${HOSTILE}` },
      either: { anyOf: [{ const: HOSTILE }, { type: 'null' }] },
    },
  };
  const content = { 'application/json': { schema, example: { [HOSTILE]: HOSTILE } } };
  const parameter = { name: HOSTILE, in: HOSTILE, description: HOSTILE, schema: { examples: [HOSTILE] } };
  const page = docsPage({
    info: { title: HOSTILE, version: HOSTILE, summary: HOSTILE, description: HOSTILE },
    tags: [{ name: HOSTILE, description: HOSTILE }],
    paths: {
      [`/${HOSTILE}/{id}`]: {
        [HOSTILE]: {
          operationId: HOSTILE,
          tags: [HOSTILE],
          summary: HOSTILE,
          description: HOSTILE,
          parameters: [
            parameter,
            { ...parameter, in: 'query' },
            { ...parameter, $ref: `#/components/parameters/${HOSTILE}` },
          ],
          requestBody: { content },
          responses: {
            200: { description: HOSTILE, content },
            [HOSTILE]: { description: HOSTILE },
            400: { description: HOSTILE },
          },
        },
      },
    },
    components: {
      schemas: { [HOSTILE]: schema },
      parameters: { [HOSTILE]: parameter },
      headers: { [HOSTILE]: { description: HOSTILE } },
    },
  });
  expect(page).not.toMatch(/<script|<img|<!--/);
  expect([...wordsOf(page)].filter((word) => !ordinary.has(word))).toEqual([]);
  expect(textOf(page)).toContain(`alert('1')`);
});

test('a document without anything but its name makes a page too', () => {
  const page = docsPage({ info: { title: 'Bare', version: '0' }, paths: {} });
  expect(page).toContain('<h1>Bare API reference</h1>');
});

test('a reference that leads to itself ends', () => {
  const responses = { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } } } };
  const paths = { '/loop': { get: { operationId: 'loop', responses } } };
  const components = { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } };
  expect(docsPage({ info: { title: 'Loop', version: '0' }, paths, components })).toContain('/loop');
});
