import { describe, expect, test } from 'vitest';
import { type Statement, Unavailable } from '../src/backend/backend.ts';
import { openPostgresBeside } from '../src/backend/postgres.ts';
import { cutAll, makeDatabase, openClient, openStore } from './postgres.ts';
import { hasPostgres } from './postgres-answers.ts';
import { makeWire } from './postgres-wire.ts';

const insert = (id: string): Statement => ({
  sql: 'INSERT INTO rule_counts (rule_id, version, tenant, matched) VALUES (?, 1, 1, 0)',
  params: [id],
});
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const LIMIT_MS = 500;
/** The statement, and the look that ends it; what waits behind it ends with it. */
const BOUND_MS = LIMIT_MS + 1000;

/** How long it took to be told that the store is not available. */
const refusal = async (write: Promise<unknown>): Promise<number> => {
  const since = performance.now();
  await expect(write).rejects.toThrow(Unavailable);
  return performance.now() - since;
};

/** Writes and reads from many places at once until it is told to stop. Answers with what was acknowledged, and how often it was refused. */
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
  test('connections cut five times under load: only written or unavailable, nothing acknowledged lost, no half of a unit', async () => {
    const url = await makeDatabase();
    const { backend } = await openStore({ url });
    const load = makeLoad(backend);
    for (let i = 0; i < 5; i++) {
      const before = load.acknowledged.length;
      await expect.poll(() => load.acknowledged.length).toBeGreaterThan(before + 100);
      await cutAll(url);
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

  test('a database that takes no connections is told of at once, and used again when it does', async () => {
    const url = await makeDatabase();
    const { backend, hasRoom } = await openStore({ url });
    const name = new URL(url).pathname.slice(1);
    const admin = await openClient(url.replace(name, 'postgres'));
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await cutAll(url);
    await expect.poll(hasRoom).toBe(false);
    expect(await refusal(backend.write([insert('away')]))).toBeLessThan(100);
    expect(await refusal(backend.read('SELECT 1'))).toBeLessThan(100);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expect.poll(hasRoom).toBe(true);
    expect(await backend.write([insert('back')])).toEqual({ written: true });
  });

  test('a database that hangs is unavailable in bounded time, then at once, and used again when it goes on', async () => {
    const url = await makeDatabase();
    const { backend, hasRoom } = await openStore({ url, limitMs: LIMIT_MS });
    const inTheWay = await openClient(url);
    await inTheWay.query('BEGIN; LOCK TABLE rule_counts');
    const writes: Promise<number>[] = [];
    for (let i = 0; hasRoom(); i++) {
      writes.push(refusal(backend.write([insert(`hangs ${i}`)])));
      await pause(10);
    }
    expect(await refusal(backend.write([insert('hangs, too')]))).toBeLessThan(100);
    // One that was only waiting for its turn, too.
    expect(Math.max(...(await Promise.all(writes)))).toBeLessThan(BOUND_MS);
    expect(await refusal(backend.read('SELECT matched FROM rule_counts'))).toBeLessThan(BOUND_MS);
    expect(await backend.read('SELECT name FROM lists')).toEqual([]);
    await inTheWay.query('ROLLBACK');
    await expect.poll(hasRoom).toBe(true);
    expect(await backend.write([insert('goes on')])).toEqual({ written: true });
    expect(await backend.read("SELECT rule_id FROM rule_counts WHERE rule_id LIKE 'hangs%'")).toEqual([]);
  });

  test('a network that swallows everything is unavailable in bounded time, and used again when it is whole', async () => {
    const wire = await makeWire(await makeDatabase());
    const { backend, hasRoom } = await openStore({ url: wire.url, limitMs: LIMIT_MS });
    expect(await backend.write([insert('before')])).toEqual({ written: true });
    wire.swallow(true);
    expect(await refusal(backend.write([insert('swallowed')]))).toBeLessThan(BOUND_MS);
    expect(await refusal(backend.read('SELECT 1'))).toBeLessThan(BOUND_MS);
    wire.swallow(false);
    await expect
      .poll(() => hasRoom() && backend.write([insert(`${Math.random()}`)]).catch(() => undefined))
      .toEqual({
        written: true,
      });
    await backend.close();
    wire.close();
  });

  test('more writes at once than may wait are refused, and the rest are written', async () => {
    const { backend } = await openStore({ url: await makeDatabase() });
    const written = await Promise.allSettled(
      Array.from({ length: 20_100 }, (_, i) => backend.write([insert(`many ${i}`)])),
    );
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(20_000);
    expect(await backend.read('SELECT COUNT(*) AS count FROM rule_counts')).toEqual([{ count: 20_000 }]);
  });

  test.each([1, 2, 3, 4])('connections that end as soon as they are ready, %i times, are replaced', async (times) => {
    const wire = await makeWire(await makeDatabase());
    await (await openStore({ url: wire.url })).backend.close();
    // As a thread has it: one connection of each kind, so that nothing goes on beside a lost one.
    const backend = await openPostgresBeside({ url: wire.url });
    wire.endWhenReady(times);
    wire.cut();
    const isWritten = (): Promise<boolean> =>
      backend.write([insert(`${times}`)]).then(
        () => true,
        () => false,
      );
    await expect.poll(isWritten).toBe(true);
    await expect.poll(() => backend.read('SELECT 1 AS one').catch(() => [])).toHaveLength(1);
    await backend.close();
    wire.close();
  });

  test('connections that answer nothing as soon as they are ready are replaced', async () => {
    const wire = await makeWire(await makeDatabase());
    const { backend, hasRoom } = await openStore({ url: wire.url, limitMs: LIMIT_MS });
    wire.deafWhenReady(3);
    wire.cut();
    await expect.poll(hasRoom).toBe(false);
    await expect.poll(hasRoom, { timeout: 10_000 }).toBe(true);
    expect(await backend.write([insert('heard')])).toEqual({ written: true });
    await backend.close();
    wire.close();
  });

  test('a database that takes no writes is unavailable, and used again when it does, without a restart', async () => {
    const url = await makeDatabase();
    const { backend, hasRoom } = await openStore({ url });
    const name = new URL(url).pathname.slice(1);
    const admin = await openClient(url.replace(name, 'postgres'));
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await cutAll(url);
    await expect.poll(hasRoom).toBe(false);
    // Those who connect meanwhile would stay so for ever, as those do who came to a standby.
    await pause(300);
    expect(hasRoom()).toBe(false);
    await expect(openStore({ url })).rejects.toThrow('takes no writes');
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expect.poll(hasRoom, { timeout: 10_000 }).toBe(true);
    expect(await backend.write([insert('writable')])).toEqual({ written: true });
  });

  test('a connection that takes no writes any more is replaced', async () => {
    const { backend } = await openStore({ url: await makeDatabase() });
    await backend.write([{ sql: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY', params: [] }]);
    await refusal(backend.write([insert('refused')]));
    const isWritten = (): Promise<boolean> =>
      backend.write([insert('written')]).then(
        () => true,
        () => false,
      );
    await expect.poll(isWritten).toBe(true);
  });
});
