import { describe, expect, test } from 'vitest';
import { type Answer, type Connection, encode, openConnection, spread } from '../fixtures/crash-connection.ts';
import {
  type AnsweredScreening,
  encodeScreening,
  load,
  makeRandomLabels,
  makeTraffic,
  type SentScreening,
} from '../fixtures/crash-load.ts';
import { newFolder, SANDBOX_KEY, type Server, serve } from '../fixtures/crash-process.ts';
import { makeRandom } from '../fixtures/crash-random.ts';
import { readStore, replayMismatches, type StoreContents, verdictMismatches } from '../fixtures/crash-store.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import type { Json } from '../fixtures/harness.ts';
import { historyOf } from '../fixtures/label-traffic.ts';
import { isShared } from '../fixtures/shared-store.ts';

const ROUNDS = rounds(2, 100);
const CONNECTIONS = 32;
/** Responses before the lull of a round, at least. */
const RESPONSES = rounds(100, 300);
const EVENTS = ['transaction.screened', 'transaction.decision.block', 'case.created'];

const get = (connection: Connection, path: string): Promise<Answer> =>
  connection.send(encode({ method: 'GET', path, key: SANDBOX_KEY }));
const resultPath = ({ transaction_id, event_id }: Json): string =>
  transaction_id === undefined ? `/v1/events/${event_id}` : `/v1/transactions/${transaction_id}`;

/** Returns acknowledged screenings that are missing or differ from their response. */
const missing = async (server: Server, acknowledged: readonly AnsweredScreening[]): Promise<string[]> => {
  const errors: string[] = [];
  await spread(server.port, 8, acknowledged, async (connection, { order, text }) => {
    const expected = JSON.parse(text);
    const result = await get(connection, resultPath(expected));
    if (result.status !== 200 || result.text !== text) errors.push(`${order}: ${result.status} ${result.text}`);
    const decision = await get(connection, `/v1/decisions/${expected.decision_id}`);
    const { automated_decision, risk_score, signals, case_id, decided_at } = JSON.parse(decision.text);
    expect([order, automated_decision, risk_score, signals, case_id, decided_at]).toEqual([
      order,
      expected.decision,
      expected.risk_score,
      expected.signals,
      expected.case_id,
      expected.screened_at,
    ]);
    if (expected.case_id === null) return;
    const { status, text: found } = await get(connection, `/v1/cases/${expected.case_id}`);
    const { decision_id, status: state, created_at } = JSON.parse(found);
    expect([order, status, decision_id, state, created_at]).toEqual([
      order,
      200,
      expected.decision_id,
      'open',
      expected.screened_at,
    ]);
  });
  return errors;
};

/**
 * Sends requests with an idempotency key again. Acknowledged ones must be replayed. Returns the responses to the
 * others.
 */
const sendAgain = async (
  server: Server,
  sent: readonly (SentScreening | AnsweredScreening)[],
): Promise<AnsweredScreening[]> => {
  const settled: AnsweredScreening[] = [];
  const withKey = sent.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  await spread(server.port, 8, withKey, async (connection, item) => {
    const { status, headers, text } = await connection.send(encodeScreening(item));
    expect([item.order, status]).toEqual([item.order, 200]);
    if ('text' in item) {
      expect([item.order, headers['idempotent-replayed'], text]).toEqual([item.order, 'true', item.text]);
    } else settled.push({ ...item, text });
  });
  return settled;
};

/** Expects each profile to count exactly the stored screenings of its user, acknowledged or not. */
const expectExactProfiles = async (
  server: Server,
  stored: StoreContents,
  sent: readonly SentScreening[],
): Promise<void> => {
  // Screenings that a killed process counted in Redis and did not store are never cancelled.
  if (isShared) return;
  const counts = new Map(sent.map(({ userId }) => [userId, { transactions: 0, events: 0, frauds: 0 }]));
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
    // Unknown: every screening of this user was lost before it was stored.
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

/**
 * Expects each screening to be stored with its case and its messages, and neither of these without it. Verdicts of the
 * first `checked` screenings were checked before.
 */
const expectComplete = ({ screenings, cases, deliveries, integrity }: StoreContents, checked = 0): void => {
  expect(integrity).toBe('ok');
  expect(verdictMismatches(screenings.slice(checked))).toEqual([]);
  const expected: string[] = [];
  const opened: string[] = [];
  for (const { id, type, verdict } of screenings) {
    const { decision } = JSON.parse(verdict);
    if (type === 'transaction') expected.push(`transaction.screened ${id}`);
    if (type === 'transaction' && decision === 'block') expected.push(`transaction.decision.block ${id}`);
    if (decision === 'review') {
      expected.push(`case.created ${id}`);
      opened.push(id);
    }
  }
  const messages = deliveries.map(({ type, body }) => `${type} ${JSON.parse(body).data.decision_id.slice(4)}`);
  expect(messages.sort()).toEqual(expected.sort());
  expect(cases.map(({ id }) => id)).toEqual(opened.sort());
};

const expectLabelled = ({ labels }: StoreContents, answered: readonly string[]): void => {
  const ids = new Map(labels.map(({ id, label }) => [`lbl_${id}`, label]));
  for (const text of answered) {
    const { label_id, label } = JSON.parse(text);
    expect([label_id, ids.get(label_id)]).toEqual([label_id, label]);
  }
};

const expectMessages = ({ deliveries }: StoreContents, acknowledged: readonly AnsweredScreening[]): void => {
  const data = new Set(deliveries.map(({ type, body }) => `${type} ${body.slice(body.indexOf(',"data":') + 8, -1)}`));
  const missingMessages = acknowledged.filter(({ text }) => {
    const { transaction_id, decision } = JSON.parse(text);
    if (transaction_id === undefined) return false;
    const types = decision === 'block' ? EVENTS.slice(0, 2) : EVENTS.slice(0, 1);
    return types.some((type) => !data.has(`${type} ${text}`));
  });
  expect(missingMessages).toEqual([]);
};

describe(`kill -9 under load, ${ROUNDS} times`, () => {
  test(`no acknowledged result, case, label or delivery is lost, no decision is half written, all counters are exact (seed ${SEED})`, {
    timeout: timeoutMs(240_000),
  }, async () => {
    const dataDir = newFolder();
    const random = makeRandom(SEED);
    const next = makeTraffic(random);
    const label = makeRandomLabels(random);
    const acknowledged: AnsweredScreening[] = [];
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
      // During the lull some changed histories are saved, and some are not.
      const lullAfter = random.between(RESPONSES, 1.5 * RESPONSES);
      const killAfter = lullAfter + random.between(50, RESPONSES);
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
      expectComplete(stored, checked);
      checked = stored.screenings.length;
      expectLabelled(stored, loaded.labelled);
      server = await serve(dataDir);
      await expectExactProfiles(server, stored, [...loaded.acknowledged, ...loaded.unanswered]);
      expect(await missing(server, loaded.acknowledged)).toEqual([]);
      await sendAgain(server, loaded.acknowledged);
      acknowledged.push(...loaded.acknowledged, ...(await sendAgain(server, loaded.unanswered)));
    }
    expect(lost).toBeGreaterThan(0);
    expect(labelled).toBeGreaterThan((RESPONSES / 6) * ROUNDS);
    expect(await missing(server, acknowledged)).toEqual([]);
    await expectExactProfiles(server, await readStore(dataDir), acknowledged);

    server.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const stored = await readStore(dataDir);
    expectComplete(stored);
    expectMessages(stored, acknowledged);
    if (!isShared) expect(replayMismatches(stored.screenings, historyOf(stored.screenings, stored.labels))).toEqual([]);
    const orders = stored.screenings.map(({ request }) => JSON.parse(request).metadata.order);
    expect(new Set(orders).size).toBe(orders.length);
  });
});
