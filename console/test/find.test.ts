import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import {
  atOnce,
  BLOCK_IP,
  type Client,
  client,
  type Service,
  startService,
} from '../../server/test/fixtures/harness.ts';
import { addPerson } from '../../server/test/fixtures/people.ts';
import { expectAccessible, faults, makeCases, openTab, signIn, type Tab, violationsOf } from './pages.ts';

const HOSTILE = '<img src=x onerror="document.title=1">';
/** A path and a query must keep what is special in them. */
const HOSTILE_USER = `${HOSTILE}/a?b#c&d=100%41+%`;
const PUBLIC_IP = '8.8.8.8';
const SECRETS = { email: 'secret@private.example', device_token: 'dvc_secret', payment_fingerprint: 'card_secret' };

describe.skipIf(CHROMIUM === undefined)('finding items and users', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let api: Client;
  let tab: Tab;
  let page: Page;
  /** Waits until search has everything that was screened. */
  const untilFound = async (): Promise<void> => {
    const now = Date.now();
    const isComplete = async (): Promise<boolean> =>
      Date.parse((await api.get('/v1/screenings?limit=1')).json.as_of) > now;
    await vi.waitUntil(isComplete, { timeout: 90_000, interval: 20 });
  };
  const pay = (more: Record<string, unknown>) => api.pay({ user_id: 'user_1', amount: 20, currency: 'EUR', ...more });
  const row = (name: RegExp | string) => page.getByRole('grid').getByRole('row', { name });
  const filter = async (text: string): Promise<void> => {
    await page.getByLabel('Filter', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  };

  beforeAll(async () => {
    service = await startService();
    api = client(service, await service.key({ environment: 'production' }));
    const { email } = await addPerson(service, { production: 'admin' });
    tab = await openTab(service);
    ({ page } = tab);
    await tab.open('/explorer');
    await signIn(tab, email);
  }, PATIENCE_MS);
  afterAll(() => {
    expect(faults).toEqual([]);
  });

  test('the way from a filter over an item to its decision and back loses nothing', async () => {
    await makeCases(service, ['find_me', 'other_user'], { counterparty_id: 'shop_1' });
    await pay({ user_id: 'find_me', ip_address: BLOCK_IP });
    await untilFound();
    await tab.open('/explorer');
    await filter('decision:review user:find_me');
    await row(/find_me/).waitFor();
    expect(await page.getByRole('grid').getByRole('row').count()).toBe(3);
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Item' });
    await drawer.getByRole('heading', { name: '€49.90 to shop_1' }).waitFor();
    const address = page.url();
    expect(new URL(address).searchParams.getAll('f')).toEqual(['decision:review', 'user_id:find_me']);
    await drawer.getByRole('link', { name: 'Full decision' }).click();
    await page.getByRole('heading', { level: 1, name: '€49.90 to shop_1' }).waitFor();
    await page.goBack();
    await drawer.getByRole('heading', { name: '€49.90 to shop_1' }).waitFor();
    expect(page.url()).toBe(address);
    await page.getByRole('button', { name: 'Remove user_id:find_me' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    // Suggestions lead to a filter without knowing its name.
    await page.keyboard.press('/');
    await page.keyboard.type('lab');
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: 'label:fraud' }).click();
    await page.getByText('There are items if you remove one of these filters.').waitFor();
    await page.getByRole('button', { name: 'Search without label:fraud' }).click();
    await row(/find_me/).waitFor();
  });

  test('a range of the chart, groups, columns and views are kept in the address', async () => {
    await tab.open('/explorer?range=24h');
    // The chart moves until the items are there.
    await row(/find_me/)
      .first()
      .waitFor();
    const plot = page.getByRole('img', { name: /^Decisions over time/ });
    const box = await plot.boundingBox();
    if (box === null) throw new Error('There is no chart.');
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.999, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const chosen = new URL(page.url()).searchParams;
    expect(Date.parse(chosen.get('until') ?? '')).toBeGreaterThan(Date.now() - 3_600_000);
    expect(Date.parse(chosen.get('from') ?? '')).toBeGreaterThan(Date.now() - 10 * 3_600_000);
    await row(/find_me/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Zoom out ×2' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).not.toBe(chosen.get('from'));
    await page.getByLabel('Group by').selectOption('user_id');
    await page.getByRole('button', { name: 'find_me' }).click();
    await page.getByRole('button', { name: 'Remove user_id:find_me' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('dialog').getByLabel('US dollars').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('columnheader', { name: 'US dollars' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name').fill('Of one user');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Of one user' }).waitFor();
    const address = page.url();
    await tab.open('/explorer');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Of one user' }).click();
    await page.getByRole('columnheader', { name: 'US dollars' }).waitFor();
    expect(page.url()).toBe(address);
  });

  test('an export has the items that match, and new items wait for a click', async () => {
    await tab.open('/explorer?f=user_id:find_me');
    await row(/find_me/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ]);
    const [header, ...lines] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(header).toContain('subject_id');
    expect(lines.length).toBe(2);
    expect(lines.every((line) => line.includes('find_me'))).toBe(true);
    await makeCases(service, ['find_me']);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row(/find_me/).count()).toBe(2);
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(() => row(/find_me/).count()).toBe(3);
  });

  test('scrolling shows each of 230 items once, although items arrive', async () => {
    const COUNT = 230;
    for (let done = 0; done < COUNT; done += 46) await atOnce(46, () => pay({ counterparty_id: 'shop_pages' }));
    await untilFound();
    const expected: string[] = [];
    for (let before = ''; ; ) {
      const { json } = await api.get(`/v1/screenings?counterparty_id=shop_pages&limit=200${before}`);
      expected.push(...json.screenings.map(({ subject_id }: { subject_id: string }) => subject_id));
      if (!json.has_more) break;
      before = `&before=${json.next_before}`;
    }
    expect(expected.length).toBe(COUNT);
    await tab.open('/explorer?f=counterparty_id:shop_pages&columns=id,what');
    await row(expected[0] as string).waitFor();
    await pay({ counterparty_id: 'shop_pages' });
    await untilFound();
    const seen = new Map<number, string>();
    for (let isEnd = false; !isEnd; ) {
      const shown = (await page.evaluate(`[...document.querySelectorAll('.v-row[aria-rowindex]')].map((one) => [
        Number(one.getAttribute('aria-rowindex')), one.firstElementChild.textContent])`)) as [number, string][];
      for (const [index, id] of shown) {
        if (seen.has(index)) expect(seen.get(index)).toBe(id);
        seen.set(index, id);
      }
      const foot = await page.locator('.v-foot').innerText();
      isEnd = /^All \d+ items/.test(foot) && foot.includes(` ${(shown.at(-1)?.[0] ?? 0) - 1} `);
      await page.evaluate(`document.querySelector('.v-body').scrollBy(0, 400)`);
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    }
    const inOrder = [...seen].toSorted(([a], [b]) => a - b).map(([, id]) => id);
    expect(inOrder).toEqual(expected);
    // Back from another page leads to the same place.
    const place = await page.evaluate(`document.querySelector('.v-body').scrollTop`);
    await page.getByRole('row').getByRole('link').last().click();
    await page.getByRole('heading', { level: 1, name: '€20.00' }).waitFor();
    await page.goBack();
    await row(expected.at(-1) as string).waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('.v-body').scrollTop`)).toBe(place);
  });

  test('a search that ran out of time says how far it looked, and goes on', async () => {
    let asked = 0;
    await page.route('**/v1/screenings?**', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      if (new URL(route.request().url()).searchParams.has('before')) {
        asked++;
        return route.fulfill({ response });
      }
      const next_before = json.screenings[0].subject_id;
      const cut = { ...json, screenings: [], has_more: true, next_before, looked_back_to: '2026-10-03T12:00:00.000Z' };
      return route.fulfill({ response, json: cut });
    });
    await tab.open('/explorer?f=user_id:find_me');
    await page.getByText('Searched back to 3 Oct').waitFor();
    expect(asked).toBe(0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await row(/find_me/)
      .first()
      .waitFor();
    await page.unroute('**/v1/screenings?**');
  });

  test('a user is found by the start of the id, and the page says where there are more', async () => {
    for (let number = 10; number < 22; number++) await pay({ user_id: `start_${number}` });
    await untilFound();
    await tab.open('/users');
    await row(/start_21/).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('start_1');
    const found = page.getByRole('region', { name: 'Found' });
    await found.getByRole('link', { name: 'start_19' }).waitFor();
    expect(await found.getByRole('link').allInnerTexts()).toEqual(
      Array.from({ length: 10 }, (_, at) => `start_1${at}`),
    );
    await expect.poll(() => found.getByText('More user ids begin with this.').count()).toBe(0);
    await page.keyboard.press('Backspace');
    await found.getByText('More user ids begin with this.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.type('x');
    await found.getByText('Enter the start of a user id').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('21');
    await expect.poll(() => found.getByRole('link').allInnerTexts()).toEqual(['start_21']);
    await found.getByRole('link', { name: 'start_21' }).click();
    await page.getByRole('heading', { level: 1, name: 'start_21' }).waitFor();
  });

  test('a user is found by what they used, and can be blocked and looked at from all sides', async () => {
    const more = { ip_address: PUBLIC_IP, email: 'ada@example.com', device_token: 'dvc_ada' };
    const paid = await pay({ user_id: 'ada', ...more, payment_fingerprint: 'card_ada' });
    await pay({ user_id: 'bob', ...more });
    await api.post('/v1/labels', { transaction_id: paid.json.transaction_id, label: 'fraud', source: 'call' });
    await untilFound();
    await tab.open('/users');
    await row(/ada/).waitFor();
    await filter('label:fraud');
    await row(/bob/).waitFor({ state: 'detached' });
    await row(/ada/).waitFor();
    await page.getByPlaceholder(/The start of a user id/).fill('card_ada');
    await page.getByLabel('Found').getByRole('link', { name: /^ada / }).click();
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await page.getByText('United States 1').waitFor();
    await page.locator('.map-land.is-seen').waitFor();
    await page.getByText('Labelled fraud').waitFor();
    await page.getByRole('button', { name: 'Block…' }).click();
    await page.getByLabel('Reason').fill('Stolen cards');
    await page.keyboard.press('Enter');
    await page.getByText(/On list block/).waitFor();
    expect((await pay({ user_id: 'ada' })).json.decision).toBe('block');
    await page.getByRole('button', { name: 'Remove from the list block' }).click();
    await page.getByText(/On list block/).waitFor({ state: 'detached' });
    expect((await pay({ user_id: 'ada' })).json.decision).not.toBe('block');
    // A device opens beside the page; Escape gives the focus back.
    await page.getByRole('button', { name: 'Devices & addresses' }).click();
    await page.getByRole('link', { name: 'dvc_ada' }).click();
    const drawer = page.getByRole('dialog', { name: 'Device dvc_ada' });
    await drawer.getByRole('link', { name: 'bob' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('dvc_ada');
    await page.getByRole('button', { name: 'Links' }).click();
    await waitForLink('bob');
    await page.getByRole('link', { name: 'bob' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'bob' }).waitFor();
    await page.goBack();
    await page.locator('.graph text', { hasText: 'dvc_ada' }).waitFor();
  });

  /** On a busy machine, a search for links ends before it has found anything, and can be repeated. */
  const waitForLink = async (name: string): Promise<void> => {
    const link = page.getByRole('link', { name, exact: true }).first();
    const again = page.getByRole('button', { name: 'Search again' });
    await expect
      .poll(async () => {
        if (await again.isVisible()) await again.click();
        return link.isVisible();
      })
      .toBe(true);
  };

  test('what others sent is shown as text', async () => {
    const sent = {
      counterparty_id: `${HOSTILE}_shop`,
      device_token: `${HOSTILE}_device`,
      payment_fingerprint: `${HOSTILE}_card`,
      email: '<img/src=x>@example.com',
      metadata: { [HOSTILE]: HOSTILE },
    };
    const [one] = await makeCases(service, [HOSTILE_USER], sent);
    await pay({ user_id: `${HOSTILE}_other`, device_token: sent.device_token });
    await untilFound();
    const isPlain = async (): Promise<void> => {
      expect(await page.locator('#root :is(img, script)').count()).toBe(0);
      expect(await page.title()).toContain('Portcullis');
    };
    await tab.open(`/explorer?f=${encodeURIComponent(`user_id:${HOSTILE_USER}`)}`);
    await page.getByRole('gridcell', { name: '€49.90' }).waitFor();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Item' });
    await drawer.getByRole('heading', { name: sent.counterparty_id }).waitFor();
    for (const text of [sent.device_token, sent.payment_fingerprint, sent.email])
      await drawer.getByRole('link', { name: text, exact: true }).waitFor();
    await drawer.getByText(HOSTILE, { exact: true }).waitFor();
    await isPlain();
    await drawer.getByRole('link', { name: sent.device_token, exact: true }).click();
    await page
      .getByRole('dialog', { name: `Device ${sent.device_token}` })
      .getByText(`${HOSTILE}_other`)
      .waitFor();
    await isPlain();
    await page.getByLabel('Group by').selectOption('payment_fingerprint');
    await page.getByRole('button', { name: sent.payment_fingerprint }).waitFor();
    await isPlain();
    await tab.open(`/users?find=${encodeURIComponent(sent.device_token)}`);
    await page.getByLabel('Found').getByRole('link', { name: HOSTILE_USER }).click();
    for (const [name, shown] of [
      ['Timeline', 'Payment of €49.90'],
      ['Devices & addresses', sent.device_token],
      ['Links', `${HOSTILE}_other`],
      ['Cases', '€49.90'],
    ] as const) {
      await page.getByRole('heading', { level: 1, name: HOSTILE_USER, exact: true }).waitFor();
      await page.getByLabel('About the user').getByRole('button', { name }).click();
      await waitForLink(shown);
      await isPlain();
    }
    await page.getByRole('link', { name: '€49.90', exact: true }).click();
    await page.waitForURL(new RegExp(one?.case_id));
    await page.getByRole('heading', { level: 1, name: sent.counterparty_id }).waitFor();
    await page.locator('.case-meta').getByRole('link', { name: HOSTILE_USER, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE_USER, exact: true }).waitFor();
    await isPlain();
  });

  test('a reader sees items and users, but no personal data and no export', async () => {
    const { json } = await pay({ user_id: 'reader_user', ip_address: PUBLIC_IP, ...SECRETS });
    await untilFound();
    const { email } = await addPerson(service, { production: 'reader' });
    const other = await openTab(service);
    const shown = other.page;
    await other.open(`/explorer?f=user_id:reader_user`);
    await signIn(other, email);
    await shown.getByRole('row', { name: /reader_user/ }).waitFor();
    const refused = shown.getByRole('button', { name: 'Export' });
    expect(await refused.getAttribute('aria-description')).toBe('Requires the role analyst; yours is reader.');
    await refused.dispatchEvent('click');
    expect(await shown.getByRole('menuitem').count()).toBe(0);
    const asked: string[] = [];
    shown.on('request', (request) => asked.push(request.url()));
    await shown.keyboard.press('Enter');
    await shown.getByText('Personal data is hidden').waitFor();
    await other.open('/explorer?f=email:secret@private.example');
    await shown.getByText('Your role does not allow this').waitFor();
    await other.open('/users?find=card_secret');
    await shown.getByText('Nothing was found').waitFor();
    for (const tabName of ['', '?tab=used', '?tab=links']) {
      await other.open(`/users/reader_user${tabName}`);
      await shown.getByText('Personal data is hidden').waitFor();
      const text = (await shown.evaluate('document.documentElement.outerHTML')) as string;
      for (const secret of [...Object.values(SECRETS), PUBLIC_IP]) expect(text).not.toContain(secret);
    }
    const block = shown.getByRole('button', { name: 'Block…' });
    expect(await block.getAttribute('aria-description')).toBe('Requires the role manager; yours is reader.');
    await other.open(`/users/reader_user?entity=${encodeURIComponent(`device:${SECRETS.device_token}`)}`);
    await shown.getByRole('dialog').getByText('Your role does not allow this').waitFor();
    expect(asked.filter((url) => url.includes('/export'))).toEqual([]);
    expect(json.decision).toBe('allow');
    await other.close();
  });

  /** Opens a page until it shows an element. On a busy machine, a search ends before it has found anything. */
  const openUntil = (path: string, element: string): Promise<void> =>
    expect
      .poll(async () => {
        await tab.open(path);
        const shown = page.locator(element).first();
        return shown.waitFor({ timeout: 10_000 }).then(
          () => path,
          () => `${element} is not on ${path}`,
        );
      })
      .toBe(path);

  describe('no violation of WCAG 2.2 AA', () => {
    test.each([
      ['/explorer?by=decision', '.group-table'],
      ['/explorer?f=user_id:nobody', '.empty-state'],
      ['/users', '.v-row.is-at'],
      ['/users?find=card_ada', '.found-user'],
      ['/users/ada', '.moment'],
      ['/users/ada?tab=used', '.used'],
      ['/users/ada?tab=links', '.graph text'],
      ['/users/ada?tab=cases&entity=ip_address:8.8.8.8', '.drawer .map svg'],
      ['/explorer', '.v-row.is-at'],
    ])('is on %s', async (path, element) => {
      await openUntil(path, element);
      await expectAccessible(page);
    });

    test('is in the drawer of an item', async () => {
      await openUntil('/explorer', '.v-row.is-at');
      await page.keyboard.press('Enter');
      await page.locator('.drawer .wf-total').waitFor();
      await expectAccessible(page);
    });

    test('is in the filters that are offered', async () => {
      await openUntil('/explorer', '.v-row.is-at');
      await page.keyboard.press('/');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
      await expectAccessible(page);
    });
  });
});
