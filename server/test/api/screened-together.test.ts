import { expect, test, vi } from 'vitest';
import { client, type Json, login, payment, REVIEW_IP, type Service, startService } from '../fixtures/harness.ts';
import { get, openSocket } from '../fixtures/raw-socket.ts';

interface Sent {
  readonly path?: string;
  readonly body: Json | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}
/** Each kind of request, by its user. Those with status 200 are stored. */
const KINDS: readonly ((user_id: string) => Sent)[] = [
  (user_id) => ({ body: payment({ user_id }), status: 200 }),
  () => ({ body: '{"user_id":', status: 400 }),
  (user_id) => ({ path: '/v1/events', body: login({ user_id }), status: 200 }),
  (user_id) => ({ body: payment({ user_id, ip_address: REVIEW_IP }), status: 200 }),
  (user_id) => ({ body: payment({ user_id, amount: -1 }), status: 400 }),
  (user_id) => ({ body: payment({ user_id }), headers: { 'idempotency-key': user_id }, status: 200 }),
  () => ({ body: 'user_id=1', headers: { 'content-type': 'text/plain' }, status: 415 }),
  (user_id) => ({ body: payment({ user_id, device_token: 'pct1.e30.e30' }), status: 200 }),
];
const EACH = 8;

/** Opens a connection and returns how to send its last request. The answer to the first says that it is accepted. */
const open = async (service: Service, key: string) => {
  const socket = await openSocket(service);
  socket.send(get('/healthz'));
  await socket.expectStatuses([200]);
  return async ({ path = '/v1/transactions/screen', body, headers }: Sent): Promise<{ status: number; json: Json }> => {
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    const lines = Object.entries({
      host: 'x',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': content.length,
      connection: 'close',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`);
    socket.send(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${content}`);
    const received = await socket.closed;
    return {
      status: socket.statuses().at(-1) as number,
      json: JSON.parse(received.split('\r\n\r\n').at(-1) as string),
    };
  };
};

test('requests that arrive together are answered each for itself, whatever is wrong with the others', async () => {
  const service = await startService({});
  const key = await service.key();
  const api = client(service, key);
  const sent = Array.from({ length: EACH * KINDS.length }, (_, i) =>
    (KINDS[i % KINDS.length] as (typeof KINDS)[number])(`user_${i}`),
  );
  // Written at once over open connections, they are read in one turn of the event loop.
  const connections = await Promise.all(sent.map(() => open(service, key)));
  const answers = await Promise.all(sent.map((request, i) => connections[i]?.(request)));

  const stored = [];
  for (const [i, { status, body, headers }] of sent.entries()) {
    const answer = answers[i] as { status: number; json: Json };
    expect([i, answer.status]).toEqual([i, status]);
    if (status !== 200) continue;
    expect(answer.json.user_id).toBe((body as Json).user_id);
    stored.push(answer.json);
    if (headers === undefined) continue;
    const again = await (await open(service, key))(sent[i] as Sent);
    expect(again.json).toEqual(answer.json);
  }
  expect(stored).toHaveLength(5 * EACH);
  const [counted] = await service.app.backend.read<{ count: number }>('SELECT COUNT(*) AS count FROM screenings');
  expect(Number(counted?.count)).toBe(stored.length);
  const reviewed = stored.filter(({ decision }) => decision === 'review');
  expect(reviewed.length).toBeGreaterThanOrEqual(EACH);
  expect((await api.get('/v1/cases?status=open')).json.total).toBe(reviewed.length);
});

test('a screening that cannot be decided ends alone', async () => {
  const service = await startService({});
  const { counters } = service.app;
  const key = await service.key();
  const users = Array.from({ length: 6 }, (_, i) => `user_${i}`);
  const count = counters.count.bind(counters);
  const batches: number[] = [];
  const spy = vi.spyOn(counters, 'count').mockImplementation((screenings, decide, refuse) =>
    count(
      screenings,
      (gathered, facts) => {
        batches.push(gathered.length);
        const withoutFacts = gathered.findIndex(({ subject }) => subject.request.user_id === 'user_3');
        decide(
          gathered,
          facts.map((of, i) => (i === withoutFacts ? (undefined as never) : of)),
        );
      },
      refuse,
    ),
  );
  const send = async (): Promise<number[]> => {
    const connections = await Promise.all(users.map(() => open(service, key)));
    const answers = await Promise.all(
      connections.map((request, i) => request({ body: payment({ user_id: users[i] }), status: 200 })),
    );
    return answers.map(({ status }) => status);
  };
  expect(await send()).toEqual([200, 200, 200, 500, 200, 200]);
  expect(Math.max(...batches)).toBeGreaterThan(1);
  spy.mockRestore();
  // Its user and its connection are as before.
  expect(await send()).toEqual([200, 200, 200, 200, 200, 200]);
  const [stored] = await service.app.backend.read<{ count: number }>('SELECT COUNT(*) AS count FROM screenings');
  expect(Number(stored?.count)).toBe(11);
});
