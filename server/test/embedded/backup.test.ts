import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  cacheOf,
  client,
  countersOf,
  databaseOf,
  type Json,
  makeClock,
  makeFolder,
  startService,
} from '../fixtures/harness.ts';
import { factsOf, play, profilesOf, traffic, usersIn } from '../fixtures/traffic.ts';

const silent = { logLevel: 'silent' };

describe('a backup', () => {
  const copy = (from: string, to: string): void => {
    const database = new DatabaseSync(from);
    database.exec(`VACUUM INTO '${to}'`);
    database.close();
  };

  test('taken while the service runs, histories first, continues exactly from its records', async () => {
    const clock = makeClock();
    const live = await startService({ clock: clock.now, ...silent });
    const key = await live.key();
    const steps = [...traffic(23, 90)];
    await play(client(live, key), clock, steps.slice(0, 30));
    await expect.poll(() => cacheOf(live).unsaved, { interval: 20 }).toBe(0);
    const folder = makeFolder();
    cpSync(join(live.dataDir, 'secret.key'), join(folder, 'secret.key'));
    copy(countersOf(live), join(folder, 'counters.db'));
    await play(client(live, key), clock, steps.slice(30, 60));
    copy(databaseOf(live), join(folder, 'portcullis.db'));
    const again = makeClock(clock.now());
    const restored = await startService({ clock: again.now, dataDir: folder, ...silent });
    const rest = steps.slice(60);
    expect(await play(client(restored, key), again, rest)).toEqual(await play(client(live, key), clock, rest));
    expect(await factsOf(restored)).toEqual(await factsOf(live));
  });

  test('whose histories are ahead of its records is refused with advice', async () => {
    const clock = makeClock();
    const live = await startService({ clock: clock.now, ...silent });
    const key = await live.key();
    const folder = makeFolder();
    const steps = [...traffic(29, 40)];
    await play(client(live, key), clock, steps.slice(0, 20));
    copy(databaseOf(live), join(folder, 'portcullis.db'));
    await play(client(live, key), clock, steps.slice(20));
    await expect.poll(() => cacheOf(live).unsaved, { interval: 20 }).toBe(0);
    cpSync(join(live.dataDir, 'secret.key'), join(folder, 'secret.key'));
    copy(countersOf(live), join(folder, 'counters.db'));
    const start = () => startService({ clock: clock.now, dataDir: folder, ...silent });
    await expect(start()).rejects.toThrow(
      /counters\.db contains screenings .* Restore both .* or move counters\.db away/,
    );
    // As advised: without the file, histories are rebuilt from the records.
    for (const file of ['counters.db', 'counters.db-wal', 'counters.db-shm'])
      rmSync(join(folder, file), { force: true });
    const service = await start();
    const users = usersIn(steps.slice(0, 20));
    const profiles = await profilesOf(client(service, key), users);
    const total = profiles.reduce(
      (sum: number, { transactions, events }: Json) => sum + transactions.count + events.count,
      0,
    );
    expect(total).toBe(20);
  });
});

describe('two processes on one folder', () => {
  test('refuse the second, because each would count in its own cache', async () => {
    const service = await startService(silent);
    await expect(startService({ dataDir: service.dataDir, ...silent })).rejects.toThrow(/Another process serves/);
    expect((await service.call('GET', '/readyz')).status).toBe(200);
  });
});
