import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sellGiftCards } from '../server/test/fixtures/gift-cards.ts';
import { type Client, client, login, makeClock, makeFolder, startService } from '../server/test/fixtures/harness.ts';
import { repeat, storeDecisions, tenantOf } from '../server/test/fixtures/past-decisions.ts';
import { blocksOf } from './page-blocks.ts';
import { followPage } from './page-follow.ts';
import { openShell } from './page-shell.ts';

/** A fixed clock, because the pages contain dates that must stay in the future. */
const clock = makeClock();
const service = await startService({ clock: clock.now, logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
const shells: ReturnType<typeof openShell>[] = [];
afterAll(() => {
  for (const shell of shells) shell.close();
});

const read = (page: string): string => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
const hasJq = spawnSync('jq', ['--version']).error === undefined;

/** Runs the commands of a page in a new account, with a file of addresses in the working directory. */
const follow = async (
  page: string,
  environment: 'sandbox' | 'production',
  counted: string[],
  past: (api: Client) => Promise<void>,
) => {
  const key = await service.key({ account: page, environment });
  await past(client(service, key));
  const folder = makeFolder();
  writeFileSync(join(folder, 'addresses.txt'), '192.0.2.1\n192.0.2.2\n');
  const shell = openShell({
    PATH: process.env.PATH ?? '',
    HOME: folder,
    PORTCULLIS_URL: service.url,
    PORTCULLIS_KEY: key,
  });
  shells.push(shell);
  await shell.run(`cd '${folder}'`);
  const runs = ({ text }: { text: string }) => text.includes('curl ') && (hasJq || !text.includes('jq '));
  return followPage(page, { shell, runs, counted });
};

const noPast = async (): Promise<void> => {};
/** Payments enough for a proposal of thresholds, and a login for the backtest to decide again. */
const somePayments = async (api: Client): Promise<void> => {
  await api.act(login());
  const { backend } = service.app;
  const tenant = await tenantOf(backend, 'docs/policy.md');
  const scores = [...repeat(9820, 4), ...repeat(140, 45), ...repeat(32, 62), ...repeat(6, 85), 92, 97];
  await storeDecisions(backend, tenant, 'transaction', scores, clock.now() - 86_400_000);
};
const pages = [
  ['docs/cases.md', 'sandbox', [], noPast],
  ['docs/rules.md', 'sandbox', [], noPast],
  ['docs/lists.md', 'sandbox', [], noPast],
  ['docs/labels.md', 'sandbox', [], noPast],
  ['docs/import.md', 'sandbox', [], noPast],
  ['docs/policy.md', 'sandbox', ['outcome'], somePayments],
  ['docs/models.md', 'production', ['gates'], (api: Client) => sellGiftCards(api, clock.set)],
] as const;

describe.each(pages)('%s', (page, environment, counted, past) => {
  test('has commands that give the shown responses', async ({ annotate }) => {
    if (!hasJq) await annotate('jq is not installed: commands that need it were skipped');
    const { commands, answers } = await follow(page, environment, [...counted], past);
    expect(commands).toBeGreaterThan(2);
    expect(answers).toBe(blocksOf(read(page)).filter(({ language }) => language === 'json').length);
  });

  test('explains the variables of its commands before the first one', () => {
    const [before = ''] = read(page).split(/^```sh\n[^`]*curl /m, 1);
    expect(before).toContain('`$PORTCULLIS_URL` is');
    expect(before).toContain('`$PORTCULLIS_KEY`');
  });
});
