import { afterAll, describe, expect, test } from 'vitest';
import { makeChanges, type Refresh } from '../src/changes/changes.ts';
import { makeLog } from '../src/log.ts';
import { client, DAY_MS, type Json, makeClock, payment, startService } from './harness.ts';
import { openRecords } from './records.ts';
import { startBeside } from './second-process.ts';

const service = await startService({ logLevel: 'warn', env: { TRAIN_DAILY: 'off' } });
const beside = await startBeside(service.dataDir);
afterAll(beside.stop);

let accounts = 0;
/** The same account by either process. */
const open = async () => {
  const key = await service.key({ account: `account_${accounts++}`, environment: 'production' });
  const there = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(`${beside.url}/v1${path}`, {
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
const soon = { timeout: 1000, interval: 25 };

describe('two processes on one store', () => {
  test('build on each other’s policy from the first moment on, not only once they have heard of it', async () => {
    const { here, there } = await open();
    for (let review = 10; review < 15; review++) {
      await there('PUT', '/policy', { thresholds: { event: { review, block: 90 } } });
      const { json } = await here.put('/v1/policy', { thresholds: { transaction: { review, block: 95 } } });
      expect(json.thresholds).toEqual({ transaction: { review, block: 95 }, event: { review, block: 90 } });
    }
    expect((await here.get('/v1/policy')).json.version).toBe(10);
    await expect.poll(async () => (await there('GET', '/policy')).version, soon).toBe(10);
  });

  test('build on what the other made of a list a moment ago', async () => {
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

  test('that change the policy at the same moment make a version each, and end with the same', async () => {
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
    expect((await here.get('/v1/audit/check')).json).toMatchObject({ intact: true, entries: 10 });
  });

  test('make one version of a rule that went live, not one each', async () => {
    const { here, there } = await open();
    const { rule_id } = await there('POST', '/rules', { name: 'r', expression: 'amount > 1.0', action: { points: 1 } });
    for (const state of ['shadow', 'live']) await there('PUT', `/rules/${rule_id}`, { state });
    await expect.poll(async () => (await here.pay(payment())).json.signals, soon).toContain('rule.r');
    expect((await here.get('/v1/policy')).json).toMatchObject({ version: 2, rules: [{ rule_id, state: 'live' }] });
    expect((await here.get('/v1/policy/versions')).json.versions).toHaveLength(2);
  });

  test('keep what both did to the same list, in the order it was stored', async () => {
    const { here, there } = await open();
    const entries = (value: string) => ({ entries: [{ kind: 'user', value }] });
    const listed = async (user_id: string): Promise<boolean> =>
      (await here.pay(payment({ user_id }))).json.decision === 'block';
    await there('POST', '/lists/block/entries', entries('a'));
    await here.post('/v1/lists/block/entries', entries('b'));
    expect(await listed('b')).toBe(true);
    await expect.poll(() => listed('a'), soon).toBe(true);
    // Put on and taken off there, and put on again here before this process has heard of either.
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
  // A hook set up inside a test does not run.
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
  const hearing = (heard: Refresh) => ({ policy: heard, rules: heard, lists: heard, model: heard });

  test('tells each change to others once, in order, with its detail, and nobody of their own', async () => {
    const [one, other] = [await openOne(), await openOne()];
    const heard: unknown[] = [];
    const own: unknown[] = [];
    other.start(hearing(async (of, detail) => void (of === tenant && heard.push(detail))));
    one.start(hearing(async (of, detail) => void (of === tenant && own.push(detail))));
    const numbers = Array.from({ length: 1200 }, (_, i) => i);
    await Promise.all(numbers.map((i) => one.backend.write(one.note(tenant, 'rules', i))));
    await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(1200);
    expect(heard).toEqual(numbers);
    expect(own).toEqual([]);
  });

  test('tells one again whose refresh failed, before those that came after it', async () => {
    const [one, other] = [await openOne(), await openOne()];
    const heard: unknown[] = [];
    let fails = 2;
    other.start(
      hearing(async (of, detail) => {
        if (of !== tenant) return;
        if (detail === 'b' && fails-- > 0) throw new Error('not now');
        heard.push(detail);
      }),
    );
    for (const detail of ['a', 'b', 'c']) await one.backend.write(one.note(tenant, 'lists', detail));
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['a', 'b', 'c']);
  });

  test('is swept after a week, and counts on', async () => {
    const [one, other] = [await openOne(), await openOne()];
    const heard: unknown[] = [];
    await one.backend.write(one.note(tenant, 'model', 'old'));
    other.start(hearing(async (of, detail) => void (of === tenant && heard.push(detail))));
    await expect.poll(() => heard, soon).toEqual(['old']);
    expect(await one.sweep(clock.now() + 6 * DAY_MS, 1000)).toBe(0);
    const count = async () => (await one.backend.read<{ n: number }>('SELECT COUNT(*) AS n FROM changes'))[0]?.n;
    clock.advance(8 * DAY_MS);
    while ((await one.sweep(clock.now(), 1000)) > 0);
    expect(await count()).toBe(0);
    await one.backend.write(one.note(tenant, 'model', 'new'));
    await expect.poll(() => heard, soon).toEqual(['old', 'new']);
  });
});
