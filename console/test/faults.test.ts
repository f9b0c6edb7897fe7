import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { SEARCH_FILE } from '../../server/src/backend/embedded/search-file.ts';
import { client, payment, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { holdItem } from '../../server/test/fixtures/hold-item.ts';
import { addPerson, PASSWORD } from '../../server/test/fixtures/people.ts';
import { isShared } from '../../server/test/fixtures/shared-store.ts';
import { expectAccessible, faults, makeCases, openTab, signIn, type Tab, violationsOf } from './pages.ts';

/** Eight requests of a tenant run at a time and thirty wait. A page alone reaches neither limit. */
const SHARE = { alone: 8, besideOthers: 8, waiting: 30, waitMs: 60_000 };

/** Occupies the whole share of production with labels of one payment, until the returned function is called. */
const fillShare = async (service: Service, waiting: number) => {
  const api = client(service, await service.key({ environment: 'production' }));
  const { transaction_id } = (await api.pay(payment())).json;
  const release = await holdItem(service, 'acme', 'production', transaction_id);
  const label = () => api.post('/v1/labels', { transaction_id, label: 'fraud', source: 'report' });
  const sent = Array.from({ length: SHARE.alone + waiting }, label);
  const inSandbox = client(service, await service.key());
  const waits = async (): Promise<number> =>
    Number(/^portcullis_requests_waiting (\d+)$/m.exec((await inSandbox.get('/metrics')).text)?.[1]);
  await expect.poll(waits).toBeGreaterThanOrEqual(waiting);
  return async (): Promise<void> => {
    await release();
    await Promise.all(sent);
  };
};

/** Takes a table of search away, as a damaged disk does, until the returned function is called. */
const breakSearch = async ({ app, dataDir }: Service): Promise<() => Promise<void>> => {
  const rename = async (from: string, to: string): Promise<void> => {
    const sql = `ALTER TABLE ${from} RENAME TO ${to}`;
    if (isShared) await app.backend.write([{ sql, params: [] }]);
    else {
      const file = new DatabaseSync(join(dataDir, SEARCH_FILE));
      file.exec(`PRAGMA busy_timeout = 10000; ${sql}`);
      file.close();
    }
  };
  await rename('search_items', 'lost_items');
  return () => rename('lost_items', 'search_items');
};

const goTo = async ({ page }: Tab, key: string): Promise<void> => {
  await page.keyboard.press('g');
  await page.keyboard.press(key);
};

describe.skipIf(CHROMIUM === undefined)('the console while something fails', { timeout: PATIENCE_MS }, () => {
  afterAll(() => expect(faults).toEqual([]));

  /** A service and the tab of an administrator of production, with a page open. */
  const start = async (path: string, options: Parameters<typeof startService>[0] = {}, expected?: RegExp) => {
    const service = await startService(options);
    const { email } = await addPerson(service, { production: 'admin' });
    const tab = await openTab(service, expected === undefined ? {} : { expected });
    await tab.open(path);
    await signIn(tab, email);
    return { service, email, tab, page: tab.page };
  };

  test('counts down after too many wrong passwords, keeps the form, and lets the person in after that', async () => {
    const service = await startService();
    const { email } = await addPerson(service, { production: 'admin' });
    const tab = await openTab(service);
    const { page } = tab;
    await tab.open('/webhooks');
    await page.getByLabel('E-mail address').fill(email);
    const password = page.getByLabel('Password', { exact: true });
    for (let failed = 0; failed < 5; failed++) {
      await password.fill('not the password');
      const answer = page.waitForResponse('**/v1/sign-in');
      await page.keyboard.press('Enter');
      expect((await answer).status()).toBe(401);
    }
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    const notice = page.getByRole('alert').filter({ hasText: 'Too many attempts.' });
    await notice.waitFor();
    expect(await notice.innerText()).toMatch(/Try again in [1-5] seconds?\./);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText('You can try again now.').waitFor();
    expect([await page.getByLabel('E-mail address').inputValue(), await password.inputValue()]).toEqual([
      email,
      PASSWORD,
    ]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No endpoints yet').waitFor();
  });

  test('shows that a page loads as long as the service is slow, and then the page', async () => {
    const { service, tab, page } = await start('/webhooks', { shareLimits: SHARE });
    await page.getByText('No endpoints yet').waitFor();
    const release = await fillShare(service, 0);
    await goTo(tab, 'k');
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    expect(await page.getByRole('region', { name: 'Keys' }).count()).toBe(0);
    expect(await page.getByRole('alert').filter({ hasText: /\S/ }).count()).toBe(0);
    await release();
    await page.getByRole('region', { name: 'Keys' }).waitFor();
  });

  test('says when it asks again after too many requests of the account, and goes on by itself', async () => {
    const { service, tab, page } = await start('/webhooks', { shareLimits: SHARE });
    await page.getByText('No endpoints yet').waitFor();
    const release = await fillShare(service, SHARE.waiting);
    await goTo(tab, 'k');
    const bar = page.getByRole('alert').filter({ hasText: 'Retrying automatically.' });
    await bar.getByText('Too many requests.').waitFor();
    await bar.getByText(/Next attempt in \d s|Retrying…/).waitFor();
    await bar.getByRole('button', { name: 'Retry now' }).waitFor();
    await page.getByText('Too many requests', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await release();
    await page.getByRole('region', { name: 'Keys' }).waitFor();
    await bar.waitFor({ state: 'detached' });
  });

  test('waits for a service that is away, also for a page that is not loaded yet, and goes on by itself', async () => {
    const { service, tab, page } = await start('/webhooks', {}, /ERR_CONNECTION_REFUSED|Failed to fetch/);
    await page.getByText('No endpoints yet').waitFor();
    await service.stop();
    await goTo(tab, 'k');
    const bar = page.getByRole('alert').filter({ hasText: 'The service is not responding.' });
    await bar.getByText(/Next attempt in \d s/).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await startService({ dataDir: service.dataDir, env: { PORT: new URL(service.url).port } });
    await page.getByRole('region', { name: 'Keys' }).waitFor();
    await bar.waitFor({ state: 'detached' });
  });

  test('shows the parts of a case that can be read, and the others when they can be read again', async () => {
    const { service, tab, page } = await start('/webhooks', {}, /status of 500/);
    const [made] = await makeCases(service, ['linked']);
    const api = client(service, await service.key({ environment: 'production' }));
    await expect.poll(async () => (await api.get('/v1/screenings')).json.screenings.length).toBe(1);
    const repair = await breakSearch(service);
    await tab.open(`/cases/${made?.case_id}`);
    const card = page.getByRole('region', { name: 'Linked' });
    const again = card.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.getByRole('heading', { name: /€49\.90/ }).waitFor();
    await page.locator('.wf-total').waitFor();
    await page.getByText('The user’s usual activity cannot be read at the moment.').waitFor();
    await expectAccessible(page);
    await repair();
    await again.click();
    await card.getByText('within two steps').waitFor();
  });

  test('leads to the host of the other environment, where the person signs in', async () => {
    const service = await startService({ env: { SANDBOX_HOST: 'localhost' } });
    const { email } = await addPerson(service, { production: 'admin' });
    const { port } = new URL(service.url);
    const body = { email, name: 'Mara', role: 'analyst' };
    const headers = { host: `localhost:${port}` };
    const added = await service.call('POST', '/v1/people', { key: await service.key(), body, headers });
    expect(added.status).toBe(201);
    const other = `http://localhost:${port}`;
    const tab = await openTab(service, { other });
    const { page } = tab;
    await tab.open('/webhooks');
    await signIn(tab, email);
    await page.getByText('No endpoints yet').waitFor();
    await page.goto(`${service.url}/console/sandbox/webhooks`);
    await page.getByText('Sandbox is on another host').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: `${other}/console/sandbox` }).waitFor();
    await tab.open('/webhooks');
    await page.getByRole('button', { name: 'Environment: production' }).click();
    await page.getByRole('menuitem', { name: 'Sandbox' }).click();
    await page.waitForURL(`${other}/console/sign-in**`);
    await signIn(tab, email);
    await page.getByRole('button', { name: 'Environment: sandbox' }).waitFor();
    expect(new URL(page.url()).origin).toBe(other);
  });
});
