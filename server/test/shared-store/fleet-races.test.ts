import { describe, expect, test } from 'vitest';
import { PRODUCTION_KEY, SANDBOX_KEY } from '../fixtures/crash-process.ts';
import { makeDevice } from '../fixtures/device-tokens.ts';
import { type Reply, send, type Target } from '../fixtures/fleet.ts';
import { startMember, startServices } from '../fixtures/fleet-services.ts';
import { type Json, payment, REVIEW_IP, type Service } from '../fixtures/harness.ts';
import { openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { isRedisAvailable } from '../fixtures/redis-world.ts';
import { makeSharedStore } from '../fixtures/shared-store.ts';

const canRun = hasPostgres && (await isRedisAvailable());
const receiver = await startReceiver();
const env = canRun ? { ...(await makeSharedStore()), WEBHOOK_CA_FILE: receiver.caFile } : {};
const { one, two, worker } = canRun
  ? await startServices(env, {}, [SANDBOX_KEY, PRODUCTION_KEY])
  : ({} as Record<'one' | 'two' | 'worker', Service>);
const both = [one, two] as [Service, Service];
const screen = (server: Target, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  send(server, 'POST', '/v1/transactions/screen', body, { headers });
const database = canRun ? await openClient((env as Record<string, string>).DATABASE_URL as string) : undefined;
const query = async (sql: string, ...params: unknown[]): Promise<Json[]> =>
  (await database?.query(sql, params))?.rows ?? [];

describe.skipIf(!canRun)('two API services and a worker', () => {
  test('screen a request once that both receive at once under one key, and answer the same', async () => {
    for (let i = 0; i < 25; i++) {
      const body = payment({ metadata: { order: `race ${i}` } });
      const replies = await Promise.all(both.map((server) => screen(server, body, { 'Idempotency-Key': `race ${i}` })));
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      expect(replies[0]?.json).toEqual(replies[1]?.json);
      const stored = await query('SELECT id FROM screenings WHERE request LIKE $1', `%"race ${i}"%`);
      expect(stored.map(({ id }) => `txn_${id}`)).toEqual([replies[0]?.json.transaction_id]);
      // The screening that was not stored is not counted either.
      const profile = async (): Promise<Json> =>
        (await send(one, 'GET', `/v1/users/${body.user_id}/risk-profile`)).json;
      await expect.poll(async () => (await profile()).transactions?.count).toBe(1);
    }
  });

  test('know at once each device token that the other received', async () => {
    const device = makeDevice();
    for (let i = 0; i < 10; i++) {
      const [first, second] = i % 2 === 0 ? both : ([two, one] as const);
      const device_token = device.token({ at: Date.now() });
      const mine = await screen(first, payment({ user_id: 'ada', device_token }));
      expect(mine.json.signals).not.toContain('replayed_token');
      const stolen = await screen(second, payment({ user_id: `thief ${i}`, device_token }));
      expect(stolen.json.signals).toContain('replayed_token');
    }
    const stored = await query("SELECT id FROM screenings WHERE request LIKE '%pcd1.%'");
    expect(stored).toEqual([]);
  });

  test('resolve a case once: of two requests at once, one gets 200 and the other 409', async () => {
    for (let i = 0; i < 10; i++) {
      const { json } = await screen(both[i % 2] as Service, payment({ ip_address: REVIEW_IP }));
      const resolve = (server: Target, status: string): Promise<Reply> =>
        send(server, 'PUT', `/v1/cases/${json.case_id}`, { status, analyst_id: 'ana' });
      const replies = await Promise.all([resolve(one, 'approved'), resolve(two, 'rejected')]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const won = replies.find(({ status }) => status === 200)?.json.status;
      for (const server of both) expect((await send(server, 'GET', `/v1/cases/${json.case_id}`)).json.status).toBe(won);
    }
  });

  test('give out each waiting case once, and let one of two people claim a case', async () => {
    for (let i = 0; i < 6; i++) await screen(both[i % 2] as Service, payment({ ip_address: REVIEW_IP }));
    const next = (i: number): Promise<Reply> =>
      send(both[i % 2] as Service, 'POST', '/v1/cases/next', { analyst_id: `analyst_${i}` });
    const taken = (await Promise.all(Array.from({ length: 6 }, (_, i) => next(i)))).map(({ json }) => json.case_id);
    expect(new Set(taken).size).toBe(6);
    for (let i = 0; i < 10; i++) {
      const { case_id } = (await screen(one, payment({ ip_address: REVIEW_IP }))).json;
      const claim = (server: Target, assignee: string): Promise<Reply> =>
        send(server, 'PUT', `/v1/cases/${case_id}/assignment`, { assignee });
      const replies = await Promise.all([claim(one, 'ana'), claim(two, 'ben')]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const won = replies.find(({ status }) => status === 200)?.json.assignee;
      expect((await send(two, 'GET', `/v1/cases/${case_id}`)).json.assignee).toBe(won);
    }
  });

  test('let cases of one user that both open at once join one attack', async () => {
    for (let i = 0; i < 10; i++) {
      const body = payment({ user_id: `attacker ${i}`, ip_address: REVIEW_IP });
      const replies = await Promise.all([...both, ...both].map((server) => screen(server, body)));
      const ids = replies.map(({ json }) => json.case_id);
      const { total } = (await send(both[i % 2] as Service, 'GET', `/v1/cases?attack_of=${ids[i % 4]}`)).json;
      expect(total).toBe(4);
    }
  });

  test('count one of two equal labels that arrive at once', async () => {
    for (let i = 0; i < 10; i++) {
      const { transaction_id } = (await screen(both[i % 2] as Service, payment())).json;
      const label = { transaction_id, label: 'fraud', source: 'chargeback' };
      const replies = await Promise.all(both.map((server) => send(server, 'POST', '/v1/labels', label)));
      expect(replies.map(({ status }) => status)).toEqual([201, 201]);
      const rows = await query('SELECT repeats FROM labels WHERE screening_id = $1', transaction_id.slice(4));
      expect(rows.map(({ repeats }) => repeats).toSorted()).toEqual(['0', '1']);
    }
  });

  test('share the rate limit of a key', async () => {
    const made = await send(one, 'POST', '/v1/api-keys', { role: 'reader', rate_limit_per_minute: 3 });
    const since = performance.now();
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++)
      statuses.push(
        (await send(both[i % 2] as Service, 'GET', '/v1/cases', undefined, { key: made.json.secret })).status,
      );
    const granted = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(granted).toBeGreaterThanOrEqual(3);
    expect(granted).toBeLessThanOrEqual(3 + Math.ceil((performance.now() - since) / 20_000));
  });

  test('follow changes of policy and keys by the other', async () => {
    const { json: policy } = await send(one, 'PUT', '/v1/policy', { thresholds: { event: { review: 41, block: 81 } } });
    const versionAtTwo = async (): Promise<string> => {
      const { decision_id } = (await screen(two, payment())).json;
      return (await send(two, 'GET', `/v1/decisions/${decision_id}`)).json.ruleset_version;
    };
    await expect.poll(versionAtTwo).toBe(policy.ruleset_version);

    const { json } = await send(one, 'POST', '/v1/api-keys', { role: 'reader' });
    const atTwo = async (): Promise<number> =>
      (await send(two, 'GET', '/v1/cases', undefined, { key: json.secret })).status;
    expect(await atTwo()).toBe(200);
    expect((await send(one, 'DELETE', `/v1/api-keys/${json.key_id}`)).status).toBe(204);
    await expect.poll(atTwo).toBe(401);
  });

  test('deliver to webhooks made by the other, through the worker, and to none that the other deleted', async () => {
    const events = ['transaction.screened'];
    const made = await send(one, 'POST', '/v1/webhooks', { url: `${receiver.url}/fleet`, events });
    expect(made.status).toBe(201);
    const arrived = (): number => receiver.received.filter(({ path }) => path === '/fleet').length;
    // The second process queues deliveries once it knows the webhook.
    await expect
      .poll(async () => {
        await screen(two, payment());
        return arrived();
      })
      .toBeGreaterThan(0);
    const screened = (
      await Promise.all(Array.from({ length: 20 }, (_, i) => screen(both[i % 2] as Service, payment())))
    ).map(({ json }) => json.transaction_id as string);
    const delivered = (): string[] =>
      receiver.received
        .filter(({ path }) => path === '/fleet')
        .map(({ body }) => JSON.parse(String(body)).data.transaction_id);
    await expect.poll(() => screened.filter((id) => !delivered().includes(id))).toEqual([]);

    expect((await send(two, 'DELETE', `/v1/webhooks/${made.json.webhook_id}`)).status).toBe(204);
    const after = (
      await Promise.all(Array.from({ length: 10 }, (_, i) => screen(both[i % 2] as Service, payment())))
    ).map(({ json }) => json.transaction_id as string);
    const id = made.json.webhook_id.slice(3);
    const queued = await query('SELECT body FROM deliveries WHERE webhook_id = $1', id);
    expect(queued.filter(({ body }) => after.some((one) => body.includes(one)))).toEqual([]);
    expect(delivered().filter((one) => after.includes(one))).toEqual([]);
  });

  test('and a second worker share the deliveries, and each message is sent once', async () => {
    const second = await startMember('worker', env);
    const arrived: string[] = [];
    const slow = await startReceiver(({ headers }, response) => {
      arrived.push(String(headers['webhook-id']));
      setTimeout(() => response.writeHead(204).end(), 20);
    });
    const made = await send(one, 'POST', '/v1/webhooks', { url: slow.url, events: ['transaction.screened'] });
    const deliveredBy = async (server: Target): Promise<number> => {
      const { json } = await send(server, 'GET', '/metrics');
      return Number(/^portcullis_deliveries_total\{outcome="delivered"\} (\d+)$/m.exec(json)?.[1]);
    };
    const before = await deliveredBy(worker);
    let screened = 0;
    const shares = async (): Promise<boolean[]> => {
      screened += (await Promise.all(Array.from({ length: 12 }, () => screen(one, payment())))).length;
      return [(await deliveredBy(worker)) > before, (await deliveredBy(second)) > 0];
    };
    await expect.poll(shares, { interval: 300 }).toEqual([true, true]);
    const pending = (): Promise<Json[]> => query("SELECT 1 FROM deliveries WHERE status = 'owed'");
    await expect.poll(async () => (await pending()).length).toBe(0);
    expect([arrived.length, new Set(arrived).size]).toEqual([screened, screened]);
    await send(one, 'DELETE', `/v1/webhooks/${made.json.webhook_id}`);
    await second.stop();
    await slow.close();
  });

  test('begin one backtest of an account at a time: of several requests at once, one is accepted', async () => {
    for (let i = 0; i < 2; i++) {
      const requests = Array.from({ length: 6 }, (_, at) =>
        send(both[at % 2] as Service, 'POST', '/v1/backtests', { policy: {} }),
      );
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([202, 409, 409, 409, 409, 409]);
      const isRunning = async (): Promise<number> =>
        (await query("SELECT 1 FROM backtests WHERE status = 'running'")).length;
      await expect.poll(isRunning).toBe(0);
    }
  });

  test('leave a backtest and a training to the worker, and each returns the result', async () => {
    const requested = await send(one, 'POST', '/v1/backtests', {
      rule: { expression: 'amount > 1.0', action: { points: 1 } },
    });
    expect([requested.status, requested.json.status, requested.json.message]).toEqual([
      202,
      'running',
      'Waiting for a worker.',
    ]);
    expect((await send(two, 'POST', '/v1/backtests', { policy: {} })).status).toBe(409);
    const backtest = async (): Promise<Json> =>
      (await send(two, 'GET', `/v1/backtests/${requested.json.backtest_id}`)).json;
    await expect.poll(async () => (await backtest()).status).toBe('done');
    const { outcome, message } = await backtest();
    expect([message, outcome.items > 50, outcome.hits]).toEqual([null, true, outcome.items]);

    const key = PRODUCTION_KEY;
    const begun = await send(two, 'POST', '/v1/models/train', { maturity_days: 7 }, { key });
    expect([begun.status, begun.json.message]).toEqual([202, 'Waiting for a worker.']);
    expect((await send(one, 'POST', '/v1/models/train', {}, { key })).status).toBe(409);
    const path = `/v1/trainings/${begun.json.training_id}`;
    const training = async (): Promise<Json> => (await send(one, 'GET', path, undefined, { key })).json;
    await expect.poll(async () => (await training()).status).toBe('done');
    expect((await training()).message).toMatch(/^Not enough to learn from/);
  });

  test('serve health and metrics at the worker, and no API', async () => {
    const answers = ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', '/v1/cases'].map(
      async (path) => (await send(worker, 'GET', path)).status,
    );
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 404, 404, 404]);
    expect((await screen(worker, payment())).status).toBe(404);
  });
});
