import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { codeAt, stepAt } from '../../server/src/people/totp.ts';
import { type Client, client, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson, PASSWORD } from '../../server/test/fixtures/people.ts';
import { startReceiver } from '../../server/test/fixtures/receiver.ts';
import { expectAccessible, faults, makeCases, openTab, signIn, type Tab, violationsOf } from './pages.ts';

const PAGES = ['/webhooks', '/api-keys', '/integration', '/people', '/audit', '/settings', '/me'] as const;

describe.skipIf(CHROMIUM === undefined)('the pages for administrators', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let isDown = false;
  let admin: Tab;
  let email: string;
  let api: Client;
  beforeAll(async () => {
    receiver = await startReceiver((_received, response) => void response.writeHead(isDown ? 500 : 204).end());
    service = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile } });
    api = client(service, await service.key({ environment: 'production' }));
    ({ email } = await addPerson(service, { production: 'admin', sandbox: 'admin' }));
    admin = await openTab(service);
    await admin.open('/webhooks');
    await signIn(admin, email);
  }, PATIENCE_MS);
  afterAll(() => expect(faults).toEqual([]));

  const arrived = (type: string) =>
    receiver.received.filter(({ body }) => JSON.parse(body.toString('utf8')).type === type);
  /** Takes what is shown once, and closes its dialog. */
  const takeOnce = async ({ page }: Tab, label: string): Promise<string> => {
    const value = await page.getByRole('group', { name: label, exact: true }).innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    return value.trim();
  };

  test('adds an endpoint, to which the webhook of a case arrives', async () => {
    const { page } = admin;
    await page.getByText('No endpoints yet').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('URL').fill('http://127.0.0.1/');
    await page.getByRole('button', { name: 'Add endpoint' }).last().click();
    await page.getByText('must begin with https://').waitFor();
    await page.getByLabel('URL').fill(`${receiver.url}/hooks`);
    await page.getByLabel('Name').fill('Case queue');
    await page.getByRole('button', { name: 'Add endpoint' }).last().click();
    expect(await takeOnce(admin, 'Signing secret')).toMatch(/^whsec_/);
    await page.getByRole('heading', { name: 'Case queue' }).waitFor();
    await makeCases(service, ['hook_user']);
    await expect.poll(() => arrived('case.created').length).toBe(1);
    await page.getByRole('row', { name: /case\.created.*Delivered.*204/ }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('region', { name: 'Body' }).getByText('hook_user').waitFor();
    await page.getByRole('region', { name: 'Headers' }).getByText('x-service-signature').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test('sends a failed delivery again, alone and with all others, and each arrives', async () => {
    const { page } = admin;
    // All attempts of a delivery take days, so it fails here by decree.
    const failAll = () => service.app.backend.write([{ sql: "UPDATE deliveries SET status = 'failed'", params: [] }]);
    isDown = true;
    await page.keyboard.press('t');
    await page.getByRole('region', { name: 'Attempts' }).getByText('The endpoint returned 500.').waitFor();
    await failAll();
    const panel = page.getByRole('complementary', { name: 'Delivery' });
    await panel.getByText('Failed', { exact: true }).waitFor();
    isDown = false;
    const before = arrived('webhook.test').length;
    await page.getByRole('button', { name: 'Send again' }).click();
    await panel.getByText('Delivered', { exact: true }).waitFor();
    expect(arrived('webhook.test').length).toBe(before + 1);
    await failAll();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByRole('row', { name: /webhook\.test.*Failed/ }).waitFor();
    expect(new URL(page.url()).search).toContain('status=failed');
    const messages = new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
    const count = receiver.received.length;
    await page.getByRole('button', { name: 'Send all failed again' }).click();
    await expect.poll(() => receiver.received.length).toBe(count + messages);
    await page.getByText('No delivery matches').waitFor();
  });

  test('rotates the secret, disables and deletes an endpoint', async () => {
    const { page } = admin;
    const more = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await more('Rotate the secret…');
    await page.getByRole('button', { name: 'Rotate' }).click();
    expect(await takeOnce(admin, 'Signing secret')).toMatch(/^whsec_/);
    await page.getByText('The old signing secret is valid for another 23 h').waitFor();
    await expectAccessible(page);
    // Counts the last seconds of the old secret down. The clock of the page stands still in between, whatever the machine does.
    const until = Date.now() + 120_000;
    const other = await openTab(service);
    await other.context.addCookies(await admin.context.cookies());
    await other.page.clock.install();
    await other.page.route(/\/v1\/webhooks\/wh_\w+$/, async (route) => {
      const response = await route.fetch();
      const previous_secret_until = new Date(until).toISOString();
      await route.fulfill({ response, json: { ...(await response.json()), previous_secret_until } });
    });
    await other.page.goto(page.url());
    const left = other.page.locator('.old-secret strong');
    await left.waitFor();
    await other.page.clock.pauseAt(until - 3500);
    for (const shown of [['3 s'], ['2 s'], ['1 s'], ['0 s'], []]) {
      await expect.poll(() => left.allInnerTexts()).toEqual(shown);
      await other.page.clock.runFor(1000);
    }
    await other.close();
    await more('Disable…');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Send test' }).getAttribute('aria-description')).toContain('Enable');
    await more('Enable');
    await page.getByText('Enabled', { exact: true }).waitFor();
    await more('Delete…');
    const act = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    expect(await act.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Type Case queue to confirm').fill('Case queue');
    await act.click();
    await page.getByText('No endpoints yet').waitFor();
  });

  test('makes a restricted key that is used, rolled and revoked', async () => {
    const { page } = admin;
    const statusOf = async (key: string, path: string) => (await service.call('GET', path, { key })).status;
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Dashboards');
    await dialog.getByLabel('Role').selectOption('restricted');
    await dialog.getByRole('checkbox', { name: /^screen/ }).uncheck();
    await dialog.getByRole('checkbox', { name: /^read ?Read results/ }).check();
    await dialog.getByLabel('Networks').fill('not a network');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('must be an IP address, or a network').waitFor();
    await dialog.getByLabel('Networks').fill('127.0.0.0/8 ::1');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const first = await takeOnce(admin, 'Secret');
    expect(first).toMatch(/^sk_live_/);
    expect([await statusOf(first, '/v1/cases'), await statusOf(first, '/v1/api-keys')]).toEqual([200, 403]);
    const row = page.getByRole('row', { name: /Dashboards.*Restricted.*read.*127\.0\.0\.0\/8, ::1/ });
    await row.getByText(email).waitFor();
    await row.getByRole('button', { name: /Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Roll…' }).click();
    await page.getByLabel('Keep the old key working').selectOption('0');
    await page.getByRole('button', { name: 'Roll key' }).click();
    const second = await takeOnce(admin, 'Secret');
    expect([await statusOf(first, '/v1/cases'), await statusOf(second, '/v1/cases')]).toEqual([401, 200]);
    await row
      .first()
      .getByRole('button', { name: /Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page.getByLabel('Type Dashboards to confirm').fill('Dashboards');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await statusOf(second, '/v1/cases')).toBe(401);
  });

  test('invites a person, who signs in with the given role, and gets another while signed in', async () => {
    const { page, open } = admin;
    await open('/people');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Lena Vogt');
    await page.getByLabel('E-mail address').fill('lena@acme.example');
    await page.getByLabel('Role in production').selectOption('reader');
    await page.getByLabel('Role in sandbox').selectOption('analyst');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const link = await takeOnce(admin, 'Link');
    await page.getByRole('row', { name: /Lena Vogt.*Reader.*Analyst.*Invited/ }).waitFor();

    const lena = await openTab(service);
    await lena.page.goto(link);
    await lena.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await lena.page.getByRole('button', { name: 'Continue' }).click();
    await lena.page.getByRole('button', { name: 'Not now' }).click();
    await lena.open('/settings');
    await lena.page.getByRole('button', { name: /Lena Vogt Reader/ }).waitFor();

    await page.getByRole('button', { name: 'Actions for Lena Vogt' }).click();
    await page.getByRole('menuitem', { name: 'Change…' }).click();
    await page.getByLabel('Role in production').selectOption('admin');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Lena Vogt.*Admin.*Analyst/ }).waitFor();
    // The session has ended. After the sign-in the page is that of the new role.
    await lena.page.keyboard.press('g');
    await lena.page.keyboard.press('w');
    await lena.page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(PASSWORD);
    await lena.page.keyboard.press('Enter');
    await lena.page.getByRole('button', { name: /Lena Vogt Admin/ }).waitFor();
    const add = lena.page.getByRole('button', { name: 'Add endpoint' });
    expect(await add.getAttribute('aria-disabled')).toBe(null);

    await page.getByRole('button', { name: 'Actions for Lena Vogt' }).click();
    await page.getByRole('menuitem', { name: 'Reset link…' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    expect(await takeOnce(admin, 'Link')).toContain('/console/invite#');
    await page.getByRole('button', { name: 'Actions for Lena Vogt' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByLabel('Type lena@acme.example to confirm').fill('lena@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: /Lena Vogt/ }).waitFor({ state: 'detached' });
    await lena.close();
  });

  test('changes the own name, second factor, password, sessions and time zone', async () => {
    const own = await addPerson(service, { production: 'analyst' });
    const tab = await openTab(service);
    const { page } = tab;
    await tab.open('/me');
    await signIn(tab, own.email);
    await page.getByLabel('Your name').fill('Tom Berg');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Tom Berg' }).waitFor();
    // The link opened a session of its own.
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
    expect((await own.page.get('/v1/me')).status).toBe(401);

    await page.getByRole('button', { name: 'Add an app…' }).click();
    await page.getByRole('dialog').getByLabel('Current password').fill('wrong password here');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText(/wrong/i).waitFor();
    await page.getByRole('dialog').getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Code', { exact: true }).waitFor();
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
    const uri = (await page.getByRole('link', { name: 'Open an app' }).getAttribute('href')) ?? '';
    const secret = /secret=([A-Z2-7]+)/.exec(uri)?.[1] as string;
    await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, stepAt(Date.now())));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel('Code', { exact: true }).fill(codes[0] as string);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Add an app…' }).waitFor();

    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another horse battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('status').getByText('Saved').last().waitFor();
    await page.getByLabel('Time zone').selectOption('Pacific/Kiritimati');
    await page.getByText('in Pacific/Kiritimati.').waitFor();
    await page.getByLabel('Use single keys as shortcuts').uncheck();
    await page.getByRole('heading', { name: 'Tom Berg' }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    expect(new URL(page.url()).pathname).toMatch(/\/me$/);
    await tab.close();
  });

  test('saves settings that the queue uses, although the session ended in between', async () => {
    const [one] = await makeCases(service, ['target_user']);
    await service.app.backend.write([{ sql: 'UPDATE cases SET created_at = created_at - ?', params: [2 * 3_600_000] }]);
    const { page, open, context } = admin;
    await open('/settings');
    await page.getByLabel('Name of the account').fill('Nordlys');
    await page.getByLabel('Time zone').selectOption('Pacific/Kiritimati');
    await page.getByLabel('Review target').fill('1');
    await page.getByLabel('Require a note').check();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Saved').waitFor();
    expect((await api.get('/v1/settings')).json).toMatchObject({
      name: 'Nordlys',
      time_zone: 'Pacific/Kiritimati',
      review_target_minutes: 60,
      note_required_on_reject: true,
    });
    await open('/cases?f=target%3Aover&f=user%3Atarget_user');
    await page.getByRole('row', { name: /target_user.*past the target/ }).waitFor();
    // A busy machine runs timers late: the focus must not move while a person types.
    await page.evaluate('{ const later = setTimeout; setTimeout = (run, after = 300) => later(run, after); }');
    await page.keyboard.press('r');
    await page.getByLabel('Note').click();
    await page.keyboard.press('Enter');
    // The note is required: the dialog stays, and the note has the focus.
    await page.keyboard.type('Stolen.', { delay: 100 });
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await api.get(`/v1/cases/${one?.case_id}`)).json)
      .toMatchObject({ status: 'rejected', notes: 'Stolen.' });
  });

  test('shows every change with its author, finds it by filters, and checks the log', async () => {
    const { page, open } = admin;
    await open('/audit?action=settings');
    await page.getByRole('button', { name: /Settings changed/ }).click();
    await page.getByRole('row', { name: /review_target_minutes – 60/ }).waitFor();
    await page.getByLabel('Actor').fill('nobody@acme.example');
    await page.keyboard.press('Enter');
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).first().click();
    await page.getByRole('button', { name: /API key rolled/ }).waitFor();
    await page.getByRole('button', { name: 'Check the log' }).click();
    await page.getByText('The log is intact').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^audit-production-.*\.csv$/);
  });

  test('leads from a made key to the first request, which appears as it arrives', async () => {
    const { page } = admin;
    await page.goto(`${service.url}/console/sandbox/integration`);
    await page.getByText('Nothing has arrived yet').waitFor();
    await page.getByRole('button', { name: 'Create a key for one day' }).click();
    await page.getByText('The key is in the request below').waitFor();
    const curl = await page.getByLabel('Request with curl').innerText();
    expect(curl).toContain(`${service.url}/v1/transactions/screen`);
    const key = /sk_test_\w+/.exec(curl)?.[0];
    const body = JSON.parse(/-d '(.*)'/s.exec(curl)?.[1] as string);
    expect((await service.call('POST', '/v1/transactions/screen', { key, body })).json.decision).toBe('review');
    await page.getByRole('link', { name: '€49.90' }).waitFor();
    await page.getByRole('button', { name: 'A login' }).click();
    await page.getByRole('button', { name: 'Send it from this page' }).click();
    await page.getByLabel('Response').getByText('"event_id"').waitFor();
    await page.getByRole('row', { name: /device_token 0% 0%/ }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Done: Payments arrive' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test.each(['reader', 'analyst'] as const)(
    'names the role that a page takes to the role %s, which the API refuses',
    async (role) => {
      const { email, page: person } = await addPerson(service, { production: role });
      const webhook = await api.post('/v1/webhooks', { url: `${receiver.url}/x`, events: ['case.created'] });
      const tab = await openTab(service);
      const { page } = tab;
      await tab.open('/webhooks');
      await signIn(tab, email);
      const why = `Requires the role admin; yours is ${role}.`;
      for (const [path, name] of [
        ['/webhooks', 'Add endpoint'],
        [`/webhooks/${webhook.json.webhook_id}`, 'Send test'],
        ['/api-keys', 'Create key'],
        ['/people', 'Invite'],
        ['/audit', 'Export'],
        ['/settings', 'Save'],
        ['/integration', 'Create a key for one day'],
      ] as const) {
        await tab.open(path);
        const button = page.getByRole('button', { name });
        await button.waitFor();
        expect([path, await button.getAttribute('aria-description')]).toEqual([path, why]);
        await button.dispatchEvent('click');
      }
      expect(await page.getByRole('dialog').count()).toBe(0);
      // How often a field was sent says nothing about a person.
      await page.getByRole('row', { name: /device_token 0%/ }).waitFor();
      const refused = await Promise.all([
        person.post('/v1/webhooks', { url: `${receiver.url}/y`, events: ['case.created'] }),
        person.get('/v1/api-keys'),
        person.get('/v1/people'),
        person.get('/v1/audit'),
        person.put('/v1/settings', { name: 'x' }),
      ]);
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      await api.delete(`/v1/webhooks/${webhook.json.webhook_id}`);
      await tab.close();
    },
  );

  describe('no violation of WCAG 2.2 AA', () => {
    const openIdle = async (path: string): Promise<void> => {
      await admin.open(path);
      await admin.page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Loading' }).waitFor();
      await admin.page.locator('.skeleton').first().waitFor({ state: 'detached' });
    };

    test.each(PAGES)('is on %s', async (path) => {
      await openIdle(path);
      await expectAccessible(admin.page);
    });

    test('is on the page of an endpoint', async () => {
      const endpoint = { url: `${receiver.url}/seen`, events: ['case.created'], label: 'Endpoint' };
      const { json } = await api.post('/v1/webhooks', endpoint);
      await api.post(`/v1/webhooks/${json.webhook_id}/test`, {});
      await openIdle(`/webhooks/${json.webhook_id}`);
      await expectAccessible(admin.page);
    });

    test('is in the form for a restricted key', async () => {
      await openIdle('/api-keys');
      await admin.page.getByRole('button', { name: 'Create key' }).click();
      await admin.page.getByLabel('Role').selectOption('restricted');
      await expectAccessible(admin.page);
    });
  });
});
