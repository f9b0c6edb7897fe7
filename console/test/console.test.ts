import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { codeAt, stepAt } from '../../server/src/people/totp.ts';
import { client, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson, PASSWORD } from '../../server/test/fixtures/people.ts';
import { expectAccessible, faults, makeCases, openTab, signIn, type Tab, violationsOf } from './pages.ts';

const ACCOUNT = 'acme';

describe.skipIf(CHROMIUM === undefined)('the console in a browser', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let admin: Tab;
  let analyst: { email: string };
  beforeAll(async () => {
    service = await startService();
    admin = await openTab(service);
  }, PATIENCE_MS);
  afterAll(async () => {
    // A refused style or script, an error, or a request elsewhere.
    expect(faults).toEqual([]);
  });

  const inApi = async (path: string) =>
    (await client(service, await service.key({ environment: 'production' })).get(path)).json;
  const statusOf = async (caseId: string): Promise<string> => (await inApi(`/v1/cases/${caseId}`)).status;
  const asAnalyst = async (options = {}): Promise<Tab> => {
    analyst ??= await addPerson(service, { production: 'analyst' });
    const tab = await openTab(service, options);
    await tab.open('/cases');
    await signIn(tab, analyst.email);
    return tab;
  };

  /** Waits until the case of a user is open. Other users are linked on the page, too. */
  const caseOf = (page: Page, user: string): Promise<void> =>
    page.locator('.case-meta').getByRole('link', { name: user }).waitFor();

  test('leads from the link of the first start to the first resolved case', async () => {
    const path = (await service.app.people.firstLink(ACCOUNT)) as string;
    const { page } = admin;
    await page.goto(service.url + path);
    await page.getByLabel('Your name').fill('Mara Lind');
    // The token leaves the address bar, and so the history and screenshots.
    expect(page.url()).not.toContain('#');
    await page.getByLabel('E-mail address').fill('mara@acme.example');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('heading', { name: 'Screen a payment' }).waitFor();

    const [first] = await makeCases(service, ['first_user']);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('link', { name: '€49.90' }).click();
    await page.getByRole('heading', { name: /€49\.90/ }).waitFor();
    await page.getByText('Assigned to you').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('No open cases').waitFor();
    await expect.poll(() => statusOf(first?.case_id)).toBe('approved');
    expect((await inApi(`/v1/cases/${first?.case_id}`)).analyst_id).toBe('mara@acme.example');
  });

  test('clears cases with the keyboard alone, and takes one back', async () => {
    const cases = await makeCases(service, ['key_a', 'key_b', 'key_c', 'key_d', 'key_e']);
    const ids = cases.map(({ case_id }) => case_id as string);
    const { page, open } = admin;
    await open('/cases?sort=oldest');
    await page.getByRole('row', { name: /key_a/ }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('row', { name: /key_a/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page.getByRole('row', { name: /key_a/ }).waitFor();
    // In the case: approve, and the next one opens.
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /€49\.90/ }).waitFor();
    for (const user of ['key_a', 'key_b']) {
      await caseOf(page, user);
      await page.keyboard.press('a');
    }
    await caseOf(page, 'key_c');
    await page.keyboard.press('r');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('3');
    await page.keyboard.press('Enter');
    await caseOf(page, 'key_d');
    // In the list: two at once, with one reason.
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /key_d/ }).waitFor();
    for (const key of ['x', 'j', 'x', 'r']) await page.keyboard.press(key);
    await page.getByText('2 cases, US$').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('No open cases').waitFor();
    await expect
      .poll(async () => Promise.all(ids.map(statusOf)))
      .toEqual(['approved', 'approved', 'rejected', 'rejected', 'rejected']);
    expect((await inApi(`/v1/cases/${ids[2]}`)).reason).toBe('card_testing');
    expect((await inApi(`/v1/cases/${ids[4]}`)).reason).toBe('stolen_card');
  });

  test('shows two people who have one case open each other, and who was first', async () => {
    const [one] = await makeCases(service, ['shared_user']);
    const other = await asAnalyst();
    await admin.open(`/cases/${one?.case_id}`);
    await admin.page.getByText('Assigned to you').waitFor();
    await other.open(`/cases/${one?.case_id}`);
    await other.page.getByText('Also viewing: mara@acme.example').waitFor();
    await other.page.getByRole('button', { name: 'Take over' }).waitFor();
    // The admin resolves it while the analyst looks at it: the analyst is too late.
    await other.page.route('**/v1/feed**', (route) => route.abort());
    await admin.page.keyboard.press('a');
    await expect.poll(() => statusOf(one?.case_id)).toBe('approved');
    await other.page
      .getByRole('status')
      .getByText(/mara@acme.example approved it/)
      .waitFor();
    expect(await other.page.getByRole('button', { name: /^Approve/ }).getAttribute('aria-disabled')).toBe('true');
    await other.close();
  });

  test('says that somebody was first if a resolution comes too late', async () => {
    const [one] = await makeCases(service, ['late_user']);
    const { page, open } = admin;
    await open('/cases');
    await page.getByRole('row', { name: /late_user/ }).waitFor();
    await client(service, await service.key({ environment: 'production' })).put(`/v1/cases/${one?.case_id}`, {
      status: 'rejected',
    });
    await page.keyboard.press('a');
    await page.getByText('someone else was first').waitFor();
    expect(await statusOf(one?.case_id)).toBe('rejected');
  });

  test('invites a person, who adds a second factor and signs in with a recovery code', async () => {
    const key = await service.key({ environment: 'production' });
    const body = { email: 'totp@acme.example', name: 'Tom', role: 'analyst' };
    const { json } = await service.call('POST', '/v1/people', { key, body });
    const tab = await openTab(service);
    const { page } = tab;
    await page.goto(service.url + json.link.path);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Add an app' }).click();
    await page.getByLabel('Code', { exact: true }).waitFor();
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
    expect(codes.length).toBe(10);
    expect(await violationsOf(page)).toEqual([]);
    const secret = /secret=([A-Z2-7]+)/.exec(
      (await page.getByRole('link', { name: 'Open an app' }).getAttribute('href')) ?? '',
    );
    await page.getByLabel('Code', { exact: true }).fill(codeAt(secret?.[1] as string, stepAt(Date.now())));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: /Tom/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').fill(body.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codes[0] as string);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await tab.close();
  });

  test('loses nothing when the session ends while a form is open', async () => {
    const [one] = await makeCases(service, ['note_user']);
    const tab = await asAnalyst();
    const { page } = tab;
    await tab.open(`/cases/${one?.case_id}`);
    await page.getByLabel('Note', { exact: true }).fill('Called the customer.');
    await tab.context.clearCookies();
    await page.getByRole('button', { name: 'Add note' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.note-text', { hasText: 'Called the customer.' }).waitFor();
    const { notes } = await inApi(`/v1/cases/${one?.case_id}/notes`);
    expect(notes.map(({ text }: { text: string }) => text)).toEqual(['Called the customer.']);
    await tab.close();
  });

  test('shows a reader neither personal data nor a button that works, and says why', async () => {
    const [one] = await makeCases(service, ['read_user'], { email: 'secret@private.example' });
    const { email } = await addPerson(service, { production: 'reader' });
    const tab = await openTab(service);
    await tab.open(`/cases/${one?.case_id}`);
    await signIn(tab, email);
    await tab.page.getByText('Personal data is hidden').waitFor();
    for (const name of [/^Take/, /^Reject/, /^Approve/, /^Add note/]) {
      const button = tab.page.getByRole('button', { name });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      expect(await button.getAttribute('aria-description')).toBe('Requires the role analyst; yours is reader.');
    }
    await tab.page.getByRole('button', { name: /^Approve/ }).dispatchEvent('click');
    await tab.page.keyboard.press('a');
    await tab.open(`/decisions/${one?.decision_id}`);
    await tab.page.getByText('Personal data is hidden').waitFor();
    expect(await tab.page.locator('body').innerText()).not.toContain('secret@private.example');
    expect(await statusOf(one?.case_id)).toBe('open');
    await tab.close();
  });

  test('shows hostile names as text', async () => {
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const [one] = await makeCases(service, [hostile], {
      counterparty_id: hostile,
      metadata: { [hostile.slice(0, 40)]: hostile },
    });
    const { page, open } = admin;
    await open('/cases');
    await page.getByRole('gridcell', { name: hostile, exact: true }).waitFor();
    await open(`/cases/${one?.case_id}`);
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.locator('.graph text').first().waitFor();
    await open(`/decisions/${one?.decision_id}`);
    await page.getByRole('heading', { name: hostile }).waitFor();
    expect(await page.locator('img, #root script').count()).toBe(0);
    expect(await page.title()).toContain('Portcullis');
  });

  test('replays a decision, and saves a view of the queue', async () => {
    const [one] = await makeCases(service, ['replay_user']);
    const { page, open } = admin;
    await open(`/decisions/${one?.decision_id}`);
    await page.getByRole('button', { name: 'With the original policy' }).click();
    await page.getByText('Same score, decision, signals and factors.').waitFor();
    await open('/cases');
    await page.getByLabel('Filter').fill('usd>20');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name').fill('Large ones');
    await page.keyboard.press('Enter');
    await open('/cases');
    await page.getByRole('row', { name: /replay_user/ }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Large ones' }).click();
    await page.getByRole('button', { name: 'Remove usd>20' }).waitFor();
    expect(new URL(page.url()).search).toBe('?f=usd%3E20');
  });

  test('finds a user with the palette, and shows the keys with ?', async () => {
    const { page, open } = admin;
    await open('/');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('first_user');
    await page
      .getByRole('option', { name: /first_user/ })
      .first()
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/users\/first_user/);
    await page.getByRole('heading', { name: 'first_user' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Devices & addresses').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('has no violation of WCAG 2.2 AA on any page', async () => {
    const [one] = await makeCases(service, ['axe'], { device_token: 'dvc_1', payment_fingerprint: 'card_1' });
    const gate = await openTab(service);
    await gate.open('');
    await gate.page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectAccessible(gate.page);
    await gate.close();
    const { page, open, close } = await asAnalyst();
    for (const [path, shown] of [
      ['/', '.tile-value'],
      ['/cases', '.case-link'],
      [`/cases/${one?.case_id}`, '.graph text'],
      [`/decisions/${one?.decision_id}`, '.wf-total'],
    ] as const) {
      await open(path);
      await page.locator(shown).first().waitFor();
      await expectAccessible(page);
    }
    await open(`/cases/${one?.case_id}`);
    await page.getByRole('button', { name: /^Reject/ }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page);
    await close();
  });

  test('signs out', async () => {
    const { page, open } = admin;
    await open('/');
    await page.getByRole('button', { name: /Mara Lind/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await admin.context.cookies()).map(({ value }) => value).filter((value) => value !== '')).toEqual([]);
  });
});
