import { expect, test } from 'vitest';
import { newFolder, SANDBOX_KEY, type Server, serve } from './crash-process.ts';
import { payment } from './harness.ts';
import { startReceiver } from './receiver.ts';

const MESSAGES = 4000;
const CALLERS = 32;
const KILLS = 5;

const post = async (server: Server, path: string, body: unknown): Promise<Record<string, string>> => {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${SANDBOX_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, string>;
};

/** What arrives is counted; how fast it is taken is up to the test. */
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

test('every delivery owed arrives after kill -9, five times, fewer than 5 % of them twice, under the same id', {
  timeout: 180_000,
}, async () => {
  const receiver = await startCounting();
  const dataDir = newFolder();
  const env = { WEBHOOK_CA_FILE: receiver.caFile };
  let server = await serve(dataDir, env);
  await post(server, '/v1/webhooks', { url: receiver.url, events: ['transaction.screened'] });
  const acknowledged = new Set<string>();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let i = 0; i < MESSAGES / CALLERS; i++) {
        acknowledged.add((await post(server, '/v1/transactions/screen', payment())).transaction_id as string);
      }
    }),
  );
  // Until now nothing was answered: nearly everything is still owed.
  expect(acknowledged.size).toBe(MESSAGES);
  expect(receiver.arrivals.size).toBeLessThan(MESSAGES / 10);
  receiver.open();
  for (let kill = 1; kill <= KILLS; kill++) {
    const enough = Math.min(MESSAGES - 100, receiver.total() + MESSAGES / (KILLS + 2));
    await expect.poll(() => receiver.total(), { timeout: 30_000, interval: 1 }).toBeGreaterThan(enough);
    server.kill('SIGKILL');
    await server.exited;
    server = await serve(dataDir, env);
  }
  // What was under way in the last crash is free again when its lease ends.
  await expect.poll(() => receiver.arrivals.size, { timeout: 60_000, interval: 50 }).toBe(MESSAGES);
  const told = new Set([...receiver.arrivals.values()].map(([body]) => JSON.parse(String(body)).data.transaction_id));
  expect(told).toEqual(acknowledged);
  for (const [id, bodies] of receiver.arrivals) {
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] as string).id).toBe(id);
  }
  const twice = [...receiver.arrivals.values()].filter(({ length }) => length > 1).length;
  expect(twice).toBeLessThan(0.05 * MESSAGES);
  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
});
