import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { type Service, startService } from '../../server/test/fixtures/harness.ts';
import { startProvider } from '../../server/test/fixtures/oidc.ts';
import { addPerson } from '../../server/test/fixtures/people.ts';
import { faults, openTab, signIn, type Tab, violationsOf } from './pages.ts';

/** The provider must know the address of the service before the service starts. */
const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

describe.skipIf(CHROMIUM === undefined)('single sign-on in the console', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  beforeAll(async () => {
    const port = await findPort();
    provider = await startProvider([`http://127.0.0.1:${port}`]);
    service = await startService({ env: { ...provider.env, PORT: String(port) } });
    const key = await service.key({ environment: 'production' });
    const body = { email: 'mara@acme.example', name: 'Mara', role: 'admin' };
    expect((await service.call('POST', '/v1/people', { key, body })).status).toBe(201);
    await provider.add({ login: 'mara', sub: 'mara', email: 'mara@acme.example', email_verified: true });
    await provider.add({ login: 'stranger', sub: 'stranger', email: 'stranger@x.example', email_verified: true });
  }, PATIENCE_MS);
  afterAll(() => expect(faults).toEqual([]));

  const open = (colorScheme: 'light' | 'dark' = 'light'): Promise<Tab> =>
    openTab(service, { other: provider.issuer, colorScheme });
  /** From the sign-in page over the page of the provider and back. */
  const goThrough = async ({ page }: Tab, login: string): Promise<void> => {
    await page.getByRole('button', { name: 'Continue with Example ID' }).click();
    await page.getByLabel('Login').fill(login);
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  const isInside = ({ page }: Tab): Promise<void> => page.getByRole('navigation', { name: 'Main' }).waitFor();

  test('signs in on the page of the provider, and opens the page that was asked for', async () => {
    const tab = await open();
    await tab.open('/people?sort=name');
    await goThrough(tab, 'mara');
    await isInside(tab);
    expect(new URL(tab.page.url()).pathname + new URL(tab.page.url()).search).toBe(
      '/console/production/people?sort=name',
    );
    await tab.page.getByRole('row', { name: /Mara.*Single sign-on/ }).waitFor();
    await tab.open('/settings');
    await tab.page.getByText('Example ID').waitFor();
    await tab.open('/me');
    await tab.page.getByText('You sign in with single sign-on and have no password.').waitFor();
    expect(await violationsOf(tab.page)).toEqual([]);
    await tab.close();
  });

  test.each(['light', 'dark'] as const)('has a sign-in page without barriers (%s)', async (colorScheme) => {
    const tab = await open(colorScheme);
    await tab.open('/cases');
    await tab.page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
    expect(await violationsOf(tab.page)).toEqual([]);
    await tab.close();
  });

  test('says on the sign-in page why nobody was signed in, and the code leaves the address', async () => {
    const tab = await open();
    await tab.open('/cases');
    await goThrough(tab, 'stranger');
    await tab.page.getByRole('alert').getByText('Ask an administrator to add you.').waitFor();
    expect(tab.page.url()).toBe(`${service.url}/console/sign-in`);
    await tab.page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
    await tab.close();
  });

  test('goes on after the end of a session with a sign-in in another tab', async () => {
    const tab = await open();
    await tab.open('/cases');
    await goThrough(tab, 'mara');
    await isInside(tab);
    const headers = { 'sec-fetch-site': 'same-origin', 'x-portcullis-environment': 'production' };
    expect((await tab.context.request.delete(`${service.url}/v1/me/session`, { headers })).status()).toBe(204);
    await tab.page.getByRole('link', { name: 'People' }).click();
    const link = tab.page.getByRole('link', { name: 'Continue with Example ID in another tab' });
    const [page] = await Promise.all([tab.context.waitForEvent('page'), link.click()]);
    // The provider still knows the person, and asks for nothing.
    await page.getByRole('button', { name: 'Continue with Example ID' }).click();
    await isInside({ ...tab, page });
    await tab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await link.waitFor({ state: 'detached' });
    await tab.page.getByRole('row', { name: /Mara/ }).waitFor();
    await tab.close();
  });

  test('says that the provider is away, and passwords work', async () => {
    const own = await startProvider([service.url]);
    const other = await startService({ env: own.env });
    await own.stop();
    const { email } = await addPerson(other, { production: 'reader' });
    const tab = await openTab(other);
    await tab.open('/cases');
    await tab.page.getByRole('button', { name: 'Continue with Example ID' }).click();
    await tab.page.getByRole('alert').getByText('Sign in with your password, or try again later.').waitFor();
    await signIn(tab, email);
    await tab.close();
  });
});
