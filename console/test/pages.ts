import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { browser } from '../../device/test/chromium.ts';
import { client, type Json, REVIEW_IP, type Service } from '../../server/test/fixtures/harness.ts';
import { PASSWORD } from '../../server/test/fixtures/people.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What no page may do: refuse something by its policy, fail, or ask another host. */
export const faults: string[] = [];
/** Responses that a test brings about on purpose are errors on the console, too. */
const isExpected = (text: string): boolean =>
  /the server responded with a status of (?:400|401|403|404|409|429|503)/.test(text);

const watch = (page: Page, origin: string): void => {
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(request.url());
  });
};

/** Long enough for a busy machine. */
const WAIT_MS = 20_000;

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a page of production. */
  readonly open: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}
export const openTab = async (
  service: Service,
  options: { colorScheme?: 'light' | 'dark'; width?: number } = {},
): Promise<Tab> => {
  const { colorScheme = 'light', width = 1280 } = options;
  const context = await (await browser()).newContext({
    colorScheme,
    viewport: { width, height: 860 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  watch(page, service.url);
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
/** What axe finds on the page, by WCAG 2.2 A and AA and by best practice. */
export const violationsOf = async (page: Page): Promise<readonly string[]> => {
  // Through the debugger: the policy of the page allows no script of ours.
  await page.evaluate(axe);
  const found = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((result) => result.violations)",
  )) as readonly Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
};
