import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type PortcullisClient } from '../client/src/index.ts';
import { makeProfile, PATIENCE_MS, withProfile } from '../device/test/chromium.ts';
import { completeContent, hasStoredKey } from '../device/test/page.ts';
import { CHROMIUM } from '../scripts/find-chromium.ts';
import { REVIEW_IP, startService } from '../server/test/fixtures/harness.ts';
import { type Example, startExample } from './example-process.ts';

const OUTCOMES = { allow: 'paid', review: 'held', block: 'declined' };
/** Each browser has its own address. Otherwise many payments from one address would raise signals. */
const from = (address: string) => ({ extraHTTPHeaders: { 'x-forwarded-for': address } });
/** A browser that does not report that a program controls it, like that of a person. */
const OF_A_PERSON = {
  args: ['--disable-blink-features=AutomationControlled'],
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
};
/** Signals that a new token per order never raises. */
const OF_BAD_TOKENS = ['tampered_token', 'replayed_token', 'old_token', 'unproven_device'];

describe.skipIf(CHROMIUM === undefined)('the example shop in a browser', { timeout: PATIENCE_MS }, () => {
  let shop: Example;
  let portcullis: PortcullisClient;
  beforeAll(async () => {
    const service = await startService();
    shop = await startExample('shop/shop.ts', {
      PORTCULLIS_URL: service.url,
      PORTCULLIS_KEY: await service.key({ role: 'service' }),
      BEHIND_PROXY: '1',
    });
    portcullis = createClient({ url: service.url, apiKey: await service.key() });
  }, PATIENCE_MS);
  afterAll(() => shop?.stop());

  /** Opens the page and waits for the SDK: on a busy machine a complete token can take more than half a second. */
  const openPage = async (page: Page): Promise<void> => {
    await page.goto(shop.url);
    await page.waitForFunction('globalThis.Portcullis !== undefined');
    await completeContent(page, hasStoredKey);
  };
  /** Fills in the page, presses the button and returns the text of the page. */
  const press = async (page: Page, customer: string): Promise<string | null> => {
    await page.getByLabel('Customer').fill(customer);
    await page.getByRole('button', { name: 'Pay' }).click();
    const output = page.locator('output[data-outcome]');
    await output.waitFor();
    return output.getAttribute('data-outcome');
  };
  /** The stored screening of the order on the page, which must match the response. */
  const screened = async (page: Page, customer: string) => {
    const order = await page.locator('form').getAttribute('data-order');
    const id = await shop.printed(new RegExp(`(?<=^order ${order}: \\w+ )txn_\\w+`, 'm'));
    const stored = await portcullis.transactions.get(id);
    expect(stored.user_id).toBe(customer);
    const outcome = await page.locator('output').getAttribute('data-outcome');
    expect(outcome).toBe(OUTCOMES[stored.decision]);
    const { devices } = await portcullis.users.getRiskProfile(customer);
    return { ...stored, outcome, devices: devices.map(({ device_token }) => device_token) };
  };
  const buy = async (page: Page, customer: string) => {
    await openPage(page);
    await press(page, customer);
    return screened(page, customer);
  };
  /** Lets customers pay one after the other, in one browser session of a profile. */
  const buyAll = (profile: string, address: string, customers: readonly string[], browser = {}) =>
    withProfile(profile, { ...from(address), ...browser }, async (context) => {
      const page = await context.newPage();
      const bought = [];
      for (const customer of customers) bought.push(await buy(page, customer));
      return bought;
    });

  test('holds the payment of the third customer of one browser, and accepts none after it', async () => {
    const profile = makeProfile();
    const before = await buyAll(profile, '198.51.100.1', ['ada', 'bob'], OF_A_PERSON);
    const after = await buyAll(profile, '198.51.100.1', ['cleo', 'dan', 'eve'], OF_A_PERSON);
    const bought = [...before, ...after];
    const hasSignal = (signal: string) => bought.map(({ signals }) => signals.includes(signal));
    expect(hasSignal('device_many_users')).toEqual([false, false, true, true, true]);
    expect(hasSignal('shared_device')).toEqual([false, false, false, false, true]);
    expect(hasSignal('automated_browser')).toEqual([false, false, false, false, false]);
    for (const { signals } of bought) expect(signals.filter((one) => OF_BAD_TOKENS.includes(one))).toEqual([]);
    expect(bought.map(({ outcome }) => outcome === 'paid')).toEqual([true, true, false, false, false]);
    expect(bought[2]?.outcome).toBe('held');
    const devices = new Set(bought.flatMap((one) => one.devices));
    expect([...devices]).toEqual([expect.stringMatching(/^dvk_/)]);
    for (const one of bought) expect(one.devices).toEqual([...devices]);

    const [other] = await buyAll(makeProfile(), '198.51.100.2', ['gus']);
    expect(other?.outcome).toBe('paid');
    expect(other?.signals).toContain('automated_browser');
    for (const signal of ['device_many_users', 'shared_device']) expect(other?.signals).not.toContain(signal);
    expect(other?.devices).toEqual([expect.stringMatching(/^dvk_/)]);
    expect(other?.devices).not.toEqual([...devices]);
  });

  test('applies confirmed fraud to the next customer in the same browser, and to no other browser', async () => {
    await withProfile(makeProfile(), from(REVIEW_IP), async (context) => {
      const page = await context.newPage();
      const held = await buy(page, 'mallory');
      expect([held.outcome, held.signals.includes('fraud_on_device')]).toEqual(['held', false]);
      await portcullis.cases.resolve(held.case_id as string, { status: 'rejected', analyst_id: 'analyst_7' });
      await context.setExtraHTTPHeaders(from('198.51.100.3').extraHTTPHeaders);
      const next = await buy(page, 'victor');
      expect(next.signals).toContain('fraud_on_device');
      expect(next.devices).toEqual(held.devices);
    });
    const [other] = await buyAll(makeProfile(), '198.51.100.4', ['walter']);
    expect(other?.signals).not.toContain('fraud_on_device');
  });

  test('sells without the SDK if it is blocked or slow, and screens without a device', async () => {
    await withProfile(makeProfile(), from('198.51.100.5'), async (context) => {
      for (const [customer, fault] of [
        ['hal', 'blocked'],
        ['ivy', 'slow'],
      ] as const) {
        const page = await context.newPage();
        await page.route('**/sdk/device.js', (route) => (fault === 'blocked' ? route.abort() : undefined));
        await page.goto(shop.url, { waitUntil: 'domcontentloaded' });
        expect(await press(page, customer)).toBe('paid');
        const { signals, devices } = await screened(page, customer);
        expect([devices, signals]).toEqual([[], []]);
        await page.close();
      }
    });
  });

  test('reports a missing response to the customer, and a second press pays the same order', async () => {
    await withProfile(makeProfile(), from('198.51.100.6'), async (context) => {
      const page = await context.newPage();
      await openPage(page);
      await page.route('**/orders/*', async (route) => {
        await route.fetch();
        await route.abort();
      });
      expect(await press(page, 'kim')).toBe('none');
      await page.unroute('**/orders/*');
      await press(page, 'kim');
      await page.locator('output[data-outcome=paid]').waitFor();
      await screened(page, 'kim');
      expect((await portcullis.users.getRiskProfile('kim')).transactions.count).toBe(1);
    });
  });
});
