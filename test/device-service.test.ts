import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, PATIENCE_MS } from '../device/test/chromium.ts';
import { completeContent, hasStoredKey, startShop, tokenOf } from '../device/test/page.ts';
import { CHROMIUM } from '../scripts/find-chromium.ts';
import { client, DAY_MS, login, makeClock, startService } from '../server/test/fixtures/harness.ts';

/** The first complete token of a page. On a busy machine some are partial. */
const completeToken = async (page: Page): Promise<string> => {
  await completeContent(page, hasStoredKey);
  return tokenOf(page);
};

describe.skipIf(CHROMIUM === undefined)('a browser and the service', { timeout: PATIENCE_MS }, () => {
  test('agree on tokens: one device for all pages, and another with the same device profile in another window', async () => {
    // Browsers have clocks of their own.
    const clock = makeClock(Date.now());
    const service = await startService({ clock: clock.now });
    const api = client(service, await service.key());
    const shop = await startShop();
    const [first, second] = await Promise.all(
      [1, 2].map(async () => (await browser()).newContext({ locale: 'de-DE' })),
    );
    const opened = async (context = first, viewport = { width: 1280, height: 720 }): Promise<Page> => {
      const page = (await context?.newPage()) as Page;
      await page.setViewportSize(viewport);
      await page.goto(shop());
      return page;
    };
    const signalsOf = async (user_id: string, page: Page): Promise<string[]> => {
      const { status, json } = await api.act(login({ user_id, device_token: await completeToken(page) }));
      expect(status).toBe(200);
      return json.signals;
    };
    const devicesOf = async (user: string) => (await api.get(`/v1/users/${user}/risk-profile`)).json.devices;

    const page = await opened();
    expect(await signalsOf('ada', page)).toEqual(['automated_browser']);
    await page.reload();
    expect(await signalsOf('ada', page)).toEqual(['automated_browser']);
    const wide = await opened(first, { width: 800, height: 600 });
    expect(await signalsOf('ada', wide)).toEqual(['automated_browser']);
    expect(await devicesOf('ada')).toMatchObject([
      { device_token: expect.stringMatching(/^dvk_[\w-]{22}$/), count: 3 },
    ]);

    for (const user of ['ben', 'cleo']) await signalsOf(user, page);
    expect(await signalsOf('dora', page)).toContain('device_many_users');
    expect((await devicesOf('dora'))[0].device_token).toBe((await devicesOf('ada'))[0].device_token);

    clock.advance(2 * DAY_MS);
    // Two days old by the service's clock.
    const later = await signalsOf('ada', await opened(second));
    expect(later).toEqual(expect.arrayContaining(['automated_browser', 'old_token', 'storage_cleared']));
    expect(later).not.toContain('new_device');
    expect(await devicesOf('ada')).toHaveLength(2);
  });
});
