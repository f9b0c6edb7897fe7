import { afterAll, describe, expect, test } from 'vitest';
import { makeChanges, type Refresh } from '../../src/changes/changes.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { client, DAY_MS, type Json, makeClock, payment, startService } from '../fixtures/harness.ts';
import { openRecords } from '../fixtures/records.ts';
import { startSecondProcess } from '../fixtures/second-process.ts';

const service = await startService({ logLevel: 'warn', env: { TRAIN_DAILY: 'off' } });
const secondProcess = await startSecondProcess(service.dataDir);
afterAll(secondProcess.stop);

let accounts = 0;
/** One account, through either process. */
const open = async () => {
  const key = await service.key({ account: `account_${accounts++}`, environment: 'production' });
  const there = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(`${secondProcess.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: Json = text === '' ? {} : JSON.parse(text);
    expect([path, response.status, json.error]).toEqual([path, response.status, undefined]);
    return json;
  };
  return { here: client(service, key), there };
};
const soon = { interval: 25 };

describe('two processes on one store', () => {
  test('change the stored policy of the other at once, before they have loaded it', async () => {
    const { here, there } = await open();
    for (let review = 10; review < 15; review++) {
      await there('PUT', '/policy', { thresholds: { event: { review, block: 90 } } });
      const { json } = await here.put('/v1/policy', { thresholds: { transaction: { review, block: 95 } } });
      expect(json.thresholds).toEqual({ transaction: { review, block: 95 }, event: { review, block: 90 } });
    }
    expect((await here.get('/v1/policy')).json.version).toBe(10);
    await expect.poll(async () => (await there('GET', '/policy')).version, soon).toBe(10);
  });

  test('refuse a key that the other revoked or rolled without an overlap', async () => {
    const { here } = await open();
    const statusThere = async (secret: string): Promise<number> =>
      (await fetch(`${secondProcess.url}/v1/policy`, { headers: { authorization: `Bearer ${secret}` } })).status;
    const endings = [
      (keyId: string) => here.delete(`/v1/api-keys/${keyId}`),
      (keyId: string) => here.post(`/v1/api-keys/${keyId}/roll`, { overlap_seconds: 0 }),
    ];
    for (const end of endings) {
      const { key_id, secret } = (await here.post('/v1/api-keys', { role: 'reader' })).json;
      expect(await statusThere(secret)).toBe(200);
      await end(key_id);
      await expect.poll(() => statusThere(secret), soon).toBe(401);
    }
  });

  test('change the stored list of the other at once, before they have loaded it', async () => {
    const { here, there } = await open();
    await there('POST', '/lists', { name: 'friends' });
    await expect.poll(async () => (await here.get('/v1/lists/friends')).status, soon).toBe(200);
    for (const treatment of ['block', 'review', 'none']) {
      const description = `before ${treatment}`;
      await there('PUT', '/lists/friends', { description });
      expect((await here.put('/v1/lists/friends', { treatment })).json).toMatchObject({ description, treatment });
      await expect.poll(() => there('GET', '/lists/friends'), soon).toMatchObject({ description, treatment });
    }
    await there('DELETE', '/lists/friends');
    expect((await here.put('/v1/lists/friends', { treatment: 'block' })).status).toBe(404);
  });

  test('that change the policy concurrently make one version each, and end with the same policy', async () => {
    const { here, there } = await open();
    const changes = Array.from({ length: 10 }, (_, i) => {
      const body = { thresholds: { event: { review: 10 + i, block: 90 } } };
      return i % 2 === 0 ? there('PUT', '/policy', body) : here.put('/v1/policy', body).then(({ json }) => json);
    });
    const versions = (await Promise.all(changes)).map(({ version }) => version);
    expect(versions.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { json } = await here.get('/v1/policy/versions');
    await expect.poll(() => there('GET', '/policy'), soon).toEqual(json.versions[0]);
    await expect.poll(async () => (await here.get('/v1/policy')).json, soon).toEqual(json.versions[0]);
    expect((await here.get('/v1/audit/check')).json).toMatchObject({ intact: true, entries: 11 });
  });

  test('make one version when a rule goes live, not one each', async () => {
    const { here, there } = await open();
    const { rule_id } = await there('POST', '/rules', { name: 'r', expression: 'amount > 1.0', action: { points: 1 } });
    for (const state of ['shadow', 'live']) await there('PUT', `/rules/${rule_id}`, { state });
    await expect.poll(async () => (await here.pay(payment())).json.signals, soon).toContain('rule.r');
    expect((await here.get('/v1/policy')).json).toMatchObject({ version: 2, rules: [{ rule_id, state: 'live' }] });
    expect((await here.get('/v1/policy/versions')).json.versions).toHaveLength(2);
  });

  test('apply the changes of both to a list in the order they were stored', async () => {
    const { here, there } = await open();
    const entries = (value: string) => ({ entries: [{ kind: 'user', value }] });
    const listed = async (user_id: string): Promise<boolean> =>
      (await here.pay(payment({ user_id }))).json.decision === 'block';
    await there('POST', '/lists/block/entries', entries('a'));
    await here.post('/v1/lists/block/entries', entries('b'));
    expect(await listed('b')).toBe(true);
    await expect.poll(() => listed('a'), soon).toBe(true);
    // Added and removed there, and added again here before this process has loaded either change.
    await there('POST', '/lists/block/entries', entries('c'));
    await there('DELETE', '/lists/block/entries?kind=user&value=c');
    await here.post('/v1/lists/block/entries', entries('c'));
    await there('POST', '/lists/block/entries', entries('d'));
    await expect.poll(() => listed('d'), soon).toBe(true);
    expect(await listed('c')).toBe(true);
  });
});

describe('the log of changes', () => {
  const clock = makeClock(Date.now());
  // A hook registered inside a test does not run.
  const opened: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(opened.map((close) => close())));
  const log = makeLog('silent');
  const tenant = 77;
  const openOne = async () => {
    const { connect: _, ...backend } = await openRecords(service.dataDir);
    const changes = await makeChanges({ backend, clock: clock.now, log });
    opened.push(async () => {
      await changes.stop();
      await backend.close();
    });
    return { backend, ...changes };
  };
  const refreshing = (refresh: Refresh) => ({ policy: refresh, rules: refresh, lists: refresh, model: refresh });

  test('reports each change to the other processes once, in order, with its detail, and not to its own', async () => {
    const [one, other] = [await openOne(), await openOne()];
    const received: unknown[] = [];
    const own: unknown[] = [];
    other.start(refreshing(async (of, detail) => void (of === tenant && received.push(detail))));
    one.start(refreshing(async (of, detail) => void (of === tenant && own.push(detail))));
    const numbers = Array.from({ length: 1200 }, (_, i) => i);
    await Promise.all(numbers.map((i) => one.backend.write(one.note(tenant, 'rules', i))));
    await expect.poll(() => received.length, { timeout: 90_000 }).toBe(1200);
    expect(received).toEqual(numbers);
    expect(own).toEqual([]);
  });

  test('retries a failed refresh before it reports later changes', async () => {
    const [one, other] = [await openOne(), await openOne()];
    const received: unknown[] = [];
    let fails = 2;
    other.start(
      refreshing(async (of, detail) => {
        if (of !== tenant) return;
        if (detail === 'b' && fails-- > 0) throw new Error('not now');
        received.push(detail);
      }),
    );
    for (const detail of ['a', 'b', 'c']) await one.backend.write(one.note(tenant, 'lists', detail));
    await expect.poll(() => received, { timeout: 90_000 }).toEqual(['a', 'b', 'c']);
  });

  test('is swept after a week, and its numbers continue', async () => {
    const [one, other] = [await openOne(), await openOne()];
    const received: unknown[] = [];
    await one.backend.write(one.note(tenant, 'model', 'old'));
    other.start(refreshing(async (of, detail) => void (of === tenant && received.push(detail))));
    await expect.poll(() => received, soon).toEqual(['old']);
    expect(await one.sweep(clock.now() + 6 * DAY_MS, 1000)).toBe(0);
    const count = async () => (await one.backend.read<{ n: number }>('SELECT COUNT(*) AS n FROM changes'))[0]?.n;
    clock.advance(8 * DAY_MS);
    while ((await one.sweep(clock.now(), 1000)) > 0);
    expect(await count()).toBe(0);
    await one.backend.write(one.note(tenant, 'model', 'new'));
    await expect.poll(() => received, soon).toEqual(['old', 'new']);
  });
});
