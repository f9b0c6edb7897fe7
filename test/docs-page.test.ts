import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browser, PATIENCE_MS } from '../device/test/chromium.ts';
import { CHROMIUM } from '../scripts/find-chromium.ts';
import { type Service, startService } from '../server/test/fixtures/harness.ts';

const GUIDES = readdirSync(new URL('../docs/', import.meta.url))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `/docs/guides/${file.slice(0, -'.md'.length)}`);

type Tab = Awaited<ReturnType<Awaited<ReturnType<typeof browser>>['newPage']>>;

describe.skipIf(CHROMIUM === undefined)('the documentation in a browser', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let tab: Tab;
  const errors: string[] = [];
  beforeAll(async () => {
    service = await startService();
    tab = await (await browser()).newPage();
    tab.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    tab.on('pageerror', (error) => errors.push(error.message));
  });
  afterAll(async () => {
    await tab.close();
    // A style or script that the policy refuses is an error on the console.
    expect(errors).toEqual([]);
  });

  /** Opens a page, unless it is open: a busy machine takes seconds to lay out the reference. */
  const open = async (path: string): Promise<void> => {
    if (tab.url().split('#')[0] !== service.url + path) await tab.goto(service.url + path);
  };

  test('the examples call the address that the page was loaded from', async () => {
    await open('/docs');
    expect(await tab.locator('#quick-start').innerText()).toContain(`export PORTCULLIS_URL=${service.url}`);
    expect(await tab.locator('#op-screenTransaction .command code').innerText()).toContain(
      `curl "${service.url}/v1/transactions/screen"`,
    );
    expect(await tab.locator('main').innerText()).not.toContain('127.0.0.1:8080');
  });

  test('a copy button copies the whole command', async () => {
    await open('/docs');
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const panel = tab.locator('#op-getCase .command');
    await panel.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => panel.locator('.copy').innerText()).toBe('Copied');
    // Runs in the page, whose types are not those of this file.
    const copied = await tab.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(await panel.locator('code').innerText());
    expect(copied).toContain(`${service.url}/v1/cases/case_`);
  });

  test('leads from an error to its explanation', async () => {
    const { json } = await service.call('GET', '/v1/cases');
    await tab.goto(service.url + json.error.doc_url);
    const place = tab.locator('#error-missing_api_key');
    expect(await place.innerText()).toBe('missing_api_key');
    await expect.poll(async () => (await place.boundingBox())?.y).toBeLessThan(800);
  });

  test('a search without a match says so', async () => {
    await open('/docs');
    await tab.keyboard.press('/');
    await tab.keyboard.type('qqqqqq');
    await expect.poll(() => tab.locator('#results').innerText()).toBe('Nothing found.');
  });

  describe('on a screen of 390 pixels', () => {
    beforeAll(() => tab.setViewportSize({ width: 390, height: 844 }));
    afterAll(() => tab.setViewportSize({ width: 1280, height: 800 }));

    test.each(['/docs', ...GUIDES])('%s fits without scrolling sideways', async (path) => {
      await open(path);
      const width = 'document.documentElement.scrollWidth';
      expect(await tab.evaluate(width)).toBe(390);
      await tab.goto(`${service.url}${path}#contents`);
      expect(await tab.evaluate(width)).toBe(390);
      expect(await tab.locator('#search input').isVisible()).toBe(true);
    });
  });

  test.each([
    ['resolve case', '/docs#op-resolveCase'],
    ['idempotency_key_reused', '/docs#error-idempotency_key_reused'],
    ['rotating the secret', '/docs/guides/webhooks#rotating-the-secret'],
  ])('a search for "%s" leads to %s', async (query, target) => {
    await open('/docs/guides/labels');
    await tab.keyboard.press('/');
    await tab.keyboard.type(query);
    await tab.locator(`#results a[href="${target}"]`).click();
    await tab.waitForURL(`${service.url}${target}`);
    expect(await tab.locator(`[id="${target.split('#')[1]}"]`).isVisible()).toBe(true);
  });
});
