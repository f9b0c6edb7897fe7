import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startService } from '../fixtures/harness.ts';

const service = await startService();
const shipped = readFileSync(new URL('../../sdk/device.js', import.meta.url));
const VERSION = /^\/\*! @portcullis\/device (\S+),/.exec(shipped.toString('utf8'))?.[1] as string;
const PATH = '/sdk/device.js';

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.call(method, path, { headers: { 'Accept-Encoding': 'identity', ...headers } });

describe(PATH, () => {
  test('is the shipped script, for any page, without a key', async () => {
    const { status, text, headers } = await ask(PATH);
    expect([status, text === shipped.toString('utf8')]).toEqual([200, true]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
      vary: 'Accept-Encoding',
    });
  });

  test('with its version may be cached for a year', async () => {
    const { status, headers } = await ask(`${PATH}?v=${VERSION}`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  test.each(['9.9.9', '', `${VERSION}&v=${VERSION}`])(
    'with another version, "%s", is 404 and not cached',
    async (v) => {
      const { status, json, headers } = await ask(`${PATH}?v=${v}`);
      expect([status, json.error.code, headers.get('cache-control')]).toEqual([404, 'not_found', 'no-store']);
      expect(json.error.message).toContain(VERSION);
    },
  );

  test('is compressed for callers that accept it, with an ETag of its own', async () => {
    const plain = await ask(PATH);
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const response = await service.app.http.inject({ url: PATH, headers: { 'accept-encoding': encoding } });
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(decode(response.rawPayload).equals(shipped)).toBe(true);
      expect(response.headers.etag).not.toBe(plain.headers.get('etag'));
    }
    for (const refused of ['deflate', 'gzip;q=0', 'identity, gzip; q=0.0', `${'x,'.repeat(300)}gzip`]) {
      const { headers } = await service.app.http.inject({ url: PATH, headers: { 'accept-encoding': refused } });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  test('is not sent again to callers that have it', async () => {
    const etag = (await ask(PATH)).headers.get('etag') as string;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await ask(PATH, { 'If-None-Match': known });
      expect([status, text, headers.get('etag')]).toEqual([304, '', etag]);
      expect(headers.get('cache-control')).toBe('public, max-age=300');
    }
    expect((await ask(PATH, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('HEAD gives its size, and other methods are refused', async () => {
    const head = await ask(PATH, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(shipped.length)]);
    const post = await ask(PATH, {}, 'POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
