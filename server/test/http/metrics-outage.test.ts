import { expect, test } from 'vitest';
import { client, startService } from '../fixtures/harness.ts';
import { openClient, terminateConnections } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { SERVER } from '../fixtures/postgres-server.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';

const KEY_CACHE_MS = 1000;

test.skipIf(!hasPostgres)(
  'a recently used admin key, and no other, reads the metrics while PostgreSQL is unreachable; unknown counts are NaN, not 0',
  async () => {
    const env = await makeSharedStore();
    const service = await startService({ env });
    const [monitor, analyst] = [
      client(service, await service.key()),
      client(service, await service.key({ role: 'analyst' })),
    ];
    const hook = { url: 'https://127.0.0.1:9/hook', events: ['case.created'] };
    expect((await monitor.post('/v1/webhooks', hook)).status).toBe(201);
    const owed = async (): Promise<string[]> =>
      [...(await monitor.get('/metrics')).text.matchAll(/^portcullis_deliveries_\w*owed\w* (\S+)$/gm)].map(
        ([, value]) => String(value).toLowerCase(),
      );
    await expect.poll(owed).toEqual(['0', '0']);
    expect((await analyst.get('/metrics')).status).toBe(403);

    const admin = await openClient(SERVER);
    const name = new URL(env.DATABASE_URL as string).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    try {
      await terminateConnections(env.DATABASE_URL as string);
      await new Promise((done) => setTimeout(done, KEY_CACHE_MS));
      await expect.poll(async () => (await monitor.get('/v1/cases')).status).toBe(503);
      const reply = await monitor.get('/metrics');
      expect([reply.status, reply.text.includes('portcullis_store_faults_total')]).toEqual([200, true]);
      expect(await owed()).toEqual(['nan', 'nan']);
      expect((await analyst.get('/metrics')).status).toBe(403);
      expect((await client(service, 'sk_test_unknown').get('/metrics')).status).toBe(503);
    } finally {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    }
    await expect.poll(async () => (await monitor.get('/v1/cases')).status).toBe(200);
  },
);
