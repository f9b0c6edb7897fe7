import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { buildModule, buildScript } from '../../scripts/sdk-build.ts';
import { afterEachFile, takeAll } from '../../server/test/after-file.ts';
import { readToken, type Said } from './verify.ts';

const shops = new Set<Server>();
afterEachFile(async () => {
  for (const shop of takeAll(shops)) shop.close();
});

/** Pages with the script of the sources as they are now. What the query says comes with the page, as headers. */
export const openShop = async (): Promise<(query?: { headers?: Record<string, string>; host?: string }) => string> => {
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

/** What a page did besides giving a token: nothing of it should be ours. */
export const watch = (page: Page) => {
  const seen = { requests: [] as string[], console: [] as string[], errors: [] as string[] };
  page.on('request', (request) => seen.requests.push(new URL(request.url()).pathname));
  page.on('console', (message) => seen.console.push(message.text()));
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  return seen;
};
/** The page and its script, which the page itself asked for. */
export const NOTHING_ELSE = { requests: ['/', '/device.js'], console: [], errors: [] };

export const tokenOf = (page: Page): Promise<string> => page.evaluate<string>('Portcullis.getDeviceToken()');

/** What a page says when it has had the time it needed: on a machine that is busy, half a second may be too little for all of it. */
export const settled = async (page: Page, isEnough = ({ missing }: Said) => missing.length === 0): Promise<Said> => {
  for (;;) {
    const { said } = readToken(await tokenOf(page));
    if (isEnough(said)) return said;
  }
};
export const isKept = ({ kept, missing }: Said): boolean => kept && missing.length === 0;
