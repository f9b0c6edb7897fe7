import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ERROR_STATUSES, type Operation, openapi, operations } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { docsPage } from '../../src/docs-page/page.ts';
import { type Reply, type Service, startService } from '../fixtures/harness.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** The text of a page, without tags and with entities decoded. */
const textOf = (page: string): string =>
  page.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] as string);

const attributes = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

const idsOf = (page: string): string[] => attributes(page, 'id');

describe('/docs', () => {
  let service: Service;
  let reply: Reply;
  beforeAll(async () => {
    service = await startService();
    reply = await service.call('GET', '/docs');
  });

  test('allows its own style and script by their hashes and loads nothing else', () => {
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    const hashOf = (element: string): string => {
      const [, text = '', ...more] = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, 's').exec(reply.text) ?? [];
      expect(more).toEqual([]);
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    expect(reply.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; img-src 'self'; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(reply.text.match(/<script/g)).toHaveLength(1);
    expect(reply.text).not.toMatch(/<link|<img|<iframe|javascript:|@import|url\(|\son\w+=|\sstyle=/i);
    expect(attributes(reply.text, 'src')).toEqual([]);
  });

  test('has no dead link', async () => {
    const links = attributes(reply.text, 'href');
    const ids = idsOf(reply.text);
    expect(ids.length).toBe(new Set(ids).size);
    const known = new Set(ids.map((id) => `#${id}`));
    expect(links.filter((link) => link.startsWith('#') && !known.has(link))).toEqual([]);
    const others = new Set(links.filter((link) => !link.startsWith('#')));
    expect([...others].filter((link) => !/^\/(?:docs|docs\/guides\/[a-z-]+|openapi\.json)$/.test(link))).toEqual([]);
    for (const link of others) expect([link, (await service.call('GET', link)).status]).toEqual([link, 200]);
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

  test.each(Object.keys(ERROR_STATUSES))('explains the error %s at its anchor', (code) => {
    const at = reply.text.indexOf(`<code id="error-${code}">`);
    expect(at).toBeGreaterThan(0);
    const row = textOf(reply.text.slice(at, reply.text.indexOf('</tr>', at)));
    expect(row.length).toBeGreaterThan(code.length + 20);
  });

  test('has its headings in order', () => {
    const levels = [...reply.text.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  });

  test('is made from the checked-in document', async () => {
    const { json } = await service.call('GET', '/openapi.json');
    expect(json).toEqual(JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')));
  });

  test.each(['/docs', '/openapi.json', '/docs/search.json', '/docs/guides/webhooks'])(
    '%s is compressed for callers that accept it and not sent again to those that have it',
    async (url) => {
      const ask = (headers: Record<string, string>) => service.app.http.inject({ url, headers });
      const plain = await ask({});
      expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined]);
      expect([plain.headers['cache-control'], plain.headers.vary]).toEqual(['no-cache', 'Accept-Encoding']);
      const zipped = await ask({ 'accept-encoding': 'gzip' });
      const brotli = await ask({ 'accept-encoding': 'gzip, deflate, br' });
      expect([zipped.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br']);
      expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true);
      const etags = [plain, zipped, brotli].map(({ headers }) => String(headers.etag));
      expect(new Set(etags).size).toBe(3);
      const again = await ask({ 'accept-encoding': 'br', 'if-none-match': String(brotli.headers.etag) });
      expect([again.statusCode, again.payload]).toEqual([304, '']);
    },
  );

  test('every guide has a page whose links to guides lead to headings that exist', async () => {
    const files = readdirSync(new URL('../../../docs/', import.meta.url)).filter((file) => file.endsWith('.md'));
    expect(files.length).toBeGreaterThan(10);
    const names = files.map((file) => file.slice(0, -3));
    expect(
      attributes(reply.text, 'href')
        .filter((link) => link.startsWith('/docs/guides/'))
        .sort(),
    ).toEqual(names.map((name) => `/docs/guides/${name}`).sort());
    const pages = new Map<string, Reply>();
    for (const name of names) pages.set(`/docs/guides/${name}`, await service.call('GET', `/docs/guides/${name}`));
    for (const [url, { status, text, headers }] of pages) {
      expect([url, status, headers.get('content-security-policy')?.slice(0, 18)]).toEqual([
        url,
        200,
        "default-src 'none'",
      ]);
      expect(text.match(/<h1/g)).toHaveLength(1);
      expect(text).not.toMatch(/<!--|\sstyle=|\son\w+=/);
      const ids = idsOf(text);
      expect(ids.length).toBe(new Set(ids).size);
      for (const link of attributes(text, 'href')) {
        if (/^https?:/.test(link) || link === '/docs' || link === '/openapi.json') continue;
        const [path = '', hash] = link.split('#');
        const target = pages.get(path === '' ? url : path);
        expect(target?.status, `${url} links to ${link}`).toBe(200);
        if (hash !== undefined) expect(idsOf(target?.text ?? ''), `${url} links to ${link}`).toContain(hash);
      }
      for (const picture of attributes(text, 'src')) {
        const answer = await service.call('GET', picture);
        expect([picture, answer.status, answer.headers.get('content-type')]).toEqual([picture, 200, 'image/webp']);
      }
    }
  });

  test.each(['nothing', '..%2f..%2fREADME', 'adr', 'api-guide.md', '__proto__'])(
    'there is no guide %s',
    async (name) => {
      const { status, json } = await service.call('GET', `/docs/guides/${name}`);
      expect([status, json.error.code]).toEqual([404, 'not_found']);
    },
  );

  test('the search index leads to places that exist', async () => {
    const { json } = await service.call('GET', '/docs/search.json');
    const entries = json as { title: string; place: string; url: string; text: string }[];
    expect(entries.length).toBeGreaterThan(300);
    const ids = new Map<string, Set<string>>();
    for (const { title, url } of entries) {
      expect(title.length).toBeGreaterThan(0);
      const [path = '', hash = ''] = url.split('#');
      if (!ids.has(path)) ids.set(path, new Set(idsOf((await service.call('GET', path)).text)));
      expect(hash === '' || ids.get(path)?.has(hash), url).toBe(true);
    }
  });
});

const HOSTILE = `"><script>alert('1')</script>\`<img src=x onerror=alert(2)>\` & <!-- `;

/** Names of elements and attributes, without the script. A quote that escaped its attribute would add a new word. */
const wordsOf = (page: string): Set<string> =>
  new Set(
    [...page.replace(/<script.*<\/script>/s, '').matchAll(/<[^>]*>/g)].flatMap(([tag]) =>
      tag.replaceAll(/"[^"]*"/g, '').split(/[\s<>]+/),
    ),
  );

test('escapes text of a document wherever it stands', () => {
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
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/<img|<!--/);
  expect([...wordsOf(page)].filter((word) => !ordinary.has(word))).toEqual([]);
  expect(textOf(page)).toContain(`alert('1')`);
});

test('makes a page of a document with nothing but a name', () => {
  const page = docsPage({ info: { title: 'Bare', version: '0' }, paths: {} });
  expect(page).toContain('<h1>Bare API reference</h1>');
});

test('ends a reference that leads to itself', () => {
  const responses = { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Loop' } } } } };
  const paths = { '/loop': { get: { operationId: 'loop', responses } } };
  const components = { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } };
  expect(docsPage({ info: { title: 'Loop', version: '0' }, paths, components })).toContain('/loop');
});
