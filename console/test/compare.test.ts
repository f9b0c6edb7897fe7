import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../device/test/chromium.ts';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { type Client, client, type Json, type Service, startService } from '../../server/test/fixtures/harness.ts';
import { addPerson } from '../../server/test/fixtures/people.ts';
import { expectAccessible, faults, openTab, signIn, type Tab } from './pages.ts';

const WIDE = 'amount_usd > 50';
const NARROW = 'amount_usd > 500';

describe.skipIf(CHROMIUM === undefined)('comparing backtests in a browser', { timeout: PATIENCE_MS }, () => {
  let service: Service;
  let api: Client;
  let tab: Tab;
  let narrow: Json;
  let wide: Json;
  const tryRule = async (expression: string, until: string): Promise<Json> => {
    const started = await api.post('/v1/backtests', { rule: { expression, action: { decision: 'review' } }, until });
    expect(started.status).toBe(202);
    const read = async (): Promise<Json> => (await api.get(`/v1/backtests/${started.json.backtest_id}`)).json;
    await vi.waitUntil(async () => (await read()).status === 'done', { timeout: 90_000, interval: 20 });
    return read();
  };
  const valuesOf = (table: string, name: string): Promise<readonly string[]> =>
    tab.page
      .getByRole('region', { name: table })
      .getByRole('row', { name: new RegExp(`^${name} `) })
      .getByRole('cell')
      .allInnerTexts();

  beforeAll(async () => {
    service = await startService({ env: { TRAIN_DAILY: 'off' } });
    api = client(service, await service.key({ environment: 'production' }));
    for (const [at, amount] of [900, 800, 100, 90, 80, 20, 21, 22].entries()) {
      const { json } = await api.pay({ user_id: `user_${at}`, amount, currency: 'USD' });
      if (amount === 900 || amount === 100)
        await api.post('/v1/labels', { transaction_id: json.transaction_id, label: 'fraud', source: 'chargeback' });
    }
    const until = new Date().toISOString();
    narrow = await tryRule(NARROW, until);
    wide = await tryRule(WIDE, until);
    const { email } = await addPerson(service, { production: 'reader' });
    tab = await openTab(service);
    await tab.open('/backtests');
    await signIn(tab, email);
  }, PATIENCE_MS);
  afterAll(() => {
    expect(faults).toEqual([]);
  });

  test('shows two backtests side by side, chosen with the keyboard alone', async () => {
    const { page } = tab;
    await page.getByRole('link', { name: NARROW }).waitFor();
    const compare = page.getByRole('button', { name: 'Compare' });
    expect(await compare.getAttribute('aria-description')).toBe('Select two finished backtests.');
    // The newest is first: the wide rule.
    for (const key of ['j', 'x', 'k', 'x']) await page.keyboard.press(key);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?a=${narrow.backtest_id}&b=${wide.backtest_id}`);
    await page.getByRole('link', { name: `A: ${NARROW}` }).waitFor();
    await page.getByRole('link', { name: `B: ${WIDE}` }).waitFor();
  });

  test('has the figures of both with their difference, and the same after a reload and swapped', async () => {
    const { page } = tab;
    await tab.open(`/backtests/compare?a=${narrow.backtest_id}&b=${wide.backtest_id}`);
    await page.getByRole('region', { name: 'Decisions, A and B' }).waitFor();
    const flagged = ({ outcome }: Json): number => outcome.after.review + outcome.after.block;
    expect(flagged(wide) - flagged(narrow)).toBe(3);
    const counts = [String(flagged(narrow)), String(flagged(wide)), '+3'];
    expect(await valuesOf('Decisions, A and B', 'Flagged: review or block')).toEqual(counts);
    expect(await valuesOf('Decisions, A and B', 'Screened')).toEqual([
      String(narrow.outcome.items),
      String(wide.outcome.items),
      '±0',
    ]);
    expect(await page.getByText('cover different periods').count()).toBe(0);
    expect(await valuesOf('Quality, A and B', 'Fraud held')).toEqual(['50%', '100%', '+50 points']);
    const precision = ({ outcome }: Json): string => outcome.quality.after.average_precision.toFixed(3);
    const [a, b] = await valuesOf('Quality, A and B', 'Average precision');
    expect([a, b]).toEqual([precision(narrow), precision(wide)]);
    expect(await valuesOf('Amounts, A and B', 'USD, fraud held')).toEqual(['US$900.00', 'US$1,000.00', '+US$100.00']);
    const signal = narrow.outcome.quality.signals[0];
    const [words] = await valuesOf('Signals, A and B', signal.signal.replaceAll('_', '.').replace(/^./, '.'));
    expect(words).toContain(`${signal.frauds} of ${signal.items}`);

    await page.keyboard.press('s');
    await page.getByRole('link', { name: `A: ${WIDE}` }).waitFor();
    expect(await valuesOf('Decisions, A and B', 'Flagged: review or block')).toEqual([counts[1], counts[0], '−3']);
    await page.getByRole('link', { name: 'Backtests' }).last().click();
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(2);
  });

  test('says that counts differ where the times do, and what to do without two ids', async () => {
    const { page } = tab;
    await api.pay({ user_id: 'later', amount: 20, currency: 'USD' });
    const later = await tryRule(WIDE, new Date().toISOString());
    await tab.open(`/backtests/compare?a=${wide.backtest_id}&b=${later.backtest_id}`);
    await page.getByText('cover different periods').waitFor();
    const counts = [wide.outcome.items, later.outcome.items];
    const screened = [...counts.map(String), `+${counts[1] - counts[0]}`];
    expect(await valuesOf('Decisions, A and B', 'Screened')).toEqual(screened);
    await tab.open('/backtests/compare?a=');
    await page.getByText('Select two finished backtests in the list.').waitFor();
  });

  test('has no violation of WCAG 2.2 AA', async () => {
    const { page } = tab;
    await tab.open(`/backtests?picked=${narrow.backtest_id},${wide.backtest_id}`);
    await page.getByRole('checkbox', { checked: true }).first().waitFor();
    await expectAccessible(page);
    await tab.open(`/backtests/compare?a=${narrow.backtest_id}&b=${wide.backtest_id}`);
    await page.getByRole('region', { name: 'Signals, A and B' }).waitFor();
    await expectAccessible(page);
  });
});
