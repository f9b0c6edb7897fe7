import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../src/backend/backend.ts';
import { openSqliteRecords } from '../../src/backend/embedded/store.ts';
import { makeIds, seqOf } from '../../src/runtime/ids.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { makeMigrated, openClient, openStore, terminateConnections } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { makeProxy } from '../fixtures/postgres-proxy.ts';

/** Records how many tasks ran at the same time, and their order. */
const makeRecorder = () => {
  let inside = 0;
  let most = 0;
  const seen: string[] = [];
  return {
    seen,
    most: () => most,
    run: async (who: string): Promise<string> => {
      most = Math.max(most, ++inside);
      await pause(2);
      seen.push(who);
      inside--;
      return who;
    },
  };
};

test('the embedded store runs tasks of a key one at a time and in order, after a failure too', async () => {
  const backend = openSqliteRecords(makeFolder());
  const recorder = makeRecorder();
  const failing = backend.withLock('a', () => Promise.reject(new Error('it failed')));
  const others = ['1', '2', '3'].map((who) => backend.withLock('a', () => recorder.run(who)));
  await expect(failing).rejects.toThrow('it failed');
  expect(await Promise.all(others)).toEqual(['1', '2', '3']);
  expect(recorder.seen).toEqual(['1', '2', '3']);
  expect(recorder.most()).toBe(1);
  await backend.close();
});

describe.skipIf(!hasPostgres)('locks in PostgreSQL', () => {
  test('run tasks of a key one at a time across processes, in order within a process, and all of them', async () => {
    const url = await makeMigrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url }), openStore({ url })]);
    const recorder = makeRecorder();
    const tasks = Array.from({ length: 60 }, (_, i) =>
      stores[i % 3]?.backend.withLock('the same', () => recorder.run(`${i % 3} ${i}`)),
    );
    expect(await Promise.all(tasks)).toHaveLength(60);
    expect(recorder.most()).toBe(1);
    for (const process of ['0', '1', '2']) {
      const numbers = recorder.seen.filter((who) => who.startsWith(process)).map((who) => Number(who.slice(2)));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  });

  test('a process that releases a lock cannot take it again before processes that wait for it', async () => {
    const url = await makeMigrated();
    const [one, ...others] = await Promise.all([openStore({ url }), openStore({ url }), openStore({ url })]);
    const recorder = makeRecorder();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const first = one?.backend.withLock('the same', () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const waiting = others.map(({ backend }) => backend.withLock('the same', () => recorder.run('other')));
    const client = await openClient(url);
    const ours = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    const countWaiters = async (): Promise<number> =>
      (await client.query(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${ours}`)).rows
        .length;
    await expect.poll(countWaiters).toBe(2);
    const again = one?.backend.withLock('the same', () => recorder.run('one again'));
    end.resolve();
    await Promise.all([first, again, ...waiting]);
    expect(recorder.seen).toEqual(['other', 'other', 'one again']);
  });

  test('of different keys do not wait for each other, even when nested', async () => {
    const { backend } = await openStore({ url: await makeMigrated() });
    const nested = Array.from({ length: 20 }, (_, i) =>
      backend.withLock(`outer ${i}`, () => backend.withLock(`inner ${i}`, async () => i)),
    );
    expect(await Promise.all(nested)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test('held by another process are unavailable in bounded time, and a failed task releases its lock', async () => {
    const url = await makeMigrated();
    const [one, two] = await Promise.all([openStore({ url }), openStore({ url, timeoutMs: 400 })]);
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const long = one.backend.withLock('held', () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const since = performance.now();
    await expect(two.backend.withLock('held', async () => {})).rejects.toThrow(Unavailable);
    expect(performance.now() - since).toBeLessThan(2000);
    end.resolve();
    await long;
    await expect(two.backend.withLock('held', () => Promise.reject(new Error('it failed')))).rejects.toThrow(
      'it failed',
    );
    expect(await one.backend.withLock('held', async () => 'mine')).toBe('mine');
  });
});

describe.skipIf(!hasPostgres)('jobs in PostgreSQL', () => {
  test('run in one process at a time, others skip them, and the end of a process frees its jobs', async () => {
    const url = await makeMigrated();
    const [one, two] = await Promise.all([openStore({ url }), openStore({ url })]);
    const end = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const long = one.backend.tryWithLock('sweep', () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    for (const { backend } of [one, two]) {
      expect(await backend.tryWithLock('sweep', async () => 'twice')).toBeUndefined();
      expect(await backend.tryWithLock('another', async () => 'mine')).toBe('mine');
    }
    end.resolve('done');
    expect(await long).toBe('done');
    expect(await two.backend.tryWithLock('sweep', async () => 'mine')).toBe('mine');
    await expect(two.backend.tryWithLock('sweep', () => Promise.reject(new Error('it failed')))).rejects.toThrow();
    expect(await one.backend.tryWithLock('sweep', async () => 'mine')).toBe('mine');

    const started = Promise.withResolvers<void>();
    void two.backend.tryWithLock('sweep', () => {
      started.resolve();
      return new Promise(() => {});
    });
    await started.promise;
    expect(await one.backend.tryWithLock('sweep', async () => 'mine')).toBeUndefined();
    await terminateConnections(url);
    await expect.poll(() => one.backend.tryWithLock('sweep', async () => 'mine').catch(() => {})).toBe('mine');
  });
});

/** Begins a task that runs until `end` is called. */
const begin = async (act: (what: () => Promise<string>) => Promise<unknown>) => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<string>();
  const done = act(() => {
    begun.resolve();
    return end.promise;
  });
  done.catch(() => {});
  await begun.promise;
  return { end: () => end.resolve('done'), done };
};

describe.skipIf(!hasPostgres)('a process without a session', () => {
  test('frees its locks, jobs and number in bounded time, and writes nothing until it has a number again', async () => {
    const url = await makeMigrated();
    const proxy = await makeProxy(url);
    const silent = await openStore({ url: proxy.url, timeoutMs: 300 });
    const other = await openStore({ url, timeoutMs: 300 });
    const holding = await Promise.all([
      begin((what) => silent.backend.withLock('an item', what)),
      begin((what) => silent.backend.tryWithLock('a job', what)),
    ]);
    expect(await other.backend.tryWithLock('a job', async () => 'mine')).toBeUndefined();
    // To the server, a machine that is gone and a process that hangs look the same: nothing arrives.
    proxy.dropAll(true);
    const patient = { timeout: 90_000 };
    await expect
      .poll(() => other.backend.withLock('an item', async () => 'mine').catch(() => {}), patient)
      .toBe('mine');
    await expect.poll(() => other.backend.tryWithLock('a job', async () => 'mine'), patient).toBe('mine');
    expect([silent.place(), silent.hasRoom()]).toEqual([undefined, false]);
    proxy.dropAll(false);
    for (const { end, done } of holding) {
      end();
      await done.catch(() => {});
    }
    await expect.poll(silent.hasRoom, patient).toBe(true);
    await silent.backend.close();
    proxy.close();
  });

  test('writes nothing until its task under a lost lock ends, since another process may hold that lock', async () => {
    const url = await makeMigrated();
    const { backend, hasRoom } = await openStore({ url });
    const { end, done } = await begin((what) => backend.withLock('an item', what));
    const client = await openClient(url);
    const ended = await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY pid",
    );
    expect(ended.rowCount).toBe(1);
    await expect.poll(hasRoom).toBe(false);
    await pause(500);
    expect(hasRoom()).toBe(false);
    end();
    expect(await done).toBe('done');
    await expect.poll(hasRoom).toBe(true);
  });
});

describe.skipIf(!hasPostgres)('numbers of processes in PostgreSQL', () => {
  test('are unique, and the number of an ended process is given out again', async () => {
    const url = await makeMigrated();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ url })));
    expect(new Set(stores.map(({ place }) => place()?.number)).size).toBe(5);
    const free = stores[2]?.place()?.number;
    await stores[2]?.backend.close();
    const takeNext = async (): Promise<number | undefined> => {
      const next = await openStore({ url });
      const number = next.place()?.number;
      await next.backend.close();
      return number;
    };
    await expect.poll(takeNext).toBe(free);
  });

  test('are taken again after a lost session before any write, and ids keep growing', async () => {
    const url = await makeMigrated();
    const { backend, place, hasRoom } = await openStore({ url });
    const newId = makeIds(() => 1_800_000_000_000, place);
    const before = Array.from({ length: 100 }, newId);
    await backend.write([
      {
        sql: `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
          VALUES (?, 'x', 1, 'event', 0, '', '', '', 1, ?)`,
        params: [seqOf(before[99] as string) + 1_000_000, new Uint8Array()],
      },
    ]);
    const first = place();
    await terminateConnections(url);
    await expect.poll(() => place() === undefined || place() !== first).toBe(true);
    await expect.poll(() => hasRoom() && place() !== first).toBe(true);
    const after = Array.from({ length: 100 }, newId);
    const all = [...before, ...after].map(seqOf);
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
    // Ids that another holder of the number made in between are stored, and come before.
    expect(seqOf(after[0] as string)).toBeGreaterThan(seqOf(before[99] as string) + 1_000_000);
  });

  test('are not taken while a copy into the database runs', async () => {
    const url = await makeMigrated();
    const { hasRoom } = await openStore({ url });
    const client = await openClient(url);
    await client.query('CREATE TABLE copy_under_way (source TEXT, stamp TEXT)');
    await terminateConnections(url);
    await expect.poll(hasRoom).toBe(false);
    await pause(300);
    expect(hasRoom()).toBe(false);
    await client.query('DROP TABLE copy_under_way');
    await expect.poll(hasRoom).toBe(true);
  });
});
