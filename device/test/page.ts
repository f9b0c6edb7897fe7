import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { buildModule, buildScript } from '../../scripts/sdk-build.ts';
import { afterEachFile, takeAll } from '../../server/test/fixtures/after-file.ts';
import { readToken, type TokenContent } from './verify.ts';

const shops = new Set<Server>();
afterEachFile(async () => {
  for (const shop of takeAll(shops)) shop.close();
});

/** Serves pages with the script built from the current sources. Query parameters become response headers. */
export const startShop = async (): Promise<(query?: { headers?: Record<string, string>; host?: string }) => string> => {
  const scripts: Record<string, string> = { '/device.js': await buildScript(), '/module.js': await buildModule() };
  const page = '<!doctype html><title>A shop</title><script src="/device.js"></script><p>Pay here';
  const server = createServer((request, response) => {
    const url = new URL(request.url as string, 'http://shop');
    const script = scripts[url.pathname];
    const type = { 'Content-Type': script === undefined ? 'text/html' : 'text/javascript' };
    response.writeHead(200, { ...type, ...Object.fromEntries(url.searchParams) }).end(script ?? page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shops.add(server);
  const { port } = server.address() as AddressInfo;
  return ({ headers = {}, host = '127.0.0.1' } = {}) => `http://${host}:${port}/?${new URLSearchParams(headers)}`;
};

/** Records the requests, console messages and errors of a page. The SDK must cause none. */
export const watch = (page: Page) => {
  const seen = { requests: [] as string[], console: [] as string[], errors: [] as string[] };
  page.on('request', (request) => seen.requests.push(new URL(request.url()).pathname));
  page.on('console', (message) => seen.console.push(message.text()));
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  return seen;
};
/** Only the page and its script were requested. */
export const NOTHING_ELSE = { requests: ['/', '/device.js'], console: [], errors: [] };

export const tokenOf = (page: Page): Promise<string> => page.evaluate<string>('Portcullis.getDeviceToken()');

/** The content of the first complete token. On a busy machine, half a second may be too short for all components. */
export const completeContent = async (
  page: Page,
  isEnough = ({ missing }: TokenContent) => missing.length === 0,
): Promise<TokenContent> => {
  for (;;) {
    const { content } = readToken(await tokenOf(page));
    if (isEnough(content)) return content;
  }
};
export const hasStoredKey = ({ kept, missing }: TokenContent): boolean => kept && missing.length === 0;
