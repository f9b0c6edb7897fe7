import { describe, expect, test } from 'vitest';
import { Unavailable } from '../src/backend/backend.ts';
import { openSqliteBeside } from '../src/backend/sqlite.ts';
import { makeIds, seqOf } from '../src/ids.ts';
import { makeFolder } from './harness.ts';
import { cutAll, makeDatabase, openClient, openStore } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { makeWire } from './postgres-wire.ts';

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Goes wrong as soon as two are at it at the same time. */
const makeRoom = () => {
  let inside = 0;
  let most = 0;
  const seen: string[] = [];
  return {
    seen,
    most: () => most,
    enter: async (who: string): Promise<string> => {
      most = Math.max(most, ++inside);
      await pause(2);
      seen.push(who);
      inside--;
      return who;
    },
  };
};

test('turns in the embedded store: one at a time for each key, in the order they came, after a failure too', async () => {
  const backend = openSqliteBeside(makeFolder());
  const room = makeRoom();
  const failing = backend.inTurn('a', () => Promise.reject(new Error('it failed')));
  const others = ['1', '2', '3'].map((who) => backend.inTurn('a', () => room.enter(who)));
  await expect(failing).rejects.toThrow('it failed');
  expect(await Promise.all(others)).toEqual(['1', '2', '3']);
  expect(room.seen).toEqual(['1', '2', '3']);
  expect(room.most()).toBe(1);
  await backend.close();
});

describe.skipIf(!hasPostgres)('turns in PostgreSQL', () => {
  test('one at a time for each key across processes, each process in the order it came, and none waits for ever', async () => {
    const url = await makeDatabase();
    const stores = await Promise.all([openStore({ url }), openStore({ url }), openStore({ url })]);
    const room = makeRoom();
    const turns = Array.from({ length: 60 }, (_, i) =>
      stores[i % 3]?.backend.inTurn('the same', () => room.enter(`${i % 3} ${i}`)),
    );
    expect(await Promise.all(turns)).toHaveLength(60);
    expect(room.most()).toBe(1);
    for (const process of ['0', '1', '2']) {
      const numbers = room.seen.filter((who) => who.startsWith(process)).map((who) => Number(who.slice(2)));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  });

  test('whoever gives a turn back cannot take it again before those who wait in line', async () => {
    const url = await makeDatabase();
    const [one, ...others] = await Promise.all([openStore({ url }), openStore({ url }), openStore({ url })]);
    const room = makeRoom();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const held = one?.backend.inTurn('the same', () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const waiting = others.map(({ backend }) => backend.inTurn('the same', () => room.enter('other')));
    const client = await openClient(url);
    const ours = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    const inLine = async (): Promise<number> =>
      (await client.query(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${ours}`)).rows
        .length;
    await expect.poll(inLine).toBe(2);
    const again = one?.backend.inTurn('the same', () => room.enter('one again'));
    end.resolve();
    await Promise.all([held, again, ...waiting]);
    expect(room.seen).toEqual(['other', 'other', 'one again']);
  });

  test('other keys do not wait, also within a turn', async () => {
    const { backend } = await openStore({ url: await makeDatabase() });
    const nested = Array.from({ length: 20 }, (_, i) =>
      backend.inTurn(`outer ${i}`, () => backend.inTurn(`inner ${i}`, async () => i)),
    );
    expect(await Promise.all(nested)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test('a turn that another process does not give back is unavailable in bounded time; a failed one is given back', async () => {
    const url = await makeDatabase();
    const [one, two] = await Promise.all([openStore({ url }), openStore({ url, limitMs: 400 })]);
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const long = one.backend.inTurn('held', () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const since = performance.now();
    await expect(two.backend.inTurn('held', async () => {})).rejects.toThrow(Unavailable);
    expect(performance.now() - since).toBeLessThan(2000);
    end.resolve();
    await long;
    await expect(two.backend.inTurn('held', () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
    expect(await one.backend.inTurn('held', async () => 'mine')).toBe('mine');
  });
});

describe.skipIf(!hasPostgres)('jobs in PostgreSQL', () => {
  test('one process at a time does a job, the others do without it, and whose process ended leaves it to them', async () => {
    const url = await makeDatabase();
    const [one, two] = await Promise.all([openStore({ url }), openStore({ url })]);
    const end = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const long = one.backend.unlessBusy('sweep', () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    for (const { backend } of [one, two]) {
      expect(await backend.unlessBusy('sweep', async () => 'twice')).toBeUndefined();
      expect(await backend.unlessBusy('another', async () => 'mine')).toBe('mine');
    }
    end.resolve('done');
    expect(await long).toBe('done');
    expect(await two.backend.unlessBusy('sweep', async () => 'mine')).toBe('mine');
    await expect(two.backend.unlessBusy('sweep', () => Promise.reject(new Error('it failed')))).rejects.toThrow();
    expect(await one.backend.unlessBusy('sweep', async () => 'mine')).toBe('mine');

    const held = Promise.withResolvers<void>();
    void two.backend.unlessBusy('sweep', () => {
      held.resolve();
      return new Promise(() => {});
    });
    await held.promise;
    expect(await one.backend.unlessBusy('sweep', async () => 'mine')).toBeUndefined();
    await cutAll(url);
    await expect.poll(() => one.backend.unlessBusy('sweep', async () => 'mine').catch(() => {})).toBe('mine');
  });
});

/** Begins something that goes on until it is told to end. */
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

describe.skipIf(!hasPostgres)('a process that is not heard of any more', () => {
  test('leaves turns, jobs and its number to others in bounded time, and writes nothing until it has a number again', async () => {
    const url = await makeDatabase();
    const wire = await makeWire(url);
    const still = await openStore({ url: wire.url, limitMs: 300 });
    const other = await openStore({ url, limitMs: 300 });
    const holding = await Promise.all([
      begin((what) => still.backend.inTurn('an item', what)),
      begin((what) => still.backend.unlessBusy('a job', what)),
    ]);
    expect(await other.backend.unlessBusy('a job', async () => 'mine')).toBeUndefined();
    // As the server sees it, a machine that is gone and a process that stands still are the same: nothing comes.
    wire.swallow(true);
    const patient = { timeout: 10_000 };
    await expect.poll(() => other.backend.inTurn('an item', async () => 'mine').catch(() => {}), patient).toBe('mine');
    await expect.poll(() => other.backend.unlessBusy('a job', async () => 'mine'), patient).toBe('mine');
    expect([still.held(), still.hasRoom()]).toEqual([undefined, false]);
    wire.swallow(false);
    for (const { end, done } of holding) {
      end();
      await done.catch(() => {});
    }
    await expect.poll(still.hasRoom, patient).toBe(true);
    await still.backend.close();
    wire.close();
  });

  test('that lost its session in a turn writes nothing as long as that goes on: another may have the turn', async () => {
    const url = await makeDatabase();
    const { backend, hasRoom } = await openStore({ url });
    const { end, done } = await begin((what) => backend.inTurn('an item', what));
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
  test('no two processes hold the same, and one that ended leaves its number to others', async () => {
    const url = await makeDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ url })));
    expect(new Set(stores.map(({ held }) => held()?.number)).size).toBe(5);
    const free = stores[2]?.held()?.number;
    await stores[2]?.backend.close();
    const takeNext = async (): Promise<number | undefined> => {
      const next = await openStore({ url });
      const number = next.held()?.number;
      await next.backend.close();
      return number;
    };
    await expect.poll(takeNext).toBe(free);
  });

  test('a process that lost its session takes nothing in until it holds a number again, and its ids go on growing', async () => {
    const url = await makeDatabase();
    const { backend, held, hasRoom } = await openStore({ url });
    const newId = makeIds(() => 1_800_000_000_000, held);
    const before = Array.from({ length: 100 }, newId);
    await backend.write([
      {
        sql: `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
          VALUES (?, 'x', 1, 'event', 0, '', '', '', 1, ?)`,
        params: [seqOf(before[99] as string) + 1_000_000, new Uint8Array()],
      },
    ]);
    const first = held();
    await cutAll(url);
    await expect.poll(() => held() === undefined || held() !== first).toBe(true);
    await expect.poll(() => hasRoom() && held() !== first).toBe(true);
    const after = Array.from({ length: 100 }, newId);
    const all = [...before, ...after].map(seqOf);
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
    // What was given out by whoever held the number in between is stored, and comes before.
    expect(seqOf(after[0] as string)).toBeGreaterThan(seqOf(before[99] as string) + 1_000_000);
  });

  test('are not taken where a copy began meanwhile: what it copies is not served', async () => {
    const url = await makeDatabase();
    const { hasRoom } = await openStore({ url });
    const client = await openClient(url);
    await client.query('CREATE TABLE copy_under_way (source TEXT, stamp TEXT)');
    await cutAll(url);
    await expect.poll(hasRoom).toBe(false);
    await pause(300);
    expect(hasRoom()).toBe(false);
    await client.query('DROP TABLE copy_under_way');
    await expect.poll(hasRoom).toBe(true);
  });
});
