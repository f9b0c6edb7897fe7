import { describe, expect, test } from 'vitest';
import { client, fieldErrors, HOUR_MS, payment, startService, unknownId } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { isStored } from '../fixtures/records.ts';

const receiver = await startReceiver();
const service = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile }, exchangeMs: 1500 });

let accounts = 0;
/** A new account with one endpoint; the path selects its behaviour. */
const register = async (behaviour = '/ok') => {
  const account = `account_${accounts++}`;
  const path = `${behaviour}?${account}`;
  const api = client(service, await service.key({ account }));
  const { json } = await api.post('/v1/webhooks', { url: receiver.url + path, events: ['transaction.screened'] });
  const at = `/v1/webhooks/${json.webhook_id}`;
  const arrived = (to = path) => receiver.received.filter((received) => received.path === to);
  const deliveries = async (query = '') => (await api.get(`${at}/deliveries${query}`)).json.deliveries;
  return { ...api, account, webhook: json, at, arrived, deliveries };
};

describe('GET one', () => {
  test('returns the endpoint as in the list, without its secret', async () => {
    const { get, at, webhook } = await register();
    const { signing_secret: _, ...rest } = webhook;
    expect((await get(at)).json).toEqual(rest);
    expect((await get('/v1/webhooks')).json.webhooks).toEqual([rest]);
  });
});

describe('PUT', () => {
  test('changes the given fields and leaves the rest', async () => {
    const { put, get, at } = await register();
    const before = (await get(at)).json;
    const changes = [
      { label: 'Night shift' },
      { events: ['case.created', 'case.expired'] },
      { url: `${receiver.url}/moved` },
      { status: 'disabled' },
      { status: 'enabled', label: '' },
    ];
    let expected = before;
    for (const change of changes) {
      expected = { ...expected, ...change };
      const reply = await put(at, change);
      expect([reply.status, reply.json]).toEqual([200, expected]);
      expect((await get(at)).json).toEqual(expected);
    }
  });

  test('keeps concurrent changes of different fields', async () => {
    const { put, get, at } = await register();
    const changes = [{ label: 'Both' }, { events: ['case.created'] }, { status: 'disabled' }];
    const replies = await Promise.all(changes.map((change) => put(at, change)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await get(at)).json).toMatchObject({ label: 'Both', events: ['case.created'], status: 'disabled' });
  });

  test.each([
    ['plain http', { url: 'http://127.0.0.1/' }, { url: 'must begin with https://' }],
    ['a private address', { url: 'https://10.0.0.1/' }, { url: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS') }],
    ['no events', { events: [] }, { events: 'must have at least 1 item' }],
    ['an unknown status', { status: 'paused' }, { status: 'must be one of enabled, disabled' }],
  ])('refuses %s and changes nothing', async (_name, change, errors) => {
    const { put, get, at } = await register();
    const before = (await get(at)).json;
    const reply = await put(at, { label: 'new', ...change });
    expect(reply.status).toBe(400);
    expect(fieldErrors(reply)).toEqual(errors);
    expect((await get(at)).json).toEqual(before);
  });

  test('ignores an unknown field and returns a warning', async () => {
    const { put, at } = await register();
    expect((await put(at, { lable: 'x' })).json.warnings).toHaveLength(1);
  });

  test('sends pending deliveries to the new URL', async () => {
    const { put, pay, post, at, arrived, deliveries } = await register('/500');
    await pay(payment());
    await expect.poll(() => arrived().length).toBe(1);
    await put(at, { url: `${receiver.url}/new?${at}` });
    const [{ message_id }] = await deliveries();
    await post(`${at}/deliveries/${message_id}/retry`, undefined);
    await expect.poll(() => arrived(`/new?${at}`).map(({ headers }) => headers['webhook-id'])).toEqual([message_id]);
  });

  test('queues and sends nothing while disabled, and sends older pending deliveries once enabled again', async () => {
    const { put, pay, at, webhook, deliveries, arrived } = await register('/hang');
    await pay(payment());
    await expect.poll(() => arrived().length).toBe(1);
    await put(at, { status: 'disabled', url: `${receiver.url}/later?${at}` });
    await pay(payment());
    expect(await deliveries()).toHaveLength(1);
    await expect.poll(async () => (await deliveries())[0].attempts.length).toBe(1);
    // The retry of the attempt that hung is due in five seconds.
    const id = webhook.webhook_id.slice('wh_'.length);
    const earlier = 'UPDATE deliveries SET due_at = created_at WHERE webhook_id = ?';
    await service.app.backend.write([{ sql: earlier, params: [id], expect: 1 }]);
    await put(at, { status: 'enabled' });
    await expect.poll(() => arrived(`/later?${at}`).length).toBe(1);
    await expect.poll(() => deliveries('?status=delivered')).toHaveLength(1);
  });
});

describe('the list of deliveries', () => {
  test('shows time, HTTP status, duration and error of each attempt', async () => {
    const { pay, webhook, deliveries } = await register('/500');
    await pay(payment());
    await expect.poll(async () => (await deliveries())[0]?.attempts.length).toBe(1);
    const [delivery] = await deliveries();
    expect(delivery).toEqual({
      message_id: expect.stringMatching(/^msg_/),
      webhook_id: webhook.webhook_id,
      type: 'transaction.screened',
      status: 'owed',
      created_at: expect.any(String),
      next_attempt_at: expect.any(String),
      attempts: [
        {
          attempted_at: expect.any(String),
          http_status: 500,
          latency_ms: expect.any(Number),
          error: 'The endpoint returned 500.',
        },
      ],
    });
    const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempts[0].attempted_at);
    expect(waitMs).toBeGreaterThanOrEqual(4000);
    expect(waitMs).toBeLessThan(8000);
  });

  test('comes newest first, in pages, filtered by status', async () => {
    const { pay, get, at, deliveries } = await register();
    for (let i = 0; i < 5; i++) await pay(payment());
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(5);
    const ids = (await deliveries()).map(({ message_id }: { message_id: string }) => message_id);
    expect(ids).toEqual([...ids].sort().reverse());
    const first = (await get(`${at}/deliveries?limit=3`)).json;
    expect([first.deliveries.length, first.has_more]).toEqual([3, true]);
    const rest = (await get(`${at}/deliveries?limit=3&before=${ids[2]}`)).json;
    expect([rest.deliveries.map((one: { message_id: string }) => one.message_id), rest.has_more]).toEqual([
      ids.slice(3),
      false,
    ]);
    expect(await deliveries('?status=owed')).toEqual([]);
    expect(await deliveries('?status=failed')).toEqual([]);
  });

  test('is filtered by type and time', async () => {
    const { pay, post, at, deliveries } = await register();
    await pay(payment());
    await post(`${at}/test`, {});
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(2);
    const types = async (query: string) => (await deliveries(query)).map(({ type }: { type: string }) => type);
    expect(await types('?type=webhook.test')).toEqual(['webhook.test']);
    const [newest, oldest] = await deliveries();
    expect(await types(`?from=${newest.created_at}`)).toContain('webhook.test');
    expect(await types(`?until=${oldest.created_at}`)).toEqual([]);
    expect(await types(`?from=2020-01-01&until=2020-01-02`)).toEqual([]);
  });

  test('shows the message and the headers of the last attempt, as the endpoint received them', async () => {
    const { account, pay, get, at, arrived, deliveries } = await register();
    await pay(payment());
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(1);
    const [{ message_id }] = await deliveries();
    const { json } = await get(`${at}/deliveries/${message_id}`);
    const [received] = arrived();
    const { body, headers, ...delivery } = json;
    expect(delivery).toEqual((await deliveries())[0]);
    expect(body).toBe(String(received?.body));
    expect(received?.headers).toMatchObject(headers);
    expect(headers['webhook-signature']).toMatch(/^v1,/);
    const manager = client(service, await service.key({ account, role: 'manager' }));
    expect((await manager.get(`${at}/deliveries/${message_id}`)).status).toBe(403);
    expect((await get(`${at}/deliveries/${unknownId('msg')}`)).status).toBe(404);
  });

  test('is retried as a whole where it failed, and only there', async () => {
    const { account, pay, post, put, at, webhook, deliveries } = await register();
    for (let i = 0; i < 3; i++) await pay(payment());
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(3);
    const sql = "UPDATE deliveries SET status = 'failed' WHERE webhook_id = ? AND message_id <> ?";
    const [kept, , oldest] = await deliveries();
    const [id, message] = [webhook.webhook_id.slice(3), kept.message_id.slice(4)];
    await service.app.backend.write([{ sql, params: [id, message] }]);
    const retry = (body: object) => post(`${at}/deliveries/retry`, { status: 'failed', ...body });
    expect((await retry({ until: oldest.created_at })).json).toEqual({ retried: 0, more: false });
    expect(await retry({})).toMatchObject({ status: 202, json: { retried: 2, more: false } });
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(3);
    expect((await deliveries()).map(({ attempts }: { attempts: unknown[] }) => attempts.length)).toEqual([1, 2, 2]);
    const other = client(service, await service.key({ account: `${account} other` }));
    expect((await other.post(`${at}/deliveries/retry`, { status: 'failed' })).status).toBe(404);
    expect((await post(`${at}/deliveries/retry`, { status: 'owed' })).status).toBe(400);
    await put(at, { status: 'disabled' });
    expect((await retry({})).json.error.code).toBe('webhook_disabled');
  });

  test.each(['limit=0', 'limit=101', 'status=lost', 'before=txn_1', 'befor=x'])('refuses %s', async (query) => {
    const { get, at } = await register();
    expect((await get(`${at}/deliveries?${query}`)).status).toBe(400);
  });

  test('drops deliveries at the latest eight days after their 30, and all of a deleted endpoint', async () => {
    const { pay, delete: remove, at, webhook, deliveries } = await register();
    await pay(payment());
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(1);
    await service.app.retention.sweepAll();
    expect(await deliveries()).toHaveLength(1);
    await remove(at);
    await service.app.retention.sweepAll();
    const rows = 'SELECT * FROM deliveries WHERE webhook_id = ?';
    expect(await service.app.backend.read(rows, webhook.webhook_id.slice(3))).toEqual([]);

    const past = await startService({ clock: () => Date.now() - 38 * 24 * HOUR_MS });
    const key = await past.key();
    const old = client(past, key);
    const { json } = await old.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['event.screened'] });
    await old.post(`/v1/webhooks/${json.webhook_id}/test`, undefined);
    await past.stop();
    const now = await startService({ dataDir: past.dataDir });
    const list = () => client(now, key).get(`/v1/webhooks/${json.webhook_id}/deliveries`);
    expect((await list()).json.deliveries).toHaveLength(1);
    await now.app.retention.sweepAll();
    expect((await list()).json.deliveries).toEqual([]);
  });
});

describe('retry', () => {
  test('sends the same message again', async () => {
    const { pay, post, at, arrived, deliveries } = await register();
    await pay(payment());
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(1);
    const [{ message_id }] = await deliveries();
    const reply = await post(`${at}/deliveries/${message_id}/retry`, undefined);
    expect([reply.status, reply.json.status, reply.json.message_id]).toEqual([202, 'owed', message_id]);
    await expect.poll(async () => (await deliveries())[0].attempts.length).toBe(2);
    const [first, second] = arrived();
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toEqual(first?.body);
    await expect.poll(async () => (await deliveries())[0].status).toBe('delivered');
  });

  test('sends once per Idempotency-Key', async () => {
    const { pay, post, at, arrived, deliveries } = await register();
    await pay(payment());
    await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(1);
    const path = `${at}/deliveries/${(await deliveries())[0].message_id}/retry`;
    const headers = { 'Idempotency-Key': 'once' };
    const first = await post(path, undefined, headers);
    await expect.poll(() => arrived().length).toBe(2);
    const again = await post(path, undefined, headers);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    await pay(payment());
    await expect.poll(() => arrived().length).toBe(3);
  });

  test('and test return 409 while the endpoint is disabled', async () => {
    const { put, pay, post, at, deliveries } = await register();
    await pay(payment());
    const [{ message_id }] = await deliveries();
    await put(at, { status: 'disabled' });
    for (const path of [`${at}/test`, `${at}/deliveries/${message_id}/retry`]) {
      const reply = await post(path, undefined);
      expect([reply.status, reply.json.error.code]).toEqual([409, 'webhook_disabled']);
    }
  });

  test('returns 404 for an unknown delivery', async () => {
    const { post, at } = await register();
    expect((await post(`${at}/deliveries/${unknownId('msg')}/retry`, undefined)).status).toBe(404);
    expect((await post(`${at}/deliveries/nonsense/retry`, undefined)).status).toBe(404);
  });
});

describe('DELETE', () => {
  test('sends nothing more, queued deliveries included', async () => {
    let answer: (() => void)[] = [];
    const slow = await startReceiver((_received, response) => void answer.push(() => response.writeHead(200).end()));
    const own = await startService({ env: { WEBHOOK_CA_FILE: slow.caFile } });
    const api = client(own, await own.key());
    const { json } = await api.post('/v1/webhooks', { url: slow.url, events: ['transaction.screened'] });
    await Promise.all(Array.from({ length: 100 }, () => api.pay(payment())));
    await expect.poll(() => answer.length).toBeGreaterThan(0);
    expect((await api.delete(`/v1/webhooks/${json.webhook_id}`)).status).toBe(204);
    const inFlight = slow.received.length;
    expect(inFlight).toBeLessThan(100);
    // Free slots for more deliveries, and another endpoint that shows that the worker runs.
    for (const end of answer) end();
    answer = [];
    const other = await api.post('/v1/webhooks', { url: `${slow.url}/other`, events: ['case.created'] });
    await api.post(`/v1/webhooks/${other.json.webhook_id}/test`, undefined);
    await expect.poll(() => slow.received.filter(({ path }) => path === '/other').length).toBe(1);
    expect(slow.received.filter(({ path }) => path === '/')).toHaveLength(inFlight);
  });
});

describe('another account', () => {
  test('cannot read, change, test, rotate or delete an endpoint, nor list or retry its deliveries', async () => {
    const { pay, get, at, deliveries } = await register();
    await pay(payment());
    const [{ message_id }] = await deliveries();
    const before = (await get(at)).json;
    for (const of of [
      { account: 'stranger' },
      { account: `account_${accounts - 1}`, environment: 'production' as const },
    ]) {
      const other = client(service, await service.key(of));
      const replies = [
        await other.get(at),
        await other.put(at, { label: 'mine' }),
        await other.post(`${at}/test`, undefined),
        await other.post(`${at}/rotate-secret`, undefined),
        await other.get(`${at}/deliveries`),
        await other.post(`${at}/deliveries/${message_id}/retry`, undefined),
        await other.delete(at),
      ];
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
    }
    expect((await get(at)).json).toEqual(before);
  });
});

test('no log contains a secret, and the disk holds it encrypted only', async () => {
  const { post, at, webhook, pay, deliveries } = await register();
  const rotated = (await post(`${at}/rotate-secret`, undefined)).json.signing_secret;
  await pay(payment());
  await expect.poll(async () => (await deliveries('?status=delivered')).length).toBe(1);
  for (const secret of [webhook.signing_secret, rotated]) {
    expect(service.logs.join('\n')).not.toContain(secret.slice(6));
    expect(await isStored(service.dataDir, secret.slice(6))).toBe(false);
  }
});

test('metrics count pending, delivered and failed deliveries', async () => {
  const own = await startService({ env: { WEBHOOK_CA_FILE: receiver.caFile } });
  const key = await own.key();
  const api = client(own, key);
  await api.post('/v1/webhooks', { url: `${receiver.url}/ok`, events: ['transaction.screened'] });
  await api.post('/v1/webhooks', { url: `${receiver.url}/500`, events: ['transaction.screened'] });
  await api.pay(payment());
  const metric = async (name: string): Promise<number> => {
    const line = (await own.call('GET', '/metrics', { key })).text
      .split('\n')
      .find((text) => text.startsWith(`${name} `));
    return Number(line?.split(' ').at(-1));
  };
  await expect.poll(() => metric('portcullis_deliveries_total{outcome="delivered"}')).toBe(1);
  await expect.poll(() => metric('portcullis_deliveries_total{outcome="to_be_retried"}')).toBe(1);
  expect(await metric('portcullis_deliveries_owed')).toBe(1);
  expect(await metric('portcullis_deliveries_oldest_owed_seconds')).toBeGreaterThan(0);
});
