import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { client, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson } from '../../server/test/fixtures/people.ts';
import { expectAccessible, faults, makeCases, openTab, signIn, type Tab } from './pages.ts';

const FILTERED = '?f=usd%3E20';

describe.skipIf(CHROMIUM === undefined)('views and columns in a browser', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let email: string;
  let tab: Tab;
  let page: Page;
  const tabOf = async (address: string, path: string): Promise<Tab> => {
    const opened = await openTab(service);
    await opened.open(path);
    await signIn(opened, address);
    return opened;
  };
  const searchOf = (one: Page): string => new URL(one.url()).search;
  const choose = async (button: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const row = (one: Page) => one.getByRole('row', { name: /first_user/ });

  beforeAll(async () => {
    service = await startService({ env: { TRAIN_DAILY: 'off' } });
    ({ email } = await addPerson(service, { production: 'analyst' }));
    await makeCases(service, ['first_user']);
    tab = await tabOf(email, '/cases');
    ({ page } = tab);
  }, PATIENCE_MS);
  afterAll(() => {
    expect(faults).toEqual([]);
  });

  test('opens the view first that a person chose, in every browser of the person alone', async () => {
    await page.getByLabel('Filter').fill('usd>20');
    await page.keyboard.press('Enter');
    await choose('Views', 'Save this view…');
    await page.getByLabel('Name').fill('Large ones');
    await page.keyboard.press('Enter');
    await choose('Large ones', 'Open Large ones by default');
    await page.getByRole('button', { name: 'Large ones' }).click();
    await page.getByRole('menuitem', { name: 'Large ones (default)' }).waitFor();
    await page.keyboard.press('Escape');
    await tab.open('/cases');
    await page.getByRole('button', { name: 'Remove usd>20' }).waitFor();
    expect(searchOf(page)).toBe(FILTERED);

    const elsewhere = await tabOf(email, '/');
    await elsewhere.page.keyboard.press('g');
    await elsewhere.page.keyboard.press('c');
    await elsewhere.page.getByRole('button', { name: 'Remove usd>20' }).waitFor();
    await elsewhere.close();
    const other = await addPerson(service, { production: 'analyst' });
    const theirs = await tabOf(other.email, '/cases');
    await row(theirs.page).waitFor();
    expect(searchOf(theirs.page)).toBe('');
    await theirs.close();
  });

  test('still leads to the list without filters, and back to it from a case', async () => {
    await tab.open('/cases');
    await page.getByRole('button', { name: 'Remove usd>20' }).click();
    await expect.poll(() => searchOf(page)).toBe('?view=open');
    await page.reload();
    await row(page).waitFor();
    expect(searchOf(page)).toBe('?view=open');
    await page.keyboard.press('Enter');
    await page.waitForURL(/cases\/case_/);
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Loading' }).waitFor();
    await page.keyboard.press('Escape');
    await row(page).waitFor();
    expect(searchOf(page)).toBe('?view=open');
    await choose('Views', 'Stop opening Large ones by default');
    await expect
      .poll(async () => {
        await tab.open('/cases');
        await row(page).waitFor();
        return searchOf(page);
      })
      .toBe('');
  });

  const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
  const handle = (name: string) => page.getByRole('separator', { name: `Width of ${name}` });
  const widthOf = async (name: string): Promise<number> => Math.round((await head(name).boundingBox())?.width ?? 0);
  const drag = async (name: string, by: number): Promise<void> => {
    const box = await handle(name).boundingBox();
    if (box === null) throw new Error('There is no handle.');
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + by, box.y + 20, { steps: 4 });
    await page.mouse.up();
  };

  test.each([
    ['the queue', '/cases?view=open'],
    ['the explorer', '/explorer'],
  ])('keeps the width of a column of %s, changed with the mouse or the keyboard', async (_name, path) => {
    const api = client(service, await service.key({ environment: 'production' }));
    const isFound = async () => (await api.get('/v1/screenings?limit=1')).json.screenings.length > 0;
    await vi.waitUntil(isFound, { timeout: 90_000, interval: 20 });
    await tab.open(path);
    await head('User').waitFor();
    const usual = await widthOf('User');
    await drag('User', 60);
    await expect.poll(() => widthOf('User')).toBe(usual + 60);
    // The cells below are as wide as their head.
    const cell = await page.getByRole('gridcell', { name: 'first_user', exact: true }).first().boundingBox();
    expect(Math.round(cell?.width ?? 0)).toBe(usual + 60);
    await page.reload();
    await head('User').waitFor();
    await expect.poll(() => widthOf('User')).toBe(usual + 60);
    await handle('User').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => widthOf('User')).toBe(usual + 44);
    expect(await handle('User').getAttribute('aria-valuenow')).toBe(String(usual + 44));
    await expectAccessible(page);
    await handle('User').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => widthOf('User')).toBe(usual);
    await page.reload();
    await head('User').waitFor();
    await expect.poll(() => widthOf('User')).toBe(usual);
  });
});
