import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Statement, Unavailable, UnknownOutcome } from '../../src/backend/backend.ts';
import { openPostgresRecords } from '../../src/backend/postgres/store.ts';
import { makeMigrated, openClient, openStore, terminateConnections } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { makeProxy } from '../fixtures/postgres-proxy.ts';

const insert = (id: string): Statement => ({
  sql: 'INSERT INTO rule_counts (rule_id, version, tenant, matched) VALUES (?, 1, 1, 0)',
  params: [id],
});
const TIMEOUT_MS = 500;
/** The timeout of a statement, and the watchdog that ends it. Writes that wait behind it end with it. */
const BOUND_MS = TIMEOUT_MS + 1000;

/** Expects a call to be refused as unavailable. Returns how long that took. */
const refusalMs = async (write: Promise<unknown>): Promise<number> => {
  const since = performance.now();
  await expect(write).rejects.toThrow(Unavailable);
  return performance.now() - since;
};

/** Writes and reads concurrently until it is stopped. Records acknowledged writes, refusals and other errors. */
const makeLoad = (backend: Awaited<ReturnType<typeof openStore>>['backend']) => {
  const acknowledged: string[] = [];
  const others: unknown[] = [];
  let refused = 0;
  let stopped = false;
  const client = async (number: number): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      const id = `${number} ${i}`;
      try {
        await backend.write([insert(id), insert(`${id} twin`)]);
        acknowledged.push(id);
        await backend.read('SELECT matched FROM rule_counts WHERE rule_id = ?', id);
      } catch (error) {
        if (error instanceof Unavailable) refused++;
        else others.push(error);
        await pause(5);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 30 }, (_, number) => client(number)));
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await clients;
      return { refused, others };
    },
  };
};

describe.skipIf(!hasPostgres)('when PostgreSQL fails', () => {
  test('under load, calls succeed or are unavailable, no acknowledged write is lost, and no unit is half written', async () => {
    const url = await makeMigrated();
    const { backend } = await openStore({ url });
    const load = makeLoad(backend);
    for (let i = 0; i < 5; i++) {
      const before = load.acknowledged.length;
      await expect.poll(() => load.acknowledged.length).toBeGreaterThan(before + 100);
      await terminateConnections(url);
    }
    const before = load.acknowledged.length;
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(before + 100);
    const { refused, others } = await load.stop();
    expect(others).toEqual([]);
    expect(refused).toBeGreaterThan(0);
    const rows = await backend.read<{ id: string }>('SELECT rule_id AS id FROM rule_counts');
    const stored = new Set(rows.map(({ id }) => id));
    expect(load.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    const halves = [...stored].filter((id) => !stored.has(id.endsWith(' twin') ? id.slice(0, -5) : `${id} twin`));
    expect(halves).toEqual([]);
  });

  test('a database that accepts no connections is unavailable at once, and is used again when it does', async () => {
    const url = await makeMigrated();
    const { backend, hasRoom } = await openStore({ url });
    const name = new URL(url).pathname.slice(1);
    const admin = await openClient(url.replace(name, 'postgres'));
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await terminateConnections(url);
    await expect.poll(hasRoom).toBe(false);
    expect(await refusalMs(backend.write([insert('down')]))).toBeLessThan(100);
    expect(await refusalMs(backend.read('SELECT 1'))).toBeLessThan(100);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expect.poll(hasRoom).toBe(true);
    expect(await backend.write([insert('back')])).toEqual({ written: true });
  });

  test('a database that hangs is unavailable in bounded time, then at once, and is used again afterwards', async () => {
    const url = await makeMigrated();
    const { backend, hasRoom } = await openStore({ url, timeoutMs: TIMEOUT_MS });
    const blocker = await openClient(url);
    await blocker.query('BEGIN; LOCK TABLE rule_counts');
    const writes: Promise<number>[] = [];
    for (let i = 0; hasRoom(); i++) {
      writes.push(refusalMs(backend.write([insert(`hangs ${i}`)])));
      await pause(10);
    }
    expect(await refusalMs(backend.write([insert('hangs, too')]))).toBeLessThan(100);
    // Includes writes that only waited behind others.
    expect(Math.max(...(await Promise.all(writes)))).toBeLessThan(BOUND_MS);
    expect(await refusalMs(backend.read('SELECT matched FROM rule_counts'))).toBeLessThan(BOUND_MS);
    expect(await backend.read('SELECT name FROM lists')).toEqual([]);
    await blocker.query('ROLLBACK');
    await expect.poll(hasRoom).toBe(true);
    expect(await backend.write([insert('continues')])).toEqual({ written: true });
    expect(await backend.read("SELECT rule_id FROM rule_counts WHERE rule_id LIKE 'hangs%'")).toEqual([]);
  });

  test('a network that loses everything is unavailable in bounded time, and is used again when it recovers', async () => {
    const proxy = await makeProxy(await makeMigrated());
    const { backend, hasRoom } = await openStore({ url: proxy.url, timeoutMs: TIMEOUT_MS });
    expect(await backend.write([insert('before')])).toEqual({ written: true });
    proxy.dropAll(true);
    expect(await refusalMs(backend.write([insert('dropped')]))).toBeLessThan(BOUND_MS);
    expect(await refusalMs(backend.read('SELECT 1'))).toBeLessThan(BOUND_MS);
    proxy.dropAll(false);
    await expect
      .poll(() => hasRoom() && backend.write([insert(`${Math.random()}`)]).catch(() => undefined))
      .toEqual({
        written: true,
      });
    await backend.close();
    proxy.close();
  });

  test('a write whose answer is lost has an unknown outcome, which a read shows once the session has ended', async () => {
    const proxy = await makeProxy(await makeMigrated());
    // Opened as a thread does: a serving process also refuses writes while it has lost its locks, which lose replies too.
    const backend = await openPostgresRecords({ url: proxy.url, timeoutMs: TIMEOUT_MS });
    const isStored = async (id: string): Promise<boolean> =>
      (await backend.read('SELECT 1 FROM rule_counts WHERE rule_id = ?', id)).length > 0;
    const unknown = async (id: string): Promise<UnknownOutcome> => {
      const error: unknown = await backend.write([insert(id)]).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnknownOutcome);
      return error as UnknownOutcome;
    };
    proxy.loseReplies(true);
    const committed = await unknown('committed');
    proxy.loseReplies(false);
    await committed.ended;
    expect(await isStored('committed')).toBe(true);
    await expect.poll(() => backend.write([insert('again')]).catch(() => {})).toEqual({ written: true });
    const deliver = proxy.holdRequests();
    const delayed = await unknown('delayed');
    await delayed.ended;
    expect(await isStored('delayed')).toBe(false);
    // The session has ended, so a request that arrives now has no effect.
    deliver();
    await expect.poll(() => backend.write([insert('last')]).catch(() => {})).toEqual({ written: true });
    expect(await isStored('delayed')).toBe(false);
    await backend.close();
    proxy.close();
  });

  test('more writes at once than may wait are refused, and the rest are written', async () => {
    const { backend } = await openStore({ url: await makeMigrated() });
    const written = await Promise.allSettled(
      Array.from({ length: 20_100 }, (_, i) => backend.write([insert(`many ${i}`)])),
    );
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(20_000);
    expect(await backend.read('SELECT COUNT(*) AS count FROM rule_counts')).toEqual([{ count: 20_000 }]);
  });

  test.each([1, 2, 3, 4])('connections that end as soon as they are ready, %i times, are replaced', async (times) => {
    const proxy = await makeProxy(await makeMigrated());
    await (await openStore({ url: proxy.url })).backend.close();
    // Opened as a thread does, with one connection of each kind: no other connection hides a lost one.
    const backend = await openPostgresRecords({ url: proxy.url });
    proxy.endWhenReady(times);
    proxy.cutAll();
    const isWritten = (): Promise<boolean> =>
      backend.write([insert(`${times}`)]).then(
        () => true,
        () => false,
      );
    await expect.poll(isWritten).toBe(true);
    await expect.poll(() => backend.read('SELECT 1 AS one').catch(() => [])).toHaveLength(1);
    await backend.close();
    proxy.close();
  });

  test('connections that answer nothing once they are ready are replaced', async () => {
    const proxy = await makeProxy(await makeMigrated());
    const { backend, hasRoom } = await openStore({ url: proxy.url, timeoutMs: TIMEOUT_MS });
    proxy.silentWhenReady(3);
    proxy.cutAll();
    await expect.poll(hasRoom).toBe(false);
    await expect.poll(hasRoom, { timeout: 90_000 }).toBe(true);
    expect(await backend.write([insert('answered')])).toEqual({ written: true });
    await backend.close();
    proxy.close();
  });

  test('a read-only database is unavailable, and is used again without a restart when it takes writes', async () => {
    const url = await makeMigrated();
    const { backend, hasRoom } = await openStore({ url });
    const name = new URL(url).pathname.slice(1);
    const admin = await openClient(url.replace(name, 'postgres'));
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await terminateConnections(url);
    await expect.poll(hasRoom).toBe(false);
    // A connection made now would stay read only for ever, like one made to a standby.
    await pause(300);
    expect(hasRoom()).toBe(false);
    await expect(openStore({ url })).rejects.toThrow('takes no writes');
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expect.poll(hasRoom, { timeout: 90_000 }).toBe(true);
    expect(await backend.write([insert('writable')])).toEqual({ written: true });
  });

  test('a connection that has become read only is replaced', async () => {
    const { backend } = await openStore({ url: await makeMigrated() });
    await backend.write([{ sql: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY', params: [] }]);
    await refusalMs(backend.write([insert('refused')]));
    const isWritten = (): Promise<boolean> =>
      backend.write([insert('written')]).then(
        () => true,
        () => false,
      );
    await expect.poll(isWritten).toBe(true);
  });
});
