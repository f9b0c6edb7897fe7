import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { codeAt, stepAt } from '../../server/src/people/totp.ts';
import { type Client, client, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson, browser, PASSWORD } from '../../server/test/fixtures/people.ts';
import { faults, makeCases, openTab, signIn } from './pages.ts';

describe.skipIf(CHROMIUM === undefined)('a team', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let api: Client;
  beforeAll(async () => {
    service = await startService();
    api = client(service, await service.key({ environment: 'production' }));
  }, PATIENCE_MS);
  afterAll(() => expect(faults).toEqual([]));

  test('of two analysts who take one case at the same time, one has it and the other sees who', async () => {
    const [screened] = await makeCases(service, ['wanted_user']);
    const openQueue = async () => {
      const { email } = await addPerson(service, { production: 'analyst' });
      const tab = await openTab(service);
      // While the feed fails, neither page learns of the other before its own request.
      await tab.page.route('**/v1/feed**', (route) => route.fulfill({ status: 503 }));
      await tab.open('/cases');
      await signIn(tab, email);
      await tab.page.getByRole('checkbox', { name: 'Select the case of wanted_user' }).check();
      return { email, page: tab.page };
    };
    const analysts = [await openQueue(), await openQueue()];
    await Promise.all(analysts.map(({ page }) => page.keyboard.press('t')));

    const ownerOf = async (): Promise<string | null> => (await api.get(`/v1/cases/${screened?.case_id}`)).json.assignee;
    await expect.poll(ownerOf).not.toBe(null);
    const owner = await ownerOf();
    expect(analysts.map(({ email }) => email)).toContain(owner);
    const loser = analysts.find(({ email }) => email !== owner)?.page;
    await loser?.getByText(`${owner} took this case first.`).waitFor();
    await loser?.getByRole('link', { name: /49\.90/ }).click();
    await loser?.getByRole('button', { name: 'Take over' }).waitFor();
    expect(await ownerOf()).toBe(owner);
    expect((await api.get('/v1/audit?action=case.assigned')).json.entries).toHaveLength(1);
  });

  test('an administrator turns a lost second factor off, and stays administrator as long as there is no other', async () => {
    const admin = await addPerson(service, { production: 'admin' });
    const lost = await addPerson(service, { production: 'reader' });
    const { json } = await lost.page.post('/v1/me/totp', { current_password: PASSWORD });
    await lost.page.put('/v1/me/totp', { code: codeAt(json.secret, stepAt(Date.now())) });
    const tab = await openTab(service);
    const { page } = tab;
    await tab.open('/people');
    await signIn(tab, admin.email);
    const rowOf = (email: string) => page.getByRole('row', { name: email });
    const act = async (email: string, item: string): Promise<void> => {
      await rowOf(email)
        .getByRole('button', { name: /Actions/ })
        .click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await rowOf(lost.email).getByRole('cell', { name: 'On', exact: true }).waitFor();
    await act(lost.email, 'Turn second factor off…');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await rowOf(lost.email).getByRole('cell', { name: 'Off', exact: true }).waitFor();
    expect((await browser(service, 'production').signIn(lost.email)).json.next).toBe(null);

    await act(admin.email, 'Change…');
    await page.getByLabel('Role in production').selectOption('reader');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/the last administrator of production/).waitFor();
  });
});
