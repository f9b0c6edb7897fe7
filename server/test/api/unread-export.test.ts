import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { SEARCH_FILE } from '../../src/backend/embedded/search-file.ts';
import { client, makeClock, payment, type Service, startService } from '../fixtures/harness.ts';
import { get, openSocket } from '../fixtures/raw-socket.ts';
import { untilSearched } from '../fixtures/searched.ts';
import { isShared } from '../fixtures/shared-store.ts';

const ROWS = 16_000;
const SCREENING = 'tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts, imported';
const ITEM =
  'tenant, user_term, at, type, event_type, outcome, score, decision, currency, usd, country, model, label, label_seq, review_seq, terms';
const NUMBERS = `WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ${ROWS})`;

/** Copies the one screening and its item many times, with higher numbers of the same day. */
const multiply = async ({ app, dataDir }: Service): Promise<void> => {
  await app.backend.write([
    {
      sql: `${NUMBERS} INSERT INTO screenings (seq, id, ${SCREENING})
        SELECT seq + number, SUBSTR(id, 1, 20) || CAST(100000 + number AS TEXT), ${SCREENING} FROM screenings, n`,
      params: [],
    },
  ]);
  const sql = `${NUMBERS} INSERT INTO search_items (seq, ${ITEM}) SELECT seq + number, ${ITEM} FROM search_items, n`;
  if (isShared) await app.backend.write([{ sql, params: [] }]);
  else {
    const file = new DatabaseSync(join(dataDir, SEARCH_FILE));
    file.exec(`PRAGMA busy_timeout = 10000; ${sql}`);
    file.close();
  }
};

test('a client that reads no export is disconnected; the service keeps a bounded part of it, and screens on', async () => {
  const clock = makeClock();
  const service = await startService({ clock: clock.now, connectionTimes: { unreadMs: 1500, checkMs: 20 } });
  const key = await service.key();
  const api = client(service, key);
  const long = (name: string): string => name.padEnd(250, 'x');
  await api.pay(
    payment({
      ...{ user_id: long('user'), device_token: long('device'), counterparty_id: long('payee') },
      ...{ payment_fingerprint: long('card'), email: `${'a'.repeat(60)}@${'b.'.repeat(80)}example` },
    }),
  );
  await untilSearched(api, clock);
  await multiply(service);
  // Later numbers are free again.
  clock.advance(1000);
  const row = (await api.get('/v1/screenings/export?format=ndjson&limit=1')).text.length;
  expect(row * ROWS).toBeGreaterThan(20_000_000);
  const reads = vi.spyOn(service.app.backend, 'readLong');
  const metric = async (name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, host: 'x' };
    const { payload } = await service.app.http.inject({ url: '/metrics', headers });
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(payload)?.[1]);
  };
  const sockets = [await openSocket(service), await openSocket(service)];
  for (const { socket, send } of sockets) {
    socket.pause();
    send(get('/v1/screenings/export?format=ndjson', `Authorization: Bearer ${key}\r\n`));
  }
  await vi.waitUntil(() => reads.mock.calls.length > 4, { interval: 5 });
  expect((await api.get('/v1/screenings/export?format=csv&limit=1')).status).toBe(429);
  expect((await api.pay(payment())).status).toBe(200);
  const closed = () => metric('portcullis_connections_closed_total\\{reason="unread"\\}');
  await expect.poll(closed, { timeout: 90_000 }).toBe(2);
  expect((await api.pay(payment())).status).toBe(200);
  // Both together read far less than one file: what the system keeps for two connections, and a page each.
  const pages = reads.mock.calls.filter(([, sql]) => sql.includes('FROM screenings')).length;
  expect(pages).toBeGreaterThan(2);
  expect(pages * 200 * row).toBeLessThan(0.9 * row * ROWS * 2);
  await expect.poll(async () => (await api.get('/v1/screenings/export?format=csv&limit=1')).status).toBe(200);
  reads.mockRestore();
  for (const { socket } of sockets) socket.destroy();
});
