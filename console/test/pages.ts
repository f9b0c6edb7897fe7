import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { browser } from '../../device/test/chromium.ts';
import { afterEachFile, takeAll } from '../../server/test/fixtures/after-file.ts';
import { client, type Json, REVIEW_IP, type Service } from '../../server/test/fixtures/harness.ts';
import { PASSWORD } from '../../server/test/fixtures/people.ts';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What no page may do: refuse something by its policy, fail, or ask another host. */
export const faults: string[] = [];
/** Responses that a test brings about on purpose are errors on the console, too. */
const isExpected = (text: string): boolean =>
  /the server responded with a status of (?:400|401|403|404|409|424|429|503)/.test(text);

const watch = (page: Page, origins: readonly string[], expected: RegExp | undefined): void => {
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !isExpected(text) && expected?.test(text) !== true) faults.push(text);
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    const isOurs = [...origins, 'data:'].some((origin) => request.url().startsWith(origin));
    if (!isOurs) faults.push(request.url());
  });
};

const contexts = new Set<BrowserContext>();
// Files share a process. A page that outlived its service would report its failed requests to the next file.
afterEachFile(async () => {
  for (const context of takeAll(contexts)) await context.close();
  faults.length = 0;
});

/** Long enough for a busy machine. */
const WAIT_MS = 40_000;

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a page of production. */
  readonly open: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}
export const openTab = async (
  service: Service,
  options: {
    colorScheme?: 'light' | 'dark';
    width?: number;
    /** Another origin that the page may ask, such as an identity provider. */
    other?: string;
    /** Further errors that a test brings about. */
    expected?: RegExp;
  } = {},
): Promise<Tab> => {
  const { colorScheme = 'light', width = 1280, other, expected } = options;
  const context = await (await browser()).newContext({
    colorScheme,
    viewport: { width, height: 860 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  contexts.add(context);
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  watch(page, other === undefined ? [service.url] : [service.url, other], expected);
  return {
    page,
    context,
    open: async (path) => void (await page.goto(`${service.url}/console/production${path}`)),
    close: () => context.close(),
  };
};

/** Signs in on the page, as a person does. */
export const signIn = async ({ page }: Tab, email: string): Promise<void> => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
};

/** Opens cases of payments, the oldest first. */
export const makeCases = async (
  service: Service,
  users: readonly string[],
  more: Record<string, unknown> = {},
): Promise<readonly Json[]> => {
  const { pay } = client(service, await service.key({ environment: 'production' }));
  const made: Json[] = [];
  for (const user_id of users) {
    const body = {
      user_id,
      amount: 49.9,
      currency: 'EUR',
      ip_address: REVIEW_IP,
      email: `${made.length}@example.com`,
      ...more,
    };
    const { json } = await pay(body);
    expect(json.decision).toBe('review');
    made.push(json);
  }
  return made;
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
/** What axe finds on the page, by WCAG 2.2 A and AA and by best practice, or by single rules. */
export const violationsOf = async (page: Page, only: readonly string[] = STANDARDS): Promise<readonly string[]> => {
  // Through the debugger: the policy of the page allows no script of ours.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  // Without `resultTypes`, axe describes every element that is right, which takes most of its time. It would also fetch
  // style sheets and media again, which no rule here needs.
  const options = JSON.stringify({ runOnly: only, resultTypes: ['violations'], preload: false });
  const found = (await page.evaluate(
    `axe.run(document, ${options}).then((result) => result.violations)`,
  )) as readonly Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
};

/** Names and structure do not depend on the colours, so the dark look is tried by the rules on colours alone. */
const LOOKS = [
  { colorScheme: 'light', width: 1280, only: STANDARDS },
  { colorScheme: 'dark', width: 1280, only: ['color-contrast', 'link-in-text-block'] },
  { colorScheme: 'light', width: 390, only: STANDARDS },
] as const;
/**
 * Ends transitions, for instance of one colour to the next: axe would judge a colour on its way. The end of one may
 * start another in an element that inherits the colour, so it goes on until a frame has none.
 */
const END_TRANSITIONS = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  let running;
  do {
    await frame();
    await frame();
    running = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity);
    for (const one of running) one.finish();
  } while (running.length > 0);
})()`;
/** The open page has no violation, light, dark and on a phone, and is never wider than the screen. */
export const expectAccessible = async (page: Page): Promise<void> => {
  const path = page.url();
  for (const { colorScheme, width, only } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 860 });
    await expect
      .poll(async () => [path, await page.evaluate('document.documentElement.scrollWidth')])
      .toEqual([path, width]);
    await page.evaluate(END_TRANSITIONS);
    expect([path, colorScheme, width, await violationsOf(page, only)]).toEqual([path, colorScheme, width, []]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 860 });
};
