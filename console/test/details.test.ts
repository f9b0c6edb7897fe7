import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { type Client, client, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson } from '../../server/test/fixtures/people.ts';
import { expectAccessible, faults, makeCases, openTab, signIn, type Tab } from './pages.ts';

describe.skipIf(CHROMIUM === undefined)('details of the console in a browser', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let api: Client;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    service = await startService({ env: { TRAIN_DAILY: 'off' } });
    api = client(service, await service.key({ environment: 'production' }));
    const { email } = await addPerson(service, { production: 'admin' });
    tab = await openTab(service);
    ({ page } = tab);
    await tab.open('/lists');
    await signIn(tab, email);
  }, PATIENCE_MS);
  afterAll(() => {
    expect(faults).toEqual([]);
  });

  test('sends a change that is larger than browsers send while a page closes', async () => {
    expect((await api.post('/v1/lists', { name: 'many', action: 'review' })).status).toBe(201);
    await tab.open('/lists/many');
    await page.getByRole('button', { name: 'Add the first' }).click();
    await page.getByRole('dialog').getByLabel('Kind', { exact: true }).selectOption('user');
    const values = Array.from({ length: 800 }, (_, at) => `user_${at}_${'x'.repeat(100)}`);
    await page.getByLabel('Values').fill(values.join('\n'));
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/entries'));
    await page.getByRole('button', { name: 'Add 800 entries' }).click();
    expect((await sent).postData()?.length).toBeGreaterThan(64 * 1024);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await api.get('/v1/lists/many')).json.entry_count).toBe(800);
  });

  test('searches for the links again that a search had no time for', async () => {
    await makeCases(service, ['cut_off']);
    await page.route('**/v1/links?**', (route) => route.fulfill({ json: { nodes: [], edges: [], cut: ['time'] } }));
    await tab.open('/users/cut_off?tab=links');
    await page.getByText('ran out of time before it found anything').waitFor();
    await expectAccessible(page);
    await page.unroute('**/v1/links?**');
    await page.getByRole('button', { name: 'Search again' }).click();
    await page.getByText('within two steps').waitFor();
    await page.locator('.graph text').first().waitFor();
  });

  test('names the days of charts as days of UTC, and hours in the chosen time zone', async () => {
    const setZone = (zone: string): Promise<unknown> =>
      page.evaluate(`localStorage.setItem('portcullis-time-zone', '${zone}')`);
    // Every day of UTC begins there on the day before.
    await setZone('America/Los_Angeles');
    await tab.open('/?range=30d');
    const today = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const table = page.getByRole('region', { name: 'Decisions over time' });
    const openTable = () => page.locator('.chart').first().getByRole('button', { name: 'As a table' }).click();
    await page.getByText('By day, UTC').waitFor();
    await openTable();
    await table.getByRole('columnheader', { name: 'Day, UTC' }).waitFor();
    const days = await table.getByRole('rowheader').allInnerTexts();
    expect(days[0]).toBe(today.format(new Date()));
    // Hours begin there at half past.
    await setZone('Asia/Kolkata');
    await tab.open('/?range=24h');
    const hours = page.locator('.chart').first().locator('.chart-x span');
    await hours.first().waitFor();
    for (const hour of await hours.allInnerTexts()) expect(hour).toMatch(/^\d\d:30$/);
    await setZone('account');
  });
});
