import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startService } from '../fixtures/harness.ts';

const service = await startService();
const FOLDER = new URL('../../console/', import.meta.url);
const page = () => service.call('GET', '/console/production/cases?view=mine');
const baseOf = (html: string): string => /src="(\/console\/~[\w-]{16}\/)index\.js"/.exec(html)?.[1] as string;

describe('the page of the console', () => {
  test('is the same at every path, and never cached', async () => {
    for (const path of ['/console', '/console/', '/console/sandbox', '/console/start']) {
      const { status, text, headers } = await service.call('GET', path);
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(text).toContain('<div id="root">');
    }
  });

  test('has a policy without inline scripts and a nonce that no other response has', async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 3; count++) {
      const { text, headers } = await page();
      const policy = headers.get('content-security-policy') as string;
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1] as string;
      expect(text).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
      expect(text).not.toContain('__NONCE__');
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  test('loads files that browsers keep for a year, compressed, each with its type', async () => {
    const base = baseOf((await page()).text);
    for (const name of readdirSync(FOLDER).filter((one) => one !== 'index.html')) {
      const reply = await service.app.http.inject({ url: base + name, headers: { 'accept-encoding': 'gzip' } });
      expect([name, reply.statusCode, reply.headers['content-encoding']]).toEqual([name, 200, 'gzip']);
      expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
      expect(gunzipSync(reply.rawPayload).equals(readFileSync(new URL(name, FOLDER)))).toBe(true);
    }
  });

  test('a file of another version, or outside of the folder, is 404 and not cached', async () => {
    const base = baseOf((await page()).text);
    for (const path of ['/console/~AAAAAAAAAAAAAAAA/index.js', `${base}none.js`, `${base}..%2f..%2fpackage.json`]) {
      const { status, headers } = await service.call('GET', path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 404, 'no-store']);
    }
  });

  test('gives its icon to pages that name none', async () => {
    const { status, headers } = await service.call('GET', '/favicon.ico');
    expect([status, headers.get('location')]).toEqual([302, `${baseOf((await page()).text)}icon.svg`]);
    expect((await service.call('GET', headers.get('location') as string)).headers.get('content-type')).toContain('svg');
  });

  test('takes GET alone', async () => {
    expect((await service.call('POST', '/console')).status).toBe(405);
  });
});
