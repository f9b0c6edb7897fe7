import { expect, test } from 'vitest';
import { client, payment, startService } from '../fixtures/harness.ts';
import { get, openSocket, type RawSocket } from '../fixtures/raw-socket.ts';

/** Turns that begin when the test says so. */
const due: (() => void)[] = [];
const service = await startService({ scheduleTurn: (call) => void due.push(call) });
const key = await service.key();
const other = await service.key();
const api = client(service, key);
const takeTurn = (): void => {
  for (const call of due.splice(0)) call();
};
const takeAllTurns = (): void => {
  while (due.length > 0) takeTurn();
};
const answered = (connections: readonly RawSocket[]): number =>
  connections.filter(({ statuses }) => statuses().length > 0).length;
const wrongKey = `Authorization: Bearer sk_test_${'0'.repeat(40)}\r\n`;
const SMALL = 4;

test.each([
  ['a health check', '/healthz', '', SMALL],
  ['a request without a key', '/v1/cases', '', SMALL],
  ['a request with an unknown key', '/v1/cases', wrongKey, 1],
  ['metrics with an unknown key', '/metrics', wrongKey, SMALL],
  ['an unknown path', '/nowhere', '', SMALL],
  ['an unknown path with a valid key', '/nowhere', `Authorization: Bearer ${key}\r\n`, SMALL],
  ['an invalid path', '/%zz', '', SMALL],
  ['two Host headers', '/v1/cases', 'Host: y\r\n', SMALL],
  ['a method that the path does not take', '/v1/transactions/screen', '', SMALL],
  ['an unknown version', '/v1/cases', 'X-Api-Version: 1\r\n', SMALL],
  ['the SDK', '/sdk/device.js', '', SMALL],
  ['the OpenAPI document', '/openapi.json', '', 1],
  ['the reference', '/docs', '', 1],
  ['a guide', '/docs/guides/webhooks', '', 1],
  ['a page that is not sent again', '/docs', 'If-None-Match: *\r\n', 1],
  ['a long URL', `/healthz?${'a'.repeat(2000)}`, '', 1],
  ['many headers', '/healthz', 'X-A: b\r\n'.repeat(100), 1],
])('%s takes turns, and screenings do not wait for it', async (_name, path, headers, perTurn) => {
  takeAllTurns();
  const strangers = await Promise.all(Array.from({ length: 2 * perTurn + 1 }, () => openSocket(service)));
  for (const { send } of strangers) send(get(path, headers));
  await expect.poll(() => answered(strangers), { interval: 5 }).toBe(perTurn);
  expect((await api.pay(payment())).status).toBe(200);
  expect((await client(service, other).get('/v1/cases')).status).toBe(200);
  expect(answered(strangers)).toBe(perTurn);
  takeTurn();
  await expect.poll(() => answered(strangers), { interval: 5 }).toBe(2 * perTurn);
  takeTurn();
  await expect.poll(() => answered(strangers), { interval: 5 }).toBe(2 * perTurn + 1);
  for (const { socket } of strangers) socket.destroy();
});

test('a health check does not wait for pages or for pipelined requests', async () => {
  takeAllTurns();
  const strangers = await Promise.all(Array.from({ length: 5 }, () => openSocket(service)));
  for (const { send } of strangers) send(get('/docs').repeat(2) + get('/nowhere').repeat(2));
  await expect.poll(() => answered(strangers), { interval: 5 }).toBe(1);
  expect((await service.call('GET', '/healthz')).status).toBe(200);
  expect(answered(strangers)).toBe(1);
  const timer = setInterval(takeAllTurns, 5);
  for (const { expectStatuses } of strangers) await expectStatuses([200, 200, 404, 404]);
  clearInterval(timer);
});
