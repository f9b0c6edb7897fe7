import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { makeProgress } from '../server/src/runtime/progress-bar.ts';
import { CHROMIUM } from './find-chromium.ts';

/**
 * `npm run screenshots` takes a picture of every page of the console, in light and dark colours and on a phone, and
 * writes them to docs/console/. It starts the demo for that, so the pictures show what a visitor sees.
 */
const FOLDER = fileURLToPath(new URL('../docs/console/', import.meta.url));
const PORTCULLIS = fileURLToPath(new URL('../server/bin/portcullis.js', import.meta.url));
const QUALITY = 0.82;
const PATIENCE_MS = 60_000;
const SETTLED_MS = 700;

const DESK = { width: 1360, height: 850 };
const PHONE = { width: 390, height: 844 };
const LOOKS = [
  ['light', { colorScheme: 'light', viewport: DESK }],
  ['dark', { colorScheme: 'dark', viewport: DESK }],
  ['phone', { colorScheme: 'light', viewport: PHONE }],
] as const;

/** Pages of one thing, the first that a page links to: that page, or the thing before, and the start of its address. */
const THINGS = [
  ['case', '/cases', '/cases/case_'],
  ['decision', 'case', '/decisions/'],
  ['user', 'case', '/users/'],
  ['rule', '/rules', '/rules/'],
  ['list', '/lists', '/lists/no_delivery'],
  ['backtest', '/backtests', '/backtests/'],
  ['webhook', '/webhooks', '/webhooks/'],
] as const;

const startDemo = async (): Promise<{ readonly link: string; readonly stop: () => Promise<unknown> }> => {
  const child = spawn(process.execPath, [PORTCULLIS, 'demo', '--no-open'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [link] = /http:\S+\/console\/start#\S+/.exec(line) ?? [];
    if (link === undefined) continue;
    child.stdout.resume();
    return {
      link,
      stop: () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
  }
  throw new Error('The demo ended before it printed the link to the console.');
};

/** Makes the first administrator. Returns the cookies of the session. */
const signIn = async (browser: Browser, link: string) => {
  const context = await browser.newContext({ viewport: DESK });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('Your name').fill('Mara Lind');
  await page.getByLabel('E-mail address').fill('mara@example.com');
  await page.getByLabel('Password', { exact: true }).fill('a picture of a gate');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
};

/** Chromium writes no WebP by itself, but a canvas does. */
const TO_WEBP = `async ([source, quality]) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', quality);
}`;
const toWebp = async (page: Page, png: Buffer): Promise<Buffer> => {
  const source = `data:image/png;base64,${png.toString('base64')}`;
  const url = String(await page.evaluate(`(${TO_WEBP})(${JSON.stringify([source, QUALITY])})`));
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
};

type Address = readonly [name: string, url: string];

const urlOf = async (link: Locator, home: string): Promise<string> =>
  new URL((await link.getAttribute('href')) ?? '', home).href;

/** The pages of the navigation. */
const pagesOf = async (page: Page, home: string): Promise<Address[]> => {
  await page.goto(home);
  const links = page.getByRole('navigation', { name: 'Main' }).locator('a[href*="/production"]');
  await links.first().waitFor();
  return Promise.all(
    (await links.all()).map(async (link): Promise<Address> => {
      const url = await urlOf(link, home);
      const name = new URL(url).pathname.slice(new URL(home).pathname.length + 1);
      return [name === '' ? 'overview' : name, url];
    }),
  );
};

const thingsOf = async (page: Page, home: string): Promise<Address[]> => {
  const things: Address[] = [];
  for (const [name, from, start] of THINGS) {
    await page.goto(things.find(([thing]) => thing === from)?.[1] ?? home + from);
    const link = page.locator(`main a[href*="${start}"]`).first();
    await link.waitFor();
    things.push([name, await urlOf(link, home)]);
  }
  return things;
};

/** Backtests other thresholds than the demo has done. */
const BACKTEST = `fetch('/v1/backtests', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-portcullis-environment': 'production' },
  body: JSON.stringify({ policy: { thresholds: { transaction: { review: 60, block: 80 } } } }),
}).then(({ status }) => status)`;

/** The comparison of two backtests, chosen as a person does. */
const comparisonOf = async (page: Page, home: string): Promise<Address> => {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${home}/backtests`);
  const finished = page.getByRole('checkbox', { disabled: false });
  await finished.first().waitFor();
  const status = await page.evaluate(BACKTEST);
  if (status !== 202) throw new Error(`The backtest was refused with ${status}.`);
  await page.reload();
  await finished.nth(1).waitFor();
  for (const place of [1, 0]) await finished.nth(place).check();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL('**/compare?*');
  return ['compare', page.url()];
};

const demo = await startDemo();
const browser = await chromium.launch({
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  const storageState = await signIn(browser, demo.link);
  const home = `${new URL(demo.link).origin}/console/production`;
  const converter = await (await browser.newContext()).newPage();
  const first = await (await browser.newContext({ storageState, viewport: DESK })).newPage();
  const addresses = [
    ...(await pagesOf(first, home)),
    ...(await thingsOf(first, home)),
    await comparisonOf(first, home),
  ];
  const progress = makeProgress('taking pictures', addresses.length * LOOKS.length);
  mkdirSync(FOLDER, { recursive: true });
  let taken = 0;
  for (const [look, options] of LOOKS) {
    const context = await browser.newContext({ storageState, reducedMotion: 'reduce', locale: 'en-GB', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    for (const [name, url] of addresses) {
      await page.goto(url);
      await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Loading' }).waitFor();
      await page.waitForTimeout(SETTLED_MS);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      writeFileSync(join(FOLDER, `${name}-${look}.webp`), await toWebp(converter, await page.screenshot()));
      progress.at(++taken);
    }
    await context.close();
  }
  progress.end();
} finally {
  await browser.close();
  await demo.stop();
}
