import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { initial } from '../../src/backend/migrations/001-initial.ts';
import { makeIds } from '../../src/runtime/ids.ts';
import { makeSeal } from '../../src/secrets/seal.ts';
import { createSecretKey } from '../../src/secrets/secret-key.ts';
import { secretContext } from '../../src/webhooks/store.ts';
import { DAY_MS, makeFolder, startService } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { isShared } from '../fixtures/shared-store.ts';

test.skipIf(isShared)('upgrades a store without deliveries: every queued message is sent', async () => {
  const receiver = await startReceiver();
  const dataDir = makeFolder();
  const seal = makeSeal(createSecretKey(dataDir).key);
  const newId = makeIds(Date.now);
  const [webhook, deleted, message, expired] = [newId(), newId(), newId(), newId()];
  const now = Date.now();
  const body = JSON.stringify({ id: `msg_${message}`, note: 'Zürich 東京 🦊' });

  const old = new DatabaseSync(join(dataDir, 'portcullis.db'));
  old.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)');
  old.exec(initial);
  old.exec("INSERT INTO migrations VALUES ('001-initial', 1)");
  old.exec("INSERT INTO tenants VALUES (1, 'default', 'sandbox')");
  old
    .prepare("INSERT INTO webhooks VALUES (?, 1, ?, ?, NULL, 'enabled', ?, ?)")
    .run(
      webhook,
      `${receiver.url}/old?a=b&c=%20d`,
      '["transaction.screened","case.expired"]',
      seal.seal(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, secretContext(webhook)),
      now,
    );
  const queue = old.prepare("INSERT INTO outbox VALUES (?, ?, 1, 'transaction.screened', ?, ?)");
  queue.run(message, webhook, body, now);
  queue.run(message, deleted, body, now);
  old
    .prepare("INSERT INTO cases VALUES (?, 1, 'transaction', 'u', 'open', 70, '[]', ?, ?, NULL, NULL, NULL)")
    .run(expired, now - 8 * DAY_MS, now - DAY_MS);
  old.close();

  const { app } = await startService({ dataDir, clock: Date.now, env: { WEBHOOK_CA_FILE: receiver.caFile } });
  const arrived = () => receiver.received.map((received) => String(received.body));
  await expect.poll(() => arrived().length).toBe(2);
  expect(receiver.received.map(({ path }) => path)).toEqual(new Array(2).fill('/old?a=b&c=%20d'));
  expect(arrived()).toContain(body);
  const [expiry] = arrived().filter((text) => text !== body);
  expect(JSON.parse(expiry as string)).toMatchObject({ type: 'case.expired', data: { case_id: `case_${expired}` } });
  await app.retention.sweepAll();
  expect(await app.backend.read('SELECT 1 FROM deliveries WHERE webhook_id = ?', deleted)).toEqual([]);
});
