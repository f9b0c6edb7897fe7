import { expect, test, vi } from 'vitest';
import { rounds } from '../fixtures/effort.ts';
import { client, makeClock, startService } from '../fixtures/harness.ts';
import { get, openSocket } from '../fixtures/raw-socket.ts';

const clock = makeClock();
const wrongKey = (): string => `sk_test_${crypto.randomUUID().replaceAll('-', '')}`;
const LIMIT = 5;
const env = { MAX_FAILED_KEYS_PER_MINUTE: String(LIMIT), TRUSTED_PROXIES: '127.0.0.0/8' };
const service = await startService({ clock: clock.now, env });
const seen = await service.key();
const unseen = await service.key();
const unseenToo = await service.key();
const WEAK = 'sk_test_weakweak';
await service.app.keys.provide([WEAK]);

/** The status of a request from an address, which the proxy of these tests reports. */
const ask = async (key: string, address: string): Promise<number> =>
  (await client(service, key).get('/v1/cases', { 'X-Forwarded-For': address })).status;
const exhaust = async (address: string): Promise<void> => {
  for (let i = 0; i < LIMIT; i++) expect(await ask(wrongKey(), address)).toBe(401);
};

test('too many unknown keys of an address get 429 with Retry-After, also at /metrics', async () => {
  await exhaust('192.0.2.1');
  for (const path of ['/v1/cases', '/metrics']) {
    const { status, json, headers } = await client(service, wrongKey()).get(path, { 'X-Forwarded-For': '192.0.2.1' });
    expect([status, json.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '12']);
    expect(json.error.message).toBe(
      'Too many requests with unknown API keys or sessions came from this address. Retry after 12 seconds.',
    );
  }
  clock.advance(12_000);
  expect([await ask(wrongKey(), '192.0.2.1'), await ask(wrongKey(), '192.0.2.1')]).toEqual([401, 429]);
});

test('valid keys work from that address: seen before or not, and after another key was revoked', async () => {
  expect(await ask(seen, '192.0.2.2')).toBe(200);
  await exhaust('192.0.2.2');
  expect(await ask(wrongKey(), '192.0.2.2')).toBe(429);
  expect([await ask(seen, '192.0.2.2'), await ask(unseen, '192.0.2.2')]).toEqual([200, 200]);
  const { api_keys } = (await client(service, seen).get('/v1/api-keys')).json;
  const revoked = api_keys.find(({ hint }: { hint: string }) => hint === `…${unseen.slice(-4)}`);
  await client(service, seen).delete(`/v1/api-keys/${revoked.key_id}`);
  expect([await ask(seen, '192.0.2.2'), await ask(unseenToo, '192.0.2.2')]).toEqual([200, 200]);
  expect(await ask(unseen, '192.0.2.2')).not.toBe(200);
});

test('a short key, which could be guessed, has to wait', async () => {
  await exhaust('192.0.2.3');
  expect(await ask(WEAK, '192.0.2.3')).toBe(429);
  clock.advance(12_000);
  expect(await ask(WEAK, '192.0.2.3')).toBe(200);
});

test('requests without a key are not attempts', async () => {
  for (let i = 0; i <= LIMIT; i++) {
    const headers = { 'X-Forwarded-For': '192.0.2.4' };
    expect((await service.call('GET', '/v1/cases', { headers })).status).toBe(401);
  }
  expect(await ask(wrongKey(), '192.0.2.4')).toBe(401);
});

test('a flood of wrong keys hardly reads the store', async () => {
  const read = vi.spyOn(service.app.backend, 'read');
  const count = rounds(300, 10_000);
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 50)
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, () => ask(wrongKey(), '192.0.2.5')))));
  expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
  expect(statuses.filter((status) => status === 429)).toHaveLength(count - LIMIT);
  const reads = read.mock.calls.filter(([sql]) => sql.includes('api_keys'));
  expect(reads.length).toBeLessThanOrEqual(LIMIT + 1);
  read.mockRestore();
});

test('without trusted proxies, X-Forwarded-For changes nothing, and other addresses are not affected', async () => {
  const other = await startService({ clock: clock.now, env: { MAX_FAILED_KEYS_PER_MINUTE: '2' } });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    const headers = { 'X-Forwarded-For': `192.0.2.${i}` };
    statuses.push((await client(other, wrongKey()).get('/v1/cases', headers)).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
  const neighbour = await openSocket(other, '127.0.0.2');
  neighbour.send(get('/v1/cases', `Authorization: Bearer ${wrongKey()}\r\n`));
  await neighbour.expectStatuses([401]);
});
