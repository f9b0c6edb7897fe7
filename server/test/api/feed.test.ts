import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@portcullis/client';
import { EVENT_STREAM, FeedEvent, MAX_FEED_LISTENERS } from '@portcullis/contract';
import { Compile } from 'typebox/compile';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { SEARCH_FILE } from '../../src/backend/embedded/search-file.ts';
import {
  BLOCK_IP,
  type Client,
  client,
  countRows,
  DAY_MS,
  fieldErrors,
  type Json,
  login,
  makeClock,
  payment,
  type Service,
  startService,
} from '../fixtures/harness.ts';
import { openListener } from '../fixtures/listener.ts';
import { get, openSocket } from '../fixtures/raw-socket.ts';
import { untilSearched } from '../fixtures/searched.ts';
import { isShared } from '../fixtures/shared-store.ts';

const clock = makeClock();
const TIMES = { pollMs: 20, heartbeatMs: 50 };
let service: Service;
beforeAll(async () => {
  service = await startService({ clock: clock.now, feedTimes: TIMES });
});

let accounts = 0;
const newAccount = async (): Promise<{ key: string; api: Client }> => {
  const key = await service.key({ account: `account_${accounts++}` });
  return { key, api: client(service, key) };
};
/** Writes events of the first tenant, as the projection would for as many screenings. */
const insertEvents = async ({ app, dataDir }: Service, count: number): Promise<void> => {
  const sql = `WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ${count})
    INSERT INTO search_feed (number, tenant, entry, type, at, id, subject_type, has_case, score, decision)
    SELECT number, 1, number, 'case.created', 0, '01m7fd5wfgew29c9armae6cs6g', 'transaction', 1, 50, 'review' FROM n`;
  if (isShared) await app.backend.write([{ sql, params: [] }]);
  else {
    const file = new DatabaseSync(join(dataDir, SEARCH_FILE));
    file.exec(`PRAGMA busy_timeout = 10000; ${sql}`);
    file.close();
  }
};
const checkEvent = Compile(FeedEvent);
const typesOf = (events: readonly Json[]): string[] => events.map(({ type }) => type);

describe('GET /v1/feed', () => {
  test('sends new cases, blocks, resolutions and overrides, without anything that a caller sent', async () => {
    const { key, api } = await newAccount();
    const listener = await openListener(service, key);
    expect(listener.response.headers.get('content-type')).toBe(EVENT_STREAM);
    const person = { user_id: 'ada_of_feed', email: 'ada@feed.example', ip_address: BLOCK_IP };
    const held = await api.flagPayment({ user_id: 'ada_of_feed' });
    await listener.wait(1);
    const blocked = (await api.pay(payment(person))).json;
    const refused = (await api.act(login(person))).json;
    await api.pay(payment());
    await listener.wait(3);
    await api.put(`/v1/cases/${held.case_id}`, { status: 'approved', notes: 'their own note' });
    await listener.wait(4);
    await api.post(`/v1/decisions/${blocked.decision_id}/review`, { decision: 'allow' });
    const events = await listener.wait(5);
    expect(typesOf(events)).toEqual([
      'case.created',
      'transaction.decision.block',
      'event.decision.block',
      'case.resolved',
      'decision.reviewed',
    ]);
    for (const event of events) expect([...checkEvent.Errors(event)]).toEqual([]);
    expect(events[0]).toMatchObject({
      subject_id: held.transaction_id,
      decision_id: held.decision_id,
      case_id: held.case_id,
      risk_score: held.risk_score,
      decision: 'review',
      at: held.screened_at,
    });
    expect(events[2]).toMatchObject({ subject_type: 'event', subject_id: refused.event_id, case_id: null });
    expect(events[3]).toMatchObject({ case_id: held.case_id, decision: 'allow' });
    expect(events[4]).toMatchObject({ decision_id: blocked.decision_id, case_id: null, decision: 'allow' });
    expect(listener.text()).not.toMatch(/ada|feed\.example|203\.0\.113|their own note/);
    listener.close();
  });

  test('sends the topics that were asked for, and nothing of another account', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const [cases, blocks] = [
      await openListener(service, one.key, { query: '?topics=cases' }),
      await openListener(service, one.key, { query: '?topics=reviews,blocks' }),
    ];
    const foreign = await openListener(service, other.key);
    await one.api.pay(payment({ ip_address: BLOCK_IP }));
    await one.api.flagPayment();
    await other.api.flagPayment();
    expect(typesOf(await cases.wait(1))).toEqual(['case.created']);
    expect(typesOf(await blocks.wait(1))).toEqual(['transaction.decision.block']);
    const [event] = await foreign.wait(1);
    expect(cases.events()[0].case_id).not.toBe(event.case_id);
    for (const listener of [cases, blocks, foreign]) listener.close();
  });

  test('resumes after the last event, without a loss and without a repetition', async () => {
    const { key, api } = await newAccount();
    const first = await openListener(service, key, { query: '?topics=cases' });
    await api.flagPayment();
    const [seen] = await first.wait(1);
    first.close();
    const missed = [await api.flagPayment(), await api.flagPayment()];
    const resumed = await openListener(service, key, { lastEventId: seen.event_id });
    const again = await api.flagPayment();
    expect((await resumed.wait(3)).map(({ case_id }) => case_id)).toEqual(
      [...missed, again].map(({ case_id }) => case_id),
    );
    // Without a position it begins with new events, and heartbeats move its position on.
    const fresh = await openListener(service, key, { query: '?topics=blocks' });
    await expect.poll(fresh.text).toContain(': heartbeat');
    expect(fresh.position()).toBe(resumed.events().at(-1).event_id);
    expect(fresh.events()).toEqual([]);
    for (const listener of [resumed, fresh]) listener.close();
  });

  test('says that events are missing when the position is too old, or too many events came since', async () => {
    const { key, api } = await newAccount();
    const first = await openListener(service, key);
    await api.flagPayment();
    const [seen] = await first.wait(1);
    first.close();
    await api.flagPayment();
    await untilSearched(api, clock);
    clock.advance(DAY_MS + 1000);
    const late = await openListener(service, key, { lastEventId: seen.event_id });
    const held = await api.flagPayment();
    const events = await late.wait(2);
    expect(typesOf(events)).toEqual(['feed.gap', 'case.created']);
    expect(events[1].case_id).toBe(held.case_id);
    expect([...checkEvent.Errors(events[0])]).toEqual([]);
    late.close();
  });

  test('sends each assignment, release, reopening and expiry of a case once, without the person, and resumes after it', async () => {
    const { key, api } = await newAccount();
    const listener = await openListener(service, key, { query: '?topics=cases' });
    const [held, left] = [await api.flagPayment(), await api.flagPayment()];
    const path = `/v1/cases/${held.case_id}`;
    await listener.wait(2);
    const assign = (body: Json) => api.put(`${path}/assignment`, body);
    await assign({ assignee: 'ada_of_staff' });
    await assign({ assignee: 'ada_of_staff' });
    expect((await assign({ assignee: 'bob_of_staff' })).status).toBe(409);
    await assign({ assignee: 'bob_of_staff', force: true });
    await assign({ assignee: null, force: true });
    await api.post('/v1/cases/next', { analyst_id: 'cleo_of_staff' });
    await listener.wait(6);
    await api.put(path, { status: 'approved' });
    await listener.wait(7);
    await api.post(`${path}/reopen`, {});
    const before = await listener.wait(8);
    clock.advance(7 * DAY_MS);
    await service.app.expiry.send();
    await service.app.expiry.send();
    const events = await listener.wait(10);
    expect(typesOf(events)).toEqual([
      ...['case.created', 'case.created', 'case.assigned', 'case.assigned', 'case.released', 'case.assigned'],
      ...['case.resolved', 'case.reopened', 'case.expired', 'case.expired'],
    ]);
    for (const event of events) expect([...checkEvent.Errors(event)]).toEqual([]);
    expect(events.slice(2, 8).map(({ case_id }) => case_id)).toEqual(Array(6).fill(held.case_id));
    expect(new Set(events.slice(8).map(({ case_id }) => case_id))).toEqual(new Set([held.case_id, left.case_id]));
    expect(events[2]).toMatchObject({
      subject_id: held.transaction_id,
      risk_score: held.risk_score,
      decision: 'review',
    });
    expect(events[8].at).toBe((await api.get(`/v1/cases/${events[8].case_id}`)).json.expires_at);
    expect(listener.text()).not.toContain('_of_staff');
    listener.close();
    const again = await openListener(service, key, { lastEventId: events[7].event_id });
    expect(await again.wait(1)).toMatchObject([{ type: 'feed.gap' }]);
    const resumed = await openListener(service, key, { lastEventId: events[8].event_id });
    expect((await resumed.wait(1))[0]).toEqual(events[9]);
    expect(before).toHaveLength(8);
    for (const one of [again, resumed]) one.close();
    const rows = () => countRows(service, 'case_changes');
    expect(await rows()).toBeGreaterThan(0);
    clock.advance(2 * DAY_MS + 1000);
    await service.app.retention.sweepAll();
    expect(await rows()).toBe(0);
  });

  test('a HEAD request leaves no listener behind', async () => {
    const { key } = await newAccount();
    for (let count = 0; count <= MAX_FEED_LISTENERS; count++)
      expect((await service.call('HEAD', '/v1/feed', { key })).status).toBe(200);
    const listener = await openListener(service, key);
    expect(listener.response.status).toBe(200);
    listener.close();
  });
});

test('400: a position that is none, and unknown topics', async () => {
  const { api } = await newAccount();
  for (const id of ['x', '-1', '1.5', '9'.repeat(17), '9999999999999999'])
    expect(fieldErrors(await api.get('/v1/feed', { 'last-event-id': id }))).toHaveProperty('Last-Event-ID');
  for (const topics of ['', 'all', 'cases,', 'cases;blocks'])
    expect(fieldErrors(await api.get(`/v1/feed?topics=${topics}`))).toHaveProperty('topics');
});

test('429: more listeners than an account may have; others can listen, and again after one has left', async () => {
  const [one, other] = [await newAccount(), await newAccount()];
  const listeners = [];
  for (let count = 0; count < MAX_FEED_LISTENERS; count++) listeners.push(await openListener(service, one.key));
  const { status, json, headers } = await one.api.get('/v1/feed');
  expect([status, json.error.code]).toEqual([429, 'rate_limited']);
  expect(headers.get('retry-after')).toBe('10');
  expect(json.error.message).toContain(`At most ${MAX_FEED_LISTENERS} listeners`);
  const elsewhere = await openListener(service, other.key);
  expect(elsewhere.response.status).toBe(200);
  listeners[0]?.close();
  await expect.poll(async () => (await one.api.get('/v1/feed')).status).toBe(200);
  for (const listener of [...listeners, elsewhere]) listener.close();
});

describe('a stream ends', () => {
  test('when its key is revoked', async () => {
    const { api } = await newAccount();
    const { secret, key_id } = (await api.post('/v1/api-keys', { role: 'reader' })).json;
    const listener = await openListener(service, secret);
    await expect.poll(listener.text).toContain(': heartbeat');
    await api.delete(`/v1/api-keys/${key_id}`);
    expect(await listener.ended).toBe(true);
  });

  test('when its client does not read, which takes bounded memory', async () => {
    const slow = await startService({
      feedTimes: { pollMs: 5, heartbeatMs: 60_000 },
      connectionTimes: { unreadMs: 300, checkMs: 20 },
    });
    const key = await slow.key();
    const metric = async (name: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}`, host: 'x' };
      const { payload } = await slow.app.http.inject({ url: '/metrics', headers });
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(payload)?.[1]);
    };
    const { socket, send } = await openSocket(slow);
    socket.pause();
    send(get('/v1/feed', `Authorization: Bearer ${key}\r\n`));
    await expect.poll(() => metric('portcullis_feed_listeners')).toBe(1);
    // More than the system keeps for a connection.
    await insertEvents(slow, 60_000);
    await expect.poll(() => metric('portcullis_feed_listeners')).toBe(0);
    expect(await metric('portcullis_connections_closed_total\\{reason="unread"\\}')).toBe(1);
    socket.destroy();
  });

  test('when the service stops, at once', async () => {
    const stopping = await startService({ drainMs: 30_000 });
    const listener = await openListener(stopping, await stopping.key());
    await expect.poll(listener.position).toBe('0');
    const startedAt = performance.now();
    await stopping.stop();
    expect(await listener.ended).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

test.runIf(isShared)('every process sends the events of all processes', async () => {
  const second = await startService({ clock: clock.now, feedTimes: TIMES, dataDir: service.dataDir });
  const { key, api } = await newAccount();
  const [here, there] = [await openListener(service, key), await openListener(second, key)];
  await api.flagPayment();
  await client(second, key).flagPayment();
  const events = await here.wait(2);
  expect(await there.wait(2)).toEqual(events);
  const resumed = await openListener(second, key, { lastEventId: events[0].event_id });
  expect(await resumed.wait(1)).toEqual(events.slice(1));
  for (const listener of [here, there, resumed]) listener.close();
});

test('the client iterates over events, connects again after the last one, and stops', async () => {
  const { key, api } = await newAccount();
  const breaks: (() => void)[] = [];
  let connections = 0;
  const portcullis = createClient({
    url: service.url,
    apiKey: key,
    // Breaks the first connection after its first event.
    fetch: async (url, init) => {
      connections++;
      const controller = new AbortController();
      breaks.push(() => controller.abort());
      return fetch(url, { ...init, signal: AbortSignal.any([controller.signal, init.signal]) });
    },
  });
  const received: string[] = [];
  const iterating = (async () => {
    for await (const event of portcullis.feed.listen({ topics: 'cases' })) {
      received.push(event.case_id ?? '');
      if (received.length === 3) return;
    }
  })();
  await vi.waitUntil(() => connections === 1);
  const sent = [(await api.flagPayment()).case_id];
  await vi.waitUntil(() => received.length === 1);
  breaks[0]?.();
  sent.push((await api.flagPayment()).case_id, (await api.flagPayment()).case_id);
  await iterating;
  expect(received).toEqual(sent);
  expect(connections).toBe(2);
  const controller = new AbortController();
  const waiting = portcullis.feed.listen({}, { signal: controller.signal }).next();
  await vi.waitUntil(() => connections === 3);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
