import { expect, test } from 'vitest';
import { client, type Service, startService } from '../fixtures/harness.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { isRedisAvailable } from '../fixtures/redis-world.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';
import { startSyslog } from '../fixtures/syslog-receiver.ts';

const isAvailable = hasPostgres && (await isRedisAvailable());

test.skipIf(!isAvailable)('of several processes one streams, another takes over, and ROLE=api never does', async () => {
  const { port, messages } = await startSyslog();
  const env = { ...(await makeSharedStore()), AUDIT_STREAM: `syslog://127.0.0.1:${port}` };
  const start = (ROLE: string): Promise<Service> => startService({ env: { ...env, ROLE } });
  const api = await start('api');
  const key = await api.key();
  let lists = 0;
  const change = async (service: Service): Promise<void> => {
    expect((await client(service, key).post('/v1/lists', { name: `list_${lists++}` })).status).toBe(201);
  };
  await change(api);
  const [one, two] = [await start('all'), await start('all')];
  for (let round = 0; round < 5; round++) for (const service of [api, one, two]) await change(service);
  const every = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
  const numbers = (): number[] => messages.map(({ json }) => json.number);
  // Each once: two processes that stream would send entries twice.
  await expect.poll(numbers).toEqual(every(17));
  await one.stop();
  await change(two);
  await change(api);
  await expect.poll(numbers).toEqual(every(19));
});
