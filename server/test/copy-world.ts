import { expect } from 'vitest';
import { makeMissed } from '../src/backend/redis-missed.ts';
import { type Ids, OPERATIONS, pathOf } from './every-operation.ts';
import {
  BLOCK_IP,
  type Client,
  client,
  DAY_MS,
  type Json,
  login,
  makeClock,
  makeFolder,
  payment,
  REVIEW_IP,
  startService,
} from './harness.ts';
import { addChallenger, withoutTrees } from './model-files.ts';
import { startReceiver } from './receiver.ts';
import { play, traffic, usersIn } from './traffic.ts';

/** The embedded store, whatever the tests run on. */
export const EMBEDDED = { DATABASE_URL: '', REDIS_URL: '', SECRET_KEY: '', TRAIN_DAILY: 'off' };

/** Takes messages, and answers none before it is opened. */
const startHolding = async () => {
  let held: (() => void)[] | undefined = [];
  const receiver = await startReceiver((_, response) => {
    const answer = (): void => void response.writeHead(204).end();
    if (held === undefined) answer();
    else held.push(answer);
  });
  const open = (): void => {
    for (const answer of held ?? []) answer();
    held = undefined;
  };
  return { ...receiver, open };
};

/** Waits until something that goes on in the background has ended. */
const ended = async (api: Client, path: string): Promise<void> => {
  for (let tries = 0; tries < 500; tries++) {
    const { status, json } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    if (json.status === 'done' || json.status === 'failed') return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${path} did not end`);
};

const KEPT = { 'idempotency-key': 'once' };
const ONCE = payment({ user_id: 'once', amount: 12 });
export const payOnce = (api: Client) => api.pay(ONCE, KEPT);

/** One of everything in an environment, and traffic. */
const fill = async (api: Client, clock: ReturnType<typeof makeClock>, url: string, seed: number) => {
  const made = async (path: string, body: unknown): Promise<Json> => {
    const { status, json } = await api.post(path, body);
    expect(status, `${path} ${JSON.stringify(json)}`).toBeLessThan(300);
    return json;
  };
  const hook = await made('/v1/webhooks', { url, events: ['transaction.screened', 'case.created'] });
  const rule = await made('/v1/rules', {
    name: 'costly',
    expression: 'amount > 10',
    action: { points: 3 },
  });
  for (const state of ['shadow', 'live'])
    expect((await api.put(`/v1/rules/${rule.rule_id}`, { state })).json.state).toBe(state);
  const list_id = 'friends';
  await made('/v1/lists', { name: list_id, treatment: 'none' });
  await made(`/v1/lists/${list_id}/entries`, { entries: [{ kind: 'user', value: 'a friend' }] });
  await made('/v1/lists/block/entries', {
    entries: [{ kind: 'ip_address', value: '198.51.100.0/24', reason: 'ü "x" \\ 🙂' }],
  });
  expect((await api.put('/v1/policy', { points: { new_device: 9 } })).status).toBe(200);
  const steps = [...traffic(seed, 120)];
  await play(api, clock, steps);
  const { json: screened } = await api.pay(payment({ user_id: 'held', ip_address: REVIEW_IP }));
  const { json: closed } = await api.pay(payment({ user_id: 'closed', ip_address: REVIEW_IP }));
  await api.put(`/v1/cases/${closed.case_id}`, { status: 'rejected', notes: 'no' });
  const { json: event } = await api.act(login({ user_id: 'held', ip_address: BLOCK_IP }));
  await made(`/v1/decisions/${event.decision_id}/review`, { decision: 'allow' });
  const label = await made('/v1/labels', { transaction_id: screened.transaction_id, label: 'fraud', source: 'bank' });
  const apiKey = await made('/v1/api-keys', { role: 'reader', label: 'of the test' });
  const { backtest_id } = await made('/v1/backtests', { policy: { points: { new_device: 20 } } });
  await ended(api, `/v1/backtests/${backtest_id}`);
  const { json: deliveries } = await api.get(`/v1/webhooks/${hook.webhook_id}/deliveries?limit=100`);
  const ids: Ids = {
    transaction_id: screened.transaction_id,
    decision_id: screened.decision_id,
    case_id: screened.case_id,
    event_id: event.event_id,
    webhook_id: hook.webhook_id,
    label_id: label.label_id,
    rule_id: rule.rule_id,
    list_id,
    backtest_id,
    user_id: 'held',
  };
  return { ids, reader: apiKey.secret as string, users: usersIn(steps), owed: deliveries.deliveries };
};

/** What a tenant is answered, to every GET there is, without what only tells how far deliveries are. */
export const viewOf = async (api: Client, ids: Ids, users: readonly unknown[]): Promise<Record<string, unknown>> => {
  const view: Record<string, unknown> = {};
  const paths = OPERATIONS.filter(([, { method }]) => method === 'GET').map(([, operation]) => pathOf(operation, ids));
  const more = [
    '/v1/cases?limit=100&start_date=2000-01-01',
    '/v1/labels?limit=100&since=2000-01-01',
    '/v1/audit?limit=100',
    `/v1/decisions/${ids.decision_id}?factors=exact`,
    '/v1/lists/block/entries',
    ...users.map((user) => `/v1/users/${user}/risk-profile`),
  ];
  for (const path of [...paths, ...more]) {
    const { status, json } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    // When an endpoint began to fail is part of that.
    for (const hook of [json, ...(json.webhooks ?? [])]) delete hook.failing_since;
    view[path] = path.endsWith('/deliveries')
      ? json.deliveries.map(({ message_id, type, created_at }: Json) => ({ message_id, type, created_at }))
      : json;
  }
  return view;
};

/** A service on the embedded store with a row in every table, and one of every sort. It owes messages to a receiver that takes none yet. */
export const makeWorld = async () => {
  const clock = makeClock(Date.now() - 60 * DAY_MS);
  const receiver = await startHolding();
  const dataDir = makeFolder();
  const env = { WEBHOOK_CA_FILE: receiver.caFile };
  const service = await startService({
    dataDir,
    clock: clock.now,
    logLevel: 'silent',
    env: { ...EMBEDDED, ...env },
  });
  const model = withoutTrees(3);
  await addChallenger(service.app.backend, 'acme', model);
  await makeMissed(service.app.backend).note(Number.MAX_SAFE_INTEGER);
  const trainer = client(service, await service.key({ environment: 'production' }));
  const started = await trainer.post('/v1/models/train', {});
  expect(started.json).toMatchObject({ status: 'running' });
  const { training_id } = started.json;
  await ended(trainer, `/v1/trainings/${training_id}`);
  const filled = [];
  for (const environment of ['sandbox', 'production'] as const) {
    const key = await service.key({ environment });
    filled.push({ key, ...(await fill(client(service, key), clock, receiver.url, filled.length + 1)) });
  }
  const tenants = [];
  for (const { ids, key, ...tenant } of filled) {
    const kept = (await payOnce(client(service, key))).text;
    const all: Ids = { ...ids, training_id, model_version: model.model_version };
    tenants.push({ ...tenant, key, kept, ids: all });
  }
  return { clock, receiver, dataDir, env, service, tenants };
};
export type World = Awaited<ReturnType<typeof makeWorld>>;
