import { expect, test } from 'vitest';
import { type Connection, encode, spread } from '../fixtures/crash-connection.ts';
import { newFolder, SANDBOX_KEY, serve } from '../fixtures/crash-process.ts';
import { rounds, timeoutMs } from '../fixtures/effort.ts';
import { payment } from '../fixtures/harness.ts';
import { startReceiver } from '../fixtures/receiver.ts';
import { changeRecords, readRecords } from '../fixtures/records.ts';

const KILLS = rounds(1, 20);
const MESSAGES = 1600 * KILLS;
const CALLERS = 32;

const post = async (connection: Connection, path: string, body: unknown): Promise<Record<string, string>> => {
  const sent = encode({ method: 'POST', path, key: SANDBOX_KEY, body: JSON.stringify(body) });
  const { status, text } = await connection.send(sent);
  expect(status).toBeLessThan(300);
  return JSON.parse(text);
};

/** A receiver that counts arrivals and answers none of them before `open` is called. */
const startCounting = async () => {
  const arrivals = new Map<string, string[]>();
  let held: (() => void)[] | undefined = [];
  const receiver = await startReceiver(({ headers, body }, response) => {
    const id = String(headers['webhook-id']);
    arrivals.set(id, [...(arrivals.get(id) ?? []), String(body)]);
    const answer = (): void => void response.writeHead(204).end();
    if (held === undefined) answer();
    else held.push(answer);
  });
  return {
    ...receiver,
    arrivals,
    total: () => [...arrivals.values()].reduce((sum, { length }) => sum + length, 0),
    open: () => {
      for (const answer of held ?? []) answer();
      held = undefined;
    },
  };
};

/**
 * Makes the leases of a killed process end now. Without it, its deliveries would become due 20 s later: the test would
 * only wait.
 */
const endLeases = async (dataDir: string): Promise<void> => {
  const now = Date.now();
  const leased = 'deliveries WHERE status = ? AND due_at > ?';
  const [found] = await readRecords<{ last: number }>(
    dataDir,
    `SELECT MAX(due_at) AS last FROM ${leased}`,
    'owed',
    now,
  );
  expect(found?.last).toBeGreaterThan(now);
  await changeRecords(dataDir, 'UPDATE deliveries SET due_at = ? WHERE status = ? AND due_at > ?', now, 'owed', now);
};

test(`after kill -9 (${KILLS} in this run), every pending delivery arrives, fewer than 5 % of them twice, under the same id`, {
  timeout: timeoutMs(400_000),
}, async () => {
  const receiver = await startCounting();
  const dataDir = newFolder();
  const env = { WEBHOOK_CA_FILE: receiver.caFile };
  let server = await serve(dataDir, env);
  const hook = { url: receiver.url, events: ['transaction.screened'] };
  await spread(server.port, 1, [hook], async (connection) => void (await post(connection, '/v1/webhooks', hook)));
  const acknowledged = new Set<string>();
  await spread(server.port, CALLERS, Array(MESSAGES).keys(), async (connection) => {
    acknowledged.add((await post(connection, '/v1/transactions/screen', payment())).transaction_id as string);
  });
  // The receiver has answered nothing yet: nearly every delivery is still pending.
  expect(acknowledged.size).toBe(MESSAGES);
  expect(receiver.arrivals.size).toBeLessThan(MESSAGES / 10);
  receiver.open();
  for (let kill = 1; kill <= KILLS; kill++) {
    const enough = Math.min(MESSAGES - 100, receiver.total() + MESSAGES / (KILLS + 2));
    await expect.poll(() => receiver.total(), { timeout: 120_000, interval: 1 }).toBeGreaterThan(enough);
    server.kill('SIGKILL');
    await server.exited;
    await endLeases(dataDir);
    server = await serve(dataDir, env);
  }
  await expect.poll(() => receiver.arrivals.size, { timeout: 120_000, interval: 50 }).toBe(MESSAGES);
  const delivered = new Set(
    [...receiver.arrivals.values()].map(([body]) => JSON.parse(String(body)).data.transaction_id),
  );
  expect(delivered).toEqual(acknowledged);
  for (const [id, bodies] of receiver.arrivals) {
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] as string).id).toBe(id);
  }
  const twice = [...receiver.arrivals.values()].filter(({ length }) => length > 1).length;
  expect(twice).toBeLessThan(0.05 * MESSAGES);
  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
});
