import { expect, test } from 'vitest';
import { client, startService } from './harness.ts';
import { cutAll, openClient, SERVER } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { makeSharedStore } from './shared-store.ts';

const BELIEVED_MS = 1000;

test.skipIf(!hasPostgres)(
  'metrics are told to a known admin also while PostgreSQL is away, and to nobody else; what cannot be counted is not told to be none',
  async () => {
    const env = await makeSharedStore();
    const service = await startService({ env });
    const [watcher, analyst] = [
      client(service, await service.key()),
      client(service, await service.key({ role: 'analyst' })),
    ];
    const hook = { url: 'https://127.0.0.1:9/hook', events: ['case.created'] };
    expect((await watcher.post('/v1/webhooks', hook)).status).toBe(201);
    const owed = async (): Promise<string[]> =>
      [...(await watcher.get('/metrics')).text.matchAll(/^portcullis_deliveries_\w*owed\w* (\S+)$/gm)].map(
        ([, value]) => String(value).toLowerCase(),
      );
    await expect.poll(owed).toEqual(['0', '0']);
    expect((await analyst.get('/metrics')).status).toBe(403);

    const admin = await openClient(SERVER);
    const name = new URL(env.DATABASE_URL as string).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    try {
      await cutAll(env.DATABASE_URL as string);
      await new Promise((done) => setTimeout(done, BELIEVED_MS));
      await expect.poll(async () => (await watcher.get('/v1/cases')).status).toBe(503);
      const told = await watcher.get('/metrics');
      expect([told.status, told.text.includes('portcullis_store_faults_total')]).toEqual([200, true]);
      expect(await owed()).toEqual(['nan', 'nan']);
      expect((await analyst.get('/metrics')).status).toBe(403);
      expect((await client(service, 'sk_test_nobody').get('/metrics')).status).toBe(503);
    } finally {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    }
    await expect.poll(async () => (await watcher.get('/v1/cases')).status).toBe(200);
  },
);
