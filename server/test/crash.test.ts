import { describe, expect, test } from 'vitest';
import { type Answer, type Connection, encode, openConnection, spread } from './crash-connection.ts';
import { type Acknowledged, type Asked, encodeAsked, load, makeLabelling, makeTraffic } from './crash-load.ts';
import { newFolder, SANDBOX_KEY, type Server, serve } from './crash-process.ts';
import { makeRandom } from './crash-random.ts';
import { misreplayed, readStore, type Stored, undecided } from './crash-store.ts';
import type { Json } from './harness.ts';
import { historyOf } from './label-traffic.ts';
import { isShared } from './shared-store.ts';

const ROUNDS = 10;
const CONNECTIONS = 32;
const SEED = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
const EVENTS = ['transaction.screened', 'transaction.decision.block', 'case.created'];

const get = (connection: Connection, path: string): Promise<Answer> =>
  connection.send(encode({ method: 'GET', path, key: SANDBOX_KEY }));
const resultPath = ({ transaction_id, event_id }: Json): string =>
  transaction_id === undefined ? `/v1/events/${event_id}` : `/v1/transactions/${transaction_id}`;

/** What of an acknowledged screening is not there, or not as it was acknowledged. */
const missing = async (server: Server, acknowledged: readonly Acknowledged[]): Promise<string[]> => {
  const faults: string[] = [];
  await spread(server.port, 8, acknowledged, async (connection, { order, text }) => {
    const said = JSON.parse(text);
    const result = await get(connection, resultPath(said));
    if (result.status !== 200 || result.text !== text) faults.push(`${order}: ${result.status} ${result.text}`);
    const decision = await get(connection, `/v1/decisions/${said.decision_id}`);
    const { automated_decision, risk_score, signals, case_id, decided_at } = JSON.parse(decision.text);
    expect([order, automated_decision, risk_score, signals, case_id, decided_at]).toEqual([
      order,
      said.decision,
      said.risk_score,
      said.signals,
      said.case_id,
      said.screened_at,
    ]);
    if (said.case_id === null) return;
    const { status, text: found } = await get(connection, `/v1/cases/${said.case_id}`);
    const { decision_id, status: state, created_at } = JSON.parse(found);
    expect([order, status, decision_id, state, created_at]).toEqual([
      order,
      200,
      said.decision_id,
      'open',
      said.screened_at,
    ]);
  });
  return faults;
};

/** Sends requests with an idempotency key again. Acknowledged ones must be replayed; answers with what the others now say. */
const sendAgain = async (server: Server, asked: readonly (Asked | Acknowledged)[]): Promise<Acknowledged[]> => {
  const settled: Acknowledged[] = [];
  const withKey = asked.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  await spread(server.port, 8, withKey, async (connection, item) => {
    const { status, headers, text } = await connection.send(encodeAsked(item));
    expect([item.order, status]).toEqual([item.order, 200]);
    if ('text' in item) {
      expect([item.order, headers['idempotent-replayed'], text]).toEqual([item.order, 'true', item.text]);
    } else settled.push({ ...item, text });
  });
  return settled;
};

/** The profile of each of the users counts what is stored of them, acknowledged or not: no more and no less. */
const expectExactProfiles = async (server: Server, stored: Stored, asked: readonly Asked[]): Promise<void> => {
  // What a killed process counted in Redis and did not store, nobody takes back.
  if (isShared) return;
  const counts = new Map(asked.map(({ userId }) => [userId, { transactions: 0, events: 0, frauds: 0 }]));
  const inForce = new Map(stored.labels.map(({ screening_seq, label }) => [screening_seq, label]));
  for (const { seq, type, request } of stored.screenings) {
    const { user_id } = JSON.parse(request);
    const count = counts.get(user_id);
    if (count === undefined) continue;
    count[`${type}s`]++;
    if (inForce.get(seq) === 'fraud') count.frauds++;
  }
  await spread(server.port, 8, counts, async (connection, [userId, count]) => {
    const { status, text } = await get(connection, `/v1/users/${userId}/risk-profile`);
    // Never seen: all that was asked for this user was lost before it was stored.
    if (status === 404) return expect([userId, count]).toEqual([userId, { transactions: 0, events: 0, frauds: 0 }]);
    const { transactions, events, velocity, confirmed_fraud } = JSON.parse(text);
    expect([userId, transactions.count, events.count, velocity['1h'].count, confirmed_fraud]).toEqual([
      userId,
      count.transactions,
      count.events,
      count.transactions,
      count.frauds,
    ]);
  });
};

/** Whether stored whole: each screening with its case and its messages, and none of those without it. The first so many were decided again before. */
const expectWhole = ({ screenings, cases, deliveries, integrity }: Stored, checked = 0): void => {
  expect(integrity).toBe('ok');
  expect(undecided(screenings.slice(checked))).toEqual([]);
  const owed: string[] = [];
  const opened: string[] = [];
  for (const { id, type, verdict } of screenings) {
    const { decision } = JSON.parse(verdict);
    if (type === 'transaction') owed.push(`transaction.screened ${id}`);
    if (type === 'transaction' && decision === 'block') owed.push(`transaction.decision.block ${id}`);
    if (decision === 'review') {
      owed.push(`case.created ${id}`);
      opened.push(id);
    }
  }
  const messages = deliveries.map(({ type, body }) => `${type} ${JSON.parse(body).data.decision_id.slice(4)}`);
  expect(messages.sort()).toEqual(owed.sort());
  expect(cases.map(({ id }) => id)).toEqual(opened.sort());
};

const expectLabelled = ({ labels }: Stored, answered: readonly string[]): void => {
  const ids = new Map(labels.map(({ id, label }) => [`lbl_${id}`, label]));
  for (const text of answered) {
    const { label_id, label } = JSON.parse(text);
    expect([label_id, ids.get(label_id)]).toEqual([label_id, label]);
  }
};

const expectOwed = ({ deliveries }: Stored, acknowledged: readonly Acknowledged[]): void => {
  const data = new Set(deliveries.map(({ type, body }) => `${type} ${body.slice(body.indexOf(',"data":') + 8, -1)}`));
  const missingMessages = acknowledged.filter(({ text }) => {
    const { transaction_id, decision } = JSON.parse(text);
    if (transaction_id === undefined) return false;
    const types = decision === 'block' ? EVENTS.slice(0, 2) : EVENTS.slice(0, 1);
    return types.some((type) => !data.has(`${type} ${text}`));
  });
  expect(missingMessages).toEqual([]);
};

describe('kill -9 under load, 10 times', () => {
  test(`no acknowledged result, case, label or delivery is missing, no decision half written, all counters exact (seed ${SEED})`, {
    timeout: 240_000,
  }, async () => {
    const dataDir = newFolder();
    const random = makeRandom(SEED);
    const next = makeTraffic(random);
    const label = makeLabelling(random);
    const acknowledged: Acknowledged[] = [];
    let labelled = 0;
    let lost = 0;
    let checked = 0;

    let server = await serve(dataDir);
    const connection = openConnection(server.port);
    const body = JSON.stringify({ url: 'https://127.0.0.1:9/hook', events: EVENTS });
    const hook = await connection.send(encode({ method: 'POST', path: '/v1/webhooks', key: SANDBOX_KEY, body }));
    expect(hook.status).toBe(201);
    connection.close();

    for (let round = 0; round < ROUNDS; round++) {
      const killed = server;
      // In the lull some of what was counted gets to disk, and some does not.
      const lullAfter = random.between(300, 450);
      const killAfter = lullAfter + random.between(50, 300);
      let lullUntil = 0;
      const loaded = await load(killed, {
        connections: CONNECTIONS,
        next,
        label,
        pauseMs: () => Math.max(0, lullUntil - performance.now()) + random.unit() * 30,
        onAnswer: (count) => {
          if (count === lullAfter) lullUntil = performance.now() + random.unit() * 900;
          if (count === killAfter) setTimeout(() => killed.kill('SIGKILL'), random.unit() * 30);
        },
      });
      expect((await killed.exited).signal).toBe('SIGKILL');
      expect(loaded.refused).toEqual([]);
      expect(loaded.acknowledged.length).toBeGreaterThanOrEqual(killAfter);
      lost += loaded.unanswered.length;
      labelled += loaded.labelled.length;

      const stored = await readStore(dataDir);
      expectWhole(stored, checked);
      checked = stored.screenings.length;
      expectLabelled(stored, loaded.labelled);
      server = await serve(dataDir);
      await expectExactProfiles(server, stored, [...loaded.acknowledged, ...loaded.unanswered]);
      expect(await missing(server, loaded.acknowledged)).toEqual([]);
      await sendAgain(server, loaded.acknowledged);
      acknowledged.push(...loaded.acknowledged, ...(await sendAgain(server, loaded.unanswered)));
    }
    expect(lost).toBeGreaterThan(0);
    expect(labelled).toBeGreaterThan(500);
    expect(await missing(server, acknowledged)).toEqual([]);
    await expectExactProfiles(server, await readStore(dataDir), acknowledged);

    server.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const stored = await readStore(dataDir);
    expectWhole(stored);
    expectOwed(stored, acknowledged);
    if (!isShared) expect(misreplayed(stored.screenings, historyOf(stored.screenings, stored.labels))).toEqual([]);
    const orders = stored.screenings.map(({ request }) => JSON.parse(request).metadata.order);
    expect(new Set(orders).size).toBe(orders.length);
  });
});
