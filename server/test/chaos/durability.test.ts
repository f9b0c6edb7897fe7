import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  type Client,
  cacheOf,
  client,
  countersOf,
  DAY_MS,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  type Service,
  startService,
} from '../fixtures/harness.ts';
import { copyAsCrashed } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { factsOf, outcomeOf, play, profilesOf, traffic, usersIn } from '../fixtures/traffic.ts';

const silent = { logLevel: 'silent' };
const countersRows = (service: Service, sql: string) => {
  const database = new DatabaseSync(countersOf(service), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};

describe('after a restart', () => {
  test('every answered resource is unchanged', async () => {
    const clock = makeClock();
    const before = await startService({ clock: clock.now });
    const key = await before.key();
    const api = client(before, key);
    const { json: paid } = await api.pay(payment({ user_id: 'u', ip_address: REVIEW_IP }));
    const { json: acted } = await api.act(login({ user_id: 'u', ip_address: REVIEW_IP }));
    await api.put(`/v1/cases/${paid.case_id}`, { status: 'rejected', analyst_id: 'a', notes: 'n' });
    await api.post(`/v1/decisions/${acted.decision_id}/review`, { decision: 'allow' });
    await api.post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.created'] });
    await api.post('/v1/api-keys', { role: 'reader', label: 'kept' });
    const paths = [
      `/v1/transactions/${paid.transaction_id}`,
      `/v1/events/${acted.event_id}`,
      `/v1/decisions/${paid.decision_id}`,
      `/v1/decisions/${acted.decision_id}`,
      `/v1/cases/${paid.case_id}`,
      `/v1/cases/${acted.case_id}`,
      '/v1/cases',
      '/v1/webhooks',
      '/v1/api-keys',
      '/v1/users/u/risk-profile',
    ];
    const texts = async ({ get }: typeof api) => Promise.all(paths.map(async (path) => (await get(path)).text));
    const expected = await texts(api);
    await before.stop();
    const after = await startService({ clock: clock.now, dataDir: before.dataDir });
    expect(await texts(client(after, key))).toEqual(expected);
  });

  test('counting continues as if there had been no restart', async () => {
    const steps = [...traffic(7, 100)];
    const cuts = [0, 1, 50, 51, 100];
    const [clock, twinClock] = [makeClock(), makeClock()];
    const twin = await startService({ clock: twinClock.now, ...silent });
    const twinApi = client(twin, await twin.key());
    let service = await startService({ clock: clock.now, ...silent, cacheBytes: 20_000 });
    const key = await service.key();
    for (let i = 0; i + 1 < cuts.length; i++) {
      const part = steps.slice(cuts[i], cuts[i + 1]);
      expect(await play(client(service, key), clock, part)).toEqual(await play(twinApi, twinClock, part));
      const before = await profilesOf(client(service, key), usersIn(part));
      await service.stop();
      service = await startService({ clock: clock.now, dataDir: service.dataDir, ...silent, cacheBytes: 20_000 });
      expect(await profilesOf(client(service, key), usersIn(part))).toEqual(before);
    }
    expect(await factsOf(service)).toEqual(await factsOf(twin));
    const users = usersIn(steps);
    expect(await profilesOf(client(service, key), users)).toEqual(await profilesOf(twinApi, users));
  });
});

describe.skipIf(isShared)('after a crash', () => {
  test('no answered screening is lost or counted twice, wherever the crash happened', async () => {
    const steps = [...traffic(11, 120)];
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    const crashes: { folder: string; at: number; now: number }[] = [];
    const outcomes: unknown[] = [];
    for (const [index, { path, body, afterMs }] of steps.entries()) {
      clock.advance(afterMs);
      outcomes.push(outcomeOf((await client(service, key).post(path, body)).json));
      // The files as after a power cut: no write is in progress, and few changed histories are saved.
      if (index % 40 === 7 || index === 119) {
        const folder = copyAsCrashed(service.dataDir);
        crashes.push({ folder, at: index + 1, now: clock.now() });
      }
    }
    const facts = await factsOf(service);
    const profiles = await profilesOf(client(service, key), usersIn(steps));
    for (const { folder, at, now } of crashes) {
      const again = makeClock(now);
      const recovered = await startService({ clock: again.now, dataDir: folder, ...silent, cacheBytes: 30_000 });
      const api = client(recovered, key);
      expect(await factsOf(recovered)).toEqual(facts.slice(0, at));
      expect(await play(api, again, steps.slice(at))).toEqual(outcomes.slice(at));
      expect(await factsOf(recovered)).toEqual(facts);
      expect(await profilesOf(api, usersIn(steps))).toEqual(profiles);
      await recovered.stop();
    }
  });

  test('the same holds when some changed histories are saved and some are not', async () => {
    const clock = makeClock();
    const live = await startService({ clock: clock.now, ...silent });
    const key = await live.key();
    // More groups than one save writes, and more entities of each user than fit into one group.
    const round = (api: Client, number: number) =>
      Promise.all(
        Array.from({ length: 160 }, (_, i) =>
          api.pay(
            payment({
              user_id: `user_${i}`,
              device_token: `d_${number}_${i % 40}`,
              ip_address: `198.51.${number}.${i}`,
              payment_fingerprint: `pm_${number}_${i}`,
              email: `${number}.${i}@example.com`,
              counterparty_id: `shop_${number}_${i}`,
            }),
          ),
        ),
      );
    for (let number = 0; number < 3; number++) await round(client(live, key), number);
    await expect
      .poll(() => [countersRows(live, 'SELECT 1 FROM shelves LIMIT 1').length, cacheOf(live).unsaved > 0], {
        interval: 10,
      })
      .toEqual([1, true]);
    const folder = copyAsCrashed(live.dataDir);
    const [through] = countersRows(live, 'SELECT seq FROM counters_through');
    const [last] = await live.app.backend.read<{ seq: number }>('SELECT MAX(seq) AS seq FROM screenings');
    expect(Number(through?.seq)).toBeLessThan(last?.seq ?? 0);

    const recovered = await startService({ clock: clock.now, dataDir: folder, ...silent });
    const users = Array.from({ length: 160 }, (_, i) => `user_${i}`);
    expect(await profilesOf(client(recovered, key), users)).toEqual(await profilesOf(client(live, key), users));
    for (const i of users.keys()) {
      // Entities of every earlier round of the user.
      const body = {
        user_id: `user_${i}`,
        amount: 1,
        currency: 'USD',
        device_token: `d_${i % 3}_${i % 40}`,
        ip_address: `198.51.${i % 3}.${i}`,
      };
      const more = {
        payment_fingerprint: `pm_${i % 3}_${i}`,
        email: `${i % 3}.${i}@example.com`,
        counterparty_id: `shop_${i % 3}_${i}`,
      };
      await Promise.all([live, recovered].map((of) => client(of, key).pay({ ...body, ...more })));
    }
    expect((await factsOf(recovered)).slice(480)).toEqual((await factsOf(live)).slice(480));
  });

  test('the same holds when saves failed for a while, and no screening was delayed by that', async () => {
    const clock = makeClock();
    const live = await startService({ clock: clock.now, logLevel: 'error' });
    const key = await live.key();
    const steps = [...traffic(5, 120)];
    const twinClock = makeClock();
    const twin = await startService({ clock: twinClock.now, ...silent });
    const twinApi = client(twin, await twin.key());
    const other = new DatabaseSync(countersOf(live), { timeout: 10_000 });
    const outcomes: unknown[] = [];
    for (const [from, to, broken] of [
      [0, 40, false],
      [40, 80, true],
      [80, 120, false],
    ] as const) {
      other.exec(
        broken
          ? "CREATE TRIGGER broken BEFORE INSERT ON shelves BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
          : 'DROP TRIGGER IF EXISTS broken',
      );
      outcomes.push(...(await play(client(live, key), clock, steps.slice(from, to))));
      // Waits for a save, which fails when the table is broken.
      const { unsaved } = cacheOf(live);
      expect(unsaved).toBeGreaterThan(0);
      if (broken) await expect.poll(() => live.logs.join(), { interval: 20 }).toContain('saving histories failed');
      else await expect.poll(() => cacheOf(live).unsaved, { interval: 20 }).toBe(0);
    }
    other.close();
    expect(outcomes).toEqual(await play(twinApi, twinClock, steps));
    expect(await factsOf(live)).toEqual(await factsOf(twin));
    await live.stop();
    const again = await startService({ clock: clock.now, dataDir: live.dataDir, ...silent });
    const users = usersIn(steps);
    expect(await profilesOf(client(again, key), users)).toEqual(await profilesOf(twinApi, users));
  });

  test('the same holds for a crash after a crash', async () => {
    const clock = makeClock();
    let service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    const body = { user_id: 'u', amount: 1, currency: 'USD', device_token: 'd', ip_address: '198.51.100.1' };
    for (let round = 1; round <= 4; round++) {
      const { pay, get } = client(service, key);
      await pay(body);
      await pay({ ...body, device_token: `d${round}`, ip_address: `198.51.${round}.1` });
      const { json } = await get('/v1/users/u/risk-profile');
      expect([json.transactions.count, json.velocity['1h']]).toEqual([
        2 * round,
        { count: 2 * round, amount: 2 * round },
      ]);
      const folder = copyAsCrashed(service.dataDir);
      service = await startService({ clock: clock.now, dataDir: folder, ...silent });
    }
  });

  test('the same holds when the crash was long ago', async () => {
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    await client(service, key).pay(payment({ user_id: 'u' }));
    const folder = copyAsCrashed(service.dataDir);
    clock.advance(91 * DAY_MS);
    const recovered = await startService({ clock: clock.now, dataDir: folder, ...silent });
    await recovered.app.retention.sweepAll();
    const { json } = await client(recovered, key).get('/v1/users/u/risk-profile');
    expect((json as Json).transactions.count).toBe(1);
  });
});
