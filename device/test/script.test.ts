import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildModule, buildScript, integrityOf } from '../../scripts/sdk-build.ts';
import { readToken } from './verify.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const shipped = read('server/sdk/device.js');
const { version, dependencies } = JSON.parse(read('device/package.json')) as Record<string, unknown>;

describe('the shipped script', () => {
  test('equals the build of its sources, byte for byte', async () => {
    expect((await buildScript()) === shipped, 'server/sdk/device.js is out of date: run `npm run sdk`').toBe(true);
  });

  test('is small', () => {
    expect(gzipSync(shipped, { level: 9 }).length).toBeLessThan(12 * 1024);
  });

  test('has the hash and version of the documentation', () => {
    const pages = read('docs/device.md');
    const hashes = pages.match(/sha384-[\w+/=]+/g) ?? [];
    expect(hashes.length).toBeGreaterThan(0);
    expect([...new Set(hashes)]).toEqual([integrityOf(shipped)]);
    const versions = [...pages.matchAll(/device\.js\?v=([\d.]+)/g)].map(([, named]) => named);
    expect([...new Set(versions)]).toEqual([version]);
  });

  test('contains no code for requests, logging, cookies or eval', () => {
    const code = shipped.slice(shipped.indexOf('*/'));
    expect(
      code.match(/XMLHttpRequest|fetch|sendBeacon|WebSocket|EventSource|https?:|\bcookie|console|\beval\(/),
    ).toBeNull();
    expect(code.match(/\bWorker\(|\bFunction\(|localStorage|sessionStorage/)).toBeNull();
  });

  test('names its version and the licences of third-party code', () => {
    expect(shipped.startsWith(`/*! @portcullis/device ${version},`)).toBe(true);
    expect(shipped).toContain('Copyright (c) 2025 FingerprintJS, Inc');
    expect(shipped).toContain('The above copyright notice and this permission notice shall be included');
  });
});

describe('the module of the package', () => {
  let module: string;
  beforeAll(async () => {
    module = await buildModule();
  });

  test('has no imports', () => {
    expect(module).not.toMatch(/^import\b|\bimport\(|\brequire\(/m);
    expect(dependencies).toBeUndefined();
  });

  test('can be imported without a page, and its token then identifies no device', async () => {
    const url = `data:text/javascript;base64,${Buffer.from(module).toString('base64')}`;
    const { getDeviceToken } = (await import(url)) as { getDeviceToken: () => Promise<string> };
    const { content, isSigned } = readToken(await getDeviceToken());
    expect([isSigned, content.kept, content.hard, content.soft, content.automation]).toEqual([
      false,
      false,
      {},
      {},
      [],
    ]);
    expect(content).not.toHaveProperty('key');
    expect(content.missing).toContain('platform');
  });
});
