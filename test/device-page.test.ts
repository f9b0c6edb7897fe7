import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { browser, PATIENCE_MS } from '../device/test/chromium.ts';
import { readToken } from '../device/test/verify.ts';
import { CHROMIUM } from '../scripts/find-chromium.ts';
import { startService } from '../server/test/fixtures/harness.ts';
import { blocksOf } from './page-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/device.md'), 'utf8');
const snippet = (language: string): string => {
  const [block, ...more] = blocksOf(page).filter((block) => block.language === language);
  expect(more).toEqual([]);
  return block?.text as string;
};

describe('docs/device.md', { timeout: PATIENCE_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-device-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.skipIf(CHROMIUM === undefined)('has a tag and code that send a token from a page to its server', async () => {
    const service = await startService();
    let received = '';
    let tag = snippet('html').replace('https://fraud.example.com', service.url);
    const shop = createServer((request, response) => {
      if (request.url === '/checkout') {
        request.setEncoding('utf8').on('data', (text: string) => {
          received += text;
        });
        request.on('end', () => response.writeHead(204).end());
      } else {
        response.writeHead(200, { 'Content-Type': 'text/html' });
        response.end(`<!doctype html>${tag}<script type="module">${snippet('js')}</script>`);
      }
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;

    const tab = await (await browser()).newPage();
    await tab.goto(address);
    await expect.poll(() => received).not.toBe('');
    expect(readToken(JSON.parse(received).device_token).isGenuine).toBe(true);

    // A script with another hash does not run, and the checkout still works.
    received = '';
    tag = tag.replace(/sha384-.{8}/, 'sha384-AAAAAAAA');
    await tab.goto(address);
    await expect.poll(() => received).not.toBe('');
    expect(JSON.parse(received)).toEqual({ basket: 'b_17' });
    await tab.close();
    shop.close();
  });

  test('names the command that builds a package with types', () => {
    const [, command] = /`(npm pack --workspace @portcullis\/device)`/.exec(page) as unknown as [string, string];
    const [, ...args] = `${command} --silent --pack-destination ${folder}`.split(' ');
    const made = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim();
    const installed = join(folder, 'node_modules/@portcullis/device');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['xzf', join(folder, made), '-C', installed, '--strip-components=1']);

    writeFileSync(
      join(folder, 'index.mts'),
      `${snippet('ts')}\nexport const token: Promise<string> = getDeviceToken();\n`,
    );
    const print = "import('@portcullis/device').then((it) => console.log(Object.keys(it).join()))";
    expect(execFileSync('node', ['--eval', print], { cwd: folder, encoding: 'utf8' }).trim()).toBe('getDeviceToken');
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--skipLibCheck', 'false', 'index.mts'];
    execFileSync(join(root, 'node_modules/.bin/tsc'), strict, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  });
});
