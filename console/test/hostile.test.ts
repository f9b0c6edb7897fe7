import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { type Json, REVIEW_IP, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson, PASSWORD } from '../../server/test/fixtures/people.ts';
import { faults, openTab, signIn, type Tab } from './pages.ts';

/** Text that runs `hit` if it becomes markup. It begins with the name of the field, so that a page can be searched for it. */
const short = (field: string): string => `${field}"><img src=x onerror=hit()>`;
const long = (field: string): string =>
  `${short(field)}<script>hit()</script><a href="javascript:hit()">\u202Egpj.\${hit()}{{constructor.constructor('hit()')()}}`;
const MAIL = 'mail<img/src=x/onerror=hit()>@example.com';
const URL_OF_SCRIPT = 'javascript:hit()//';

describe.skipIf(CHROMIUM === undefined)('hostile text', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let key: string;
  let tab: Tab;
  const ids: Record<string, string> = {};

  const put = async (method: string, path: string, body: unknown): Promise<Json> => {
    const { status, json } = await service.call(method, path, { key, body });
    expect([path, status < 300, json.error]).toEqual([path, true, undefined]);
    return json;
  };

  beforeAll(async () => {
    service = await startService();
    key = await service.key({ environment: 'production' });
    const { email, person, page } = await addPerson(service, { production: 'admin' });
    const address = (field: string): Json => ({
      line1: long(`${field}_line1`),
      line2: long(`${field}_line2`),
      city: long(`${field}_city`),
      state: long(`${field}_state`),
      postal_code: long(`${field}_code`),
    });
    const screened = await put('POST', '/v1/transactions/screen', {
      user_id: long('user'),
      amount: 49.9,
      currency: 'EUR',
      ip_address: REVIEW_IP,
      device_token: long('device'),
      payment_fingerprint: URL_OF_SCRIPT,
      counterparty_id: long('payee'),
      email: MAIL,
      billing_address: address('billing'),
      shipping_address: address('shipping'),
      metadata: { [short('meta')]: long('value'), url: URL_OF_SCRIPT },
    });
    expect(screened.decision).toBe('review');
    ids.user = encodeURIComponent(long('user'));
    ids.case = screened.case_id;
    ids.decision = screened.decision_id;
    await put('POST', `/v1/cases/${ids.case}/notes`, { text: long('note'), analyst_id: short('analyst') });
    await put('POST', '/v1/labels', {
      transaction_id: screened.transaction_id,
      label: 'fraud',
      source: short('source'),
      notes: long('label_notes'),
    });
    const expression = `user_id == ${JSON.stringify(long('expression'))}`;
    const action = { points: 10 };
    const rule = await put('POST', '/v1/rules', { name: 'hostile', description: long('why'), expression, action });
    ids.rule = rule.rule_id;
    ids.list = (await put('POST', '/v1/lists', { name: 'hostile', description: long('list') })).list_id;
    const entry = { kind: 'user', value: short('entry'), reason: long('reason'), author: short('author') };
    await put('POST', `/v1/lists/${ids.list}/entries`, { entries: [entry] });
    const url = 'https://receiver.example/<img%20src=x%20onerror=hit()>?javascript:hit()';
    ids.webhook = (
      await put('POST', '/v1/webhooks', { url, events: ['case.created'], label: long('endpoint') })
    ).webhook_id;
    await put('POST', '/v1/api-keys', { role: 'reader', label: long('key') });
    await put('PUT', '/v1/settings', { name: short('account') });
    ids.backtest = (await put('POST', '/v1/backtests', { rule: { expression, action } })).backtest_id;
    expect((await page.put(`/v1/people/${person.person_id}`, { name: long('person') })).status).toBe(200);
    const view = { page: 'cases', name: short('view'), query: `status=open&${URL_OF_SCRIPT}` };
    expect((await page.post('/v1/views', view)).status).toBe(201);
    await page.call('POST', '/v1/sign-in', { email, password: PASSWORD }, { 'user-agent': short('agent') });

    tab = await openTab(service);
    await tab.page.addInitScript(`
      window.hits = [];
      window.hit = (what = 'script') => void hits.push(what);
      document.addEventListener('securitypolicyviolation', (event) => hit(event.violatedDirective));`);
    tab.page.on('dialog', (dialog) => faults.push(dialog.message()));
    await tab.open('/me');
    await signIn(tab, email);
  }, PATIENCE_MS);
  afterAll(() => expect(faults).toEqual([]));

  const SENT = [
    long('user'),
    long('payee'),
    MAIL,
    long('device'),
    long('shipping_line1'),
    short('meta'),
    long('value'),
  ];
  const SHOWN: readonly (readonly [string, readonly string[]])[] = [
    ['/cases', [long('user')]],
    ['/cases/:case', [...SENT, long('note'), short('analyst')]],
    ['/decisions/:decision', SENT.filter((text) => text !== MAIL)],
    ['/explorer', [long('user')]],
    ['/users', [long('user')]],
    ['/users/:user', [long('user')]],
    ['/rules', [long('why')]],
    ['/rules/:rule', []],
    ['/lists', [long('list')]],
    ['/lists/:list', [long('list'), short('entry'), long('reason'), short('author')]],
    ['/webhooks', [long('endpoint')]],
    ['/webhooks/:webhook', [long('endpoint')]],
    ['/api-keys', [long('key')]],
    ['/people', [long('person')]],
    ['/audit', [long('person')]],
    ['/settings', [long('person')]],
    ['/me', [long('person')]],
    ['/backtests', []],
    ['/backtests/:backtest', []],
    ['/', []],
  ];

  /** On a busy machine, a search ends before it has found anything, and offers to continue. */
  const isShown = async (text: string): Promise<boolean> => {
    const more = tab.page.getByRole('button', { name: 'Continue' });
    if (await more.isVisible()) await more.click({ timeout: 1000 }).catch(() => {});
    return tab.page.getByText(text).first().isVisible();
  };

  test.each(SHOWN)('%s shows it as text and runs nothing', async (path, texts) => {
    const { page } = tab;
    await tab.open(path.replace(/:(\w+)/, (_, kind: string) => ids[kind] as string));
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Loading' }).first().waitFor();
    for (const text of texts) await expect.poll(() => isShown(text)).toBe(true);
    expect(await page.evaluate('hits')).toEqual([]);
    expect(await page.locator('[onerror], main script, a[href^="javascript:" i]').count()).toBe(0);
  });

  test('the menu of saved views shows it as text and runs nothing', async () => {
    const { page } = tab;
    await tab.open('/cases');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByText(short('view')).waitFor();
    expect(await page.evaluate('hits')).toEqual([]);
  });

  test('the browser itself refuses to turn text into markup', async () => {
    const { page } = tab;
    const write = `try { document.body.innerHTML = ${JSON.stringify(long('markup'))} } catch (error) { error.name }`;
    expect(await page.evaluate(write)).toBe('TypeError');
    expect(await page.evaluate('hits')).toEqual(['require-trusted-types-for']);
    // The browser reports this attempt on its console.
    expect(faults.splice(0)).toEqual([expect.stringContaining('TrustedHTML')]);
  });
});
