import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transaction, WEBHOOK_TYPES } from '@portcullis/contract';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { verifyWebhook } from '../client/src/index.ts';
import { BODY, MESSAGE, OTHER_SECRET, SECRET, type Signed, signed } from '../client/test/sign.ts';
import { retryAfterMs } from '../server/src/webhooks/retry-schedule.ts';
import { blocksOf } from './page-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8');
const blocks = blocksOf(page);

const now = Math.floor(Date.now() / 1000);
const good = { body: BODY, headers: signed(BODY, { at: now }) };
const rotated = { body: BODY, headers: signed(BODY, { at: now, secrets: [OTHER_SECRET, SECRET] }) };
const bad = [
  { body: BODY.replace('Zoë', 'Zoe'), headers: good.headers },
  { body: JSON.stringify(JSON.parse(BODY), null, 1), headers: good.headers },
  { body: BODY, headers: signed(BODY, { at: now, secrets: [OTHER_SECRET] }) },
  { body: BODY, headers: signed(BODY, { at: now - 400 }) },
  { body: BODY, headers: { ...good.headers, 'x-service-signature': '', 'webhook-signature': '' } },
  { body: BODY, headers: { ...good.headers, 'x-service-signature': `t=${now}`, 'webhook-signature': 'v1,' } },
];
const fromFuture = { body: BODY, headers: signed(BODY, { at: now + 400 }) };

/** Runs a snippet, followed by a program that calls its `verify` for each delivery, and returns the printed lines. */
const run = (command: string, args: string[], deliveries: readonly { body: string; headers: Signed }[]): string[] => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', WEBHOOK_SECRET: SECRET },
    input: JSON.stringify(deliveries),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n');
};

const JS_DRIVER = `
import { readFileSync } from 'node:fs';
for (const { body, headers } of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    console.log((await verify(Buffer.from(body), headers)).id);
  } catch {
    console.log('refused');
  }
}`;
const PYTHON_DRIVER = `
import sys
for delivery in json.load(sys.stdin):
    try:
        print(verify(delivery["body"].encode(), delivery["headers"]["x-service-signature"])["id"])
    except ValueError:
        print("refused")
`;

describe('docs/webhooks.md', () => {
  test('shows a genuine delivery that matches the contract', async () => {
    const [head = '', body = ''] = (blocks.find(({ language }) => language === 'http')?.text ?? '').split('\n\n');
    const headers = new Headers(
      head
        .split('\n')
        .slice(1)
        .map((line) => line.split(': ', 2) as [string, string]),
    );
    const secret = /`(whsec_[^`]+)`/.exec(page)?.[1] as string;
    const message = await verifyWebhook(body, headers, secret, {
      now: () => Number(headers.get('webhook-timestamp')) * 1000,
    });
    expect(message.id).toBe(headers.get('webhook-id'));
    expect(Compile(Transaction).Check(message.data)).toBe(true);
  });

  test('names every type of message', () => {
    const table = page.slice(page.indexOf('## Types of message'), page.indexOf('## Verifying'));
    expect([...table.matchAll(/^\| `([a-z]+\.[a-z.]+)` \|/gm)].map(([, type]) => type).sort()).toEqual(
      [...WEBHOOK_TYPES].sort(),
    );
  });

  test('lists the delays between attempts', () => {
    const unit: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 };
    const shown = [...page.matchAll(/^\| \d \| (\d+) (s|min|h) \|/gm)].map(
      ([, count, of]) => Number(count) * (unit[of as string] as number),
    );
    expect(shown).toEqual(Array.from({ length: 7 }, (_, index) => retryAfterMs(index + 1, 0.5)));
    expect(retryAfterMs(8, 0.5)).toBe(undefined);
  });

  const snippets = blocks.filter(({ language }) => language === 'js');
  test.each(snippets.map((block) => [/from '([^']+)'/.exec(block.text)?.[1], block.text] as const))(
    'has code for %s that accepts genuine deliveries and refuses others',
    (library, text) => {
      // Stripe's library accepts any time in the future, as the page says.
      const refused = library === 'stripe' ? bad : [...bad, fromFuture];
      const lines = run(process.execPath, ['--input-type=module', '-e', text + JS_DRIVER], [good, rotated, ...refused]);
      expect(lines).toEqual([MESSAGE.id, MESSAGE.id, ...refused.map(() => 'refused')]);
    },
  );
  test('has code for the client, stripe and standardwebhooks', () => {
    expect(snippets.map(({ text }) => /from '([^']+)'/.exec(text)?.[1])).toEqual([
      '@portcullis/client',
      'stripe',
      'standardwebhooks',
    ]);
  });

  test('has Python code that accepts genuine deliveries and refuses others', ({ annotate }) => {
    if (spawnSync('python3', ['--version']).error !== undefined) return annotate('python3 is not installed: skipped');
    const text = blocks.find(({ language }) => language === 'python')?.text as string;
    const refused = [...bad, fromFuture];
    const lines = run('python3', ['-c', text + PYTHON_DRIVER], [good, rotated, ...refused]);
    expect(lines).toEqual([MESSAGE.id, MESSAGE.id, ...refused.map(() => 'refused')]);
  });
});
