import { describe, expect, test } from 'vitest';
import { makeClock, REVIEW_IP, startService } from '../../server/test/fixtures/harness.ts';
import { createClient, type Fetch } from '../src/index.ts';
import { pay } from './requests.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const setUp = async (account: string) => {
  const requested: string[] = [];
  const counting: Fetch = (url, init) => {
    if (init.method === 'GET') requested.push(url);
    return fetch(url, init);
  };
  const apiKey = await service.key({ account });
  const client = createClient({ url: service.url, apiKey, fetch: counting, deadlineMs: 20_000 });
  /** Opens cases, `stepMs` apart. Returns their ids, newest first. */
  const openCases = async (count: number, stepMs: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      clock.advance(stepMs);
      const screened = await client.transactions.screen(pay({ ip_address: REVIEW_IP }));
      ids.unshift(screened.case_id as string);
    }
    return ids;
  };
  return { client, requested, openCases };
};
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

describe('iterating over cases', () => {
  test('returns each case once, newest first, and requests pages on demand', async () => {
    const { client, requested, openCases } = await setUp('lazy');
    const ids = await openCases(25, 1);
    const walk = client.cases.iterate({ limit: 10 });
    expect(requested).toHaveLength(0);
    const found: string[] = [];
    for (let i = 0; i < 10; i++) found.push((await walk.next()).value?.case_id as string);
    expect(requested).toHaveLength(1);
    for await (const { case_id } of walk) found.push(case_id);
    expect(found).toEqual(ids);
    expect(requested).toHaveLength(3);
  });

  test('requests no further page after the loop ends', async () => {
    const { client, requested, openCases } = await setUp('left');
    await openCases(3, 1);
    for await (const _ of client.cases.iterate({ limit: 1 })) break;
    expect(requested).toHaveLength(1);
  });

  test('applies filters and dates', async () => {
    const { client, openCases } = await setUp('filters');
    const ids = await openCases(6, 1000);
    await client.cases.resolve(ids[2] as string, { status: 'approved' });
    const { created_at } = await client.cases.get(ids[0] as string);
    const found = await collect(client.cases.iterate({ status: 'open', limit: 2, end_date: created_at }));
    expect(found.map(({ case_id }) => case_id)).toEqual([ids[1], ids[3], ids[4], ids[5]]);
  });

  test('skips no case while cases are resolved', async () => {
    const { client, openCases } = await setUp('resolved');
    const ids = await openCases(12, 1);
    const found: string[] = [];
    for await (const { case_id } of client.cases.iterate({ status: 'open', limit: 5 })) {
      found.push(case_id);
      await client.cases.resolve(case_id, { status: 'approved' });
    }
    expect(found).toEqual(ids);
  });

  test('repeats no case while cases are opened', async () => {
    const { client, openCases } = await setUp('opened');
    const ids = await openCases(12, 1);
    const found: string[] = [];
    for await (const { case_id } of client.cases.iterate({ limit: 5 })) {
      found.push(case_id);
      await openCases(1, 1);
    }
    expect(found).toEqual(ids);
  });

  test('returns each case once if one millisecond has more than a page of them', async () => {
    const { client, openCases } = await setUp('crowd');
    const ids = await openCases(9, 0);
    const older = await client.cases.list();
    clock.advance(1);
    const newer = await openCases(2, 0);
    const found = (await collect(client.cases.iterate({ limit: 4 }))).map(({ case_id }) => case_id);
    expect(older.total).toBe(9);
    expect([...found].sort()).toEqual([...newer, ...ids].sort());
    expect(new Set(found).size).toBe(11);
  });
});

test('iterates over every other list with pages, to its end', async () => {
  const { client } = await setUp('lists');
  const { rule_id } = await client.rules.create({ name: 'any', expression: 'amount > 0.0', action: { points: 1 } });
  await client.rules.change(rule_id, { state: 'shadow' });
  const { webhook_id } = await client.webhooks.create({ url: 'https://receiver.invalid', events: ['case.created'] });
  await client.lists.create({ name: 'known' });
  await client.lists.addEntries('known', { entries: ['a', 'b', 'c'].map((value) => ({ kind: 'user', value })) });
  for (const points of [1, 2, 3]) {
    clock.advance(1000);
    const { transaction_id } = await client.transactions.screen(pay({ user_id: `user_${points}` }));
    await client.labels.add({ transaction_id, label: 'legitimate', source: 'call' });
    await client.webhooks.test(webhook_id);
    await client.policy.change({ points: { new_device: points } });
    const { backtest_id } = await client.backtests.create({ policy: {} });
    await expect.poll(async () => (await client.backtests.get(backtest_id)).status).toBe('done');
  }
  clock.advance(1);
  await expect.poll(async () => (await client.screenings.list()).as_of).toBe(new Date(clock.now()).toISOString());
  const one = { limit: 1 };
  const lists = [
    [client.screenings.iterate(one), (await client.screenings.list()).screenings],
    [client.users.iterate(one), (await client.users.list()).users],
    [client.labels.iterate(one), (await client.labels.list()).labels],
    [client.lists.iterateEntries('known', one), (await client.lists.listEntries('known')).entries],
    [client.webhooks.iterateDeliveries(webhook_id, one), (await client.webhooks.listDeliveries(webhook_id)).deliveries],
    [client.rules.iterateHits(rule_id, one), (await client.rules.listHits(rule_id)).hits],
    [client.policy.iterateVersions(one), (await client.policy.listVersions()).versions],
    [client.backtests.iterate(one), (await client.backtests.list()).backtests],
    [client.audit.iterate(one), (await client.audit.list()).entries],
  ] as const;
  for (const [walk, listed] of lists) {
    const found = await collect<object>(walk);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(found.map((item) => Object.values(item)[0])).toEqual(listed.map((item) => Object.values(item)[0]));
  }
});
