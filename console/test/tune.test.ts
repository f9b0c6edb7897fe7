import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { type Client, client, type Json, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addChallenger, withoutTrees } from '../../server/test/fixtures/model-files.ts';
import { addPerson, type Browser, PASSWORD, refusal } from '../../server/test/fixtures/people.ts';
import { expectAccessible, faults, openTab, signIn, type Tab, violationsOf } from './pages.ts';

const NAME = 'gift_cards';
const EXPRESSION = 'amount_usd > 500 && metadata.category == "gift_card"';

describe.skipIf(CHROMIUM === undefined)('tuning in a browser', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let api: Client;
  let manager: Tab;
  let email: string;
  const pay = async (amount: number, more: Json = {}): Promise<Json> =>
    (await api.pay({ user_id: `u${Math.random()}`, amount, currency: 'USD', ...more })).json;
  const payGiftCard = (): Promise<Json> => pay(900, { metadata: { category: 'gift_card' } });
  const tabOf = async (person: { email: string }, options = {}): Promise<Tab> => {
    const tab = await openTab(service, options);
    await tab.open('/rules');
    await signIn(tab, person.email);
    return tab;
  };

  beforeAll(async () => {
    service = await startService({ env: { TRAIN_DAILY: 'off' } });
    api = client(service, await service.key({ environment: 'production' }));
    for (const label of ['fraud', 'fraud', 'fraud', 'legitimate', undefined]) {
      const { transaction_id } = await payGiftCard();
      if (label !== undefined) await api.post('/v1/labels', { transaction_id, label, source: 'chargeback' });
    }
    for (let i = 0; i < 5; i++) await pay(20 + i);
    ({ email } = await addPerson(service, { production: 'manager' }));
    manager = await tabOf({ email });
  }, PATIENCE_MS);
  afterAll(() => {
    // A refused style of the editor, an error, or a request elsewhere.
    expect(faults).toEqual([]);
  });

  test('leads a rule from an idea over a try on the past and the shadow to live, where it catches a payment', async () => {
    const { page } = manager;
    await page.getByRole('button', { name: 'Write the first rule' }).click();
    const editor = page.getByRole('textbox', { name: 'Expression' });
    await editor.click();
    await page.keyboard.type('amont_usd > 500');
    await page.getByText('Line 1, column 1: there is no variable `amont_usd`').waitFor();
    expect(await page.locator('.ex-error').innerText()).toBe('amont_usd');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('amount_u');
    await page.getByRole('option', { name: /amount_usd/ }).click();
    await page.keyboard.type(EXPRESSION.slice('amount_usd'.length));
    await page.getByText('Valid').waitFor();
    await page.getByLabel('Name').fill(NAME);

    await page
      .getByRole('button', { name: /^Backtest/ })
      .first()
      .click();
    const figure = (name: string) => page.locator('.figure', { has: page.getByText(name, { exact: true }) });
    await figure('Fraud caught').getByText('of 3 known fraud').waitFor();
    expect(await figure('Fraud caught').locator('.figure-value').innerText()).toBe('3');
    expect(await figure('False positives').locator('.figure-value').innerText()).toBe('1');
    expect(await figure('Held or blocked').locator('.figure-value').innerText()).toBe('+5');

    // The session ends while the rule is written: nothing is lost.
    await manager.context.clearCookies();
    await page.getByRole('button', { name: 'Create draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/rules\/rule_/);
    const path = `/v1/rules/${new URL(page.url()).pathname.split('/').at(-1)}`;
    expect((await api.get(path)).json).toMatchObject({ name: NAME, expression: EXPRESSION, state: 'draft' });

    await page.getByRole('button', { name: 'Start shadow' }).click();
    await page.getByText('Nothing has matched yet.').waitFor();
    const shadowed = await payGiftCard();
    expect(shadowed.decision).toBe('allow');
    await page.reload();
    await page
      .getByRole('region', { name: 'Newest hits' })
      .getByRole('row', { name: /shadow v2.*900/ })
      .waitFor();

    await page.getByLabel('Payment or event').fill(shadowed.transaction_id);
    await page.getByText('The rule matches this item.').waitFor();
    expect(await page.locator('.parts li').count()).toBe(2);

    await page.getByRole('button', { name: 'Go live' }).click();
    await page.getByRole('dialog').getByText('Fraud caught').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Go live' }).click();
    await page.getByRole('button', { name: 'Back to shadow and edit' }).waitFor();
    const caught = await payGiftCard();
    expect([caught.decision, caught.signals]).toEqual(['review', expect.arrayContaining([`rule.${NAME}`])]);
    await page.reload();
    await page
      .getByRole('row', { name: /live v3/ })
      .getByRole('link')
      .click();
    await page.getByRole('link', { name: `rule.${NAME}` }).waitFor();

    // A live rule is not edited: back to shadow, another text, and back to the version before.
    await page.goBack();
    await page.getByRole('button', { name: 'Back to shadow and edit' }).click();
    await page.getByRole('button', { name: 'Go live' }).waitFor();
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('amount_usd > 400');
    await page.getByRole('button', { name: 'Save as version 5' }).click();
    await page.getByRole('button', { name: 'Go live' }).waitFor();
    await page.getByRole('button', { name: 'Compare' }).first().click();
    await page.getByRole('region', { name: 'Difference' }).getByText(EXPRESSION).waitFor();
    await page.getByRole('button', { name: 'Restore version 4' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(async () => (await api.get(path)).json.expression).toBe(EXPRESSION);
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.getByRole('link', { name: EXPRESSION }).click();
    await page
      .getByRole('button', { name: /^Open the decision/ })
      .first()
      .click();
    await page.waitForURL(/decisions/);
  });

  test('shows the effect of other thresholds, proves it, saves it and goes back', async () => {
    const { page, open } = manager;
    await open('/policy');
    const { scores } = (await api.get('/v1/stats/scores?type=transaction')).json;
    const from = (score: number): number =>
      scores.filter((one: Json) => one.score >= score).reduce((sum: number, one: Json) => sum + one.items, 0);
    const held = page.locator('.figure', { hasText: 'Held or blocked' }).first().locator('.figure-value');
    await expect.poll(() => held.innerText()).toBe(String(from(50)));
    await page.getByLabel('Review from score, Payments').fill('2');
    await expect.poll(() => held.innerText()).toBe(`${from(2)} +${from(2) - from(50)}`);
    // The handles take arrow keys.
    await page.getByLabel('Payments: review from score').press('ArrowLeft');
    await expect.poll(() => held.innerText()).toBe(`${from(1)} +${from(1) - from(50)}`);
    expect(new URL(page.url()).search).toBe('?payments=1-80');
    await page.getByRole('button', { name: /^Backtest/ }).click();
    await page.getByText('decided again with the facts of that time').waitFor();
    await page.locator('.figure', { hasText: 'Amount decided differently' }).waitFor();
    await page.getByRole('button', { name: /^Save as version/ }).click();
    await page.getByRole('dialog').getByText('Payments, review: 50 → 1').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const thresholds = async () => (await api.get('/v1/policy')).json.thresholds.transaction;
    expect(await thresholds()).toEqual({ review: 1, block: 80 });
    await page.getByRole('button', { name: 'Compare' }).first().click();
    await page.getByRole('dialog').getByText('Payments, review: 1 → 50').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(thresholds).toEqual({ review: 50, block: 80 });
  });

  test('adds pasted entries to a list once every row is valid, and says what they catch', async () => {
    const { page, open } = manager;
    await open('/lists');
    await page.getByRole('button', { name: /^New list/ }).click();
    await page.getByLabel('Name').fill('stolen');
    await page.getByLabel('On a match').selectOption('block');
    await page.getByRole('button', { name: 'Create the list' }).click();
    await page.getByRole('button', { name: 'Add the first' }).click();
    await page.getByRole('dialog').getByLabel('Kind', { exact: true }).selectOption('ip_address');
    const values = page.getByLabel('Values');
    await values.fill('198.51.100.7\nnowhere\n198.51.100.0/28');
    await page.getByText('3 rows, 1 invalid').waitFor();
    const add = page.getByRole('dialog').getByRole('button', { name: /^Add/ });
    expect(await add.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('cell', { name: 'not an address or network' }).waitFor();
    await values.fill('kind,value,reason\nip_address,198.51.100.7,Card testing\nuser,=mallory,');
    await page.getByRole('button', { name: 'Add 2 entries' }).click();
    await page.getByRole('row', { name: /198\.51\.100\.7.*Card testing/ }).waitFor();
    expect((await pay(20, { ip_address: '198.51.100.7' })).decision).toBe('block');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('stolen.csv');
    await page.getByRole('button', { name: 'Remove =mallory' }).click();
    await page.getByRole('row', { name: /mallory/ }).waitFor({ state: 'detached' });
    await open('/lists');
    await page.getByLabel('Kind').selectOption('ip_address');
    await page.getByLabel('Value').fill('198.51.100.7');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Card testing').waitFor();
  });

  test('trains, promotes a challenger and rolls back', async () => {
    const file = withoutTrees(1);
    await addChallenger(service.app.backend, 'acme', file);
    const { page, open } = manager;
    await open('/models');
    const champion = async () =>
      (await api.get('/v1/models')).json.models.find(({ status }: Json) => status === 'champion').model_version;
    const before = await champion();
    await page.getByRole('button', { name: 'Train now' }).click();
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await page.getByText('Not enough to learn from').waitFor();
    await page.getByRole('button', { name: 'Promote…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await expect.poll(champion).toBe(file.model_version);
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('button', { name: 'Roll back both environments' }).click();
    await expect.poll(champion).toBe(before);
  });

  describe.each([
    ['reader', 'Requires the role analyst; yours is reader.'],
    ['analyst', undefined],
  ] as const)('as %s', (role, whyNoTry) => {
    test('shows what the role may not do as disabled, and the service refuses the same', async () => {
      const whyNot = `Requires the role manager; yours is ${role}.`;
      const { email, page: session } = await addPerson(service, { production: role });
      const tab = await tabOf({ email });
      const { page } = tab;
      const expectRefused = async (name: RegExp, why: string | undefined): Promise<void> => {
        const button = page.getByRole('button', { name }).first();
        await button.waitFor();
        expect([name, await button.getAttribute('aria-description')]).toEqual([name, why ?? null]);
        if (why !== undefined) await button.dispatchEvent('click');
      };
      await expectRefused(/^New rule/, whyNot);
      await page.getByRole('link', { name: NAME }).click();
      await page.getByText('Valid').waitFor();
      await expectRefused(/^Backtest/, whyNoTry);
      await expectRefused(/^Go live/, whyNot);
      await tab.open('/policy?payments=40-80');
      await expectRefused(/^Backtest/, whyNoTry);
      await expectRefused(/^Save as version/, whyNot);
      await tab.open('/lists/stolen');
      await expectRefused(/^Add entries/, whyNot);
      await tab.open('/models');
      for (const name of [/^Train now/, /^Roll back/, /^Promote/]) await expectRefused(name, whyNot);
      expect(await page.getByRole('dialog').count()).toBe(0);

      const calls: [(at: Browser) => ReturnType<Browser['post']>, boolean][] = [
        [(at) => at.post('/v1/rules', { name: 'x', expression: 'true', action: { decision: 'block' } }), true],
        [(at) => at.put('/v1/policy', { thresholds: { event: { review: 1, block: 2 } } }), true],
        [(at) => at.post('/v1/lists/stolen/entries', { entries: [{ kind: 'user', value: 'x' }] }), true],
        [(at) => at.post('/v1/models/train', {}), true],
        [(at) => at.post('/v1/backtests', { policy: {} }), whyNoTry !== undefined],
      ];
      for (const [call, isRefused] of calls)
        if (isRefused) expect(refusal(await call(session))).toEqual([403, 'insufficient_scope']);
      await tab.close();
    });
  });

  test('has no violation of WCAG 2.2 AA on any page', async () => {
    const [rule] = (await api.get('/v1/rules')).json.rules;
    const long = { name: 'a_rule_with_a_long_name_in_every_look', expression: 'true', action: { points: 30 } };
    expect((await api.post('/v1/rules', long)).status).toBe(201);
    const [backtest] = (await api.get('/v1/backtests')).json.backtests;
    const tab = await tabOf({ email });
    const { page } = tab;
    for (const [path, shown] of [
      ['/rules', '.rule-name'],
      ['/policy?payments=40-80', '.thresholds-plot svg'],
      ['/lists', '.rule-name'],
      ['/models', '.model-facts'],
      ['/backtests', '.rule-name'],
      [`/backtests/${backtest.backtest_id}`, '.figure'],
      ['/lists/stolen', '.entry-value'],
    ] as const) {
      await tab.open(path);
      await page.locator(shown).first().waitFor();
      await expectAccessible(page);
    }
    // With the layers open: a dialog with rows, completion.
    await page.getByRole('button', { name: /^Add entries/ }).click();
    await page.getByLabel('Values').fill('a\nb');
    await page.getByText('2 rows').waitFor();
    await expectAccessible(page);
    await tab.open(`/rules/${rule.rule_id}`);
    await page.locator('.cm-content').waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Expression' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' && fe');
    await page.getByRole('option', { name: /features/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await tab.close();
  });
});
