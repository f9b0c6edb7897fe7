import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { readStore, replayMismatches } from '../fixtures/crash-store.ts';
import {
  type Client,
  cacheOf,
  client,
  countersOf,
  DAY_MS,
  HOUR_MS,
  type Json,
  makeClock,
  payment,
  REVIEW_IP,
  type Service,
  saved,
  startService,
} from '../fixtures/harness.ts';
import { historyOf, playLabelled } from '../fixtures/label-traffic.ts';
import { breakTable, copyAsCrashed } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { factsOf, profilesOf, traffic, usersIn } from '../fixtures/traffic.ts';

const silent = { logLevel: 'silent' };
const label = ({ post }: Client, { transaction_id }: Json, value: string) =>
  post('/v1/labels', { transaction_id, label: value, source: 'chargeback' });
const knownOf = async ({ get }: Client, user: string): Promise<number> =>
  (await get(`/v1/users/${user}/risk-profile`)).json.confirmed_fraud;

describe.skipIf(isShared)('labels', () => {
  test('are counted as if there had been no restart, whatever the size of the cache', async () => {
    const steps = [...traffic(31, 100)];
    const cuts = [0, 7, 50, 51, 100];
    const [clock, twinClock] = [makeClock(), makeClock()];
    const twin = await startService({ clock: twinClock.now, ...silent });
    const twinApi = client(twin, await twin.key());
    let service = await startService({ clock: clock.now, ...silent, cacheBytes: 20_000 });
    const key = await service.key();
    const [items, twinItems]: [Json[], Json[]] = [[], []];
    for (let i = 0; i + 1 < cuts.length; i++) {
      const part = steps.slice(cuts[i], cuts[i + 1]);
      const outcomes = await playLabelled(client(service, key), clock, part, items);
      expect(outcomes).toEqual(await playLabelled(twinApi, twinClock, part, twinItems));
      await service.stop();
      service = await startService({ clock: clock.now, dataDir: service.dataDir, ...silent, cacheBytes: 20_000 });
    }
    expect(await factsOf(service)).toEqual(await factsOf(twin));
    const users = usersIn(steps);
    const profiles = (await profilesOf(client(service, key), users)) as Json[];
    expect(profiles).toEqual(await profilesOf(twinApi, users));
    expect(profiles.some(({ confirmed_fraud }) => confirmed_fraud > 0)).toBe(true);
  });

  test('are neither lost nor counted twice after a crash, wherever it happened', async () => {
    const steps = [...traffic(37, 100)];
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    const items: Json[] = [];
    const crashes: { folder: string; at: number; now: number }[] = [];
    for (const at of [1, 31, 32, 60, 100]) {
      await playLabelled(client(service, key), clock, steps.slice(items.length, at), items);
      // Before this crash every history was saved, so that only later labels are folded in again.
      if (at === 32) await saved(service);
      const folder = copyAsCrashed(service.dataDir);
      crashes.push({ folder, at, now: clock.now() });
    }
    const facts = await factsOf(service);
    const profiles = await profilesOf(client(service, key), usersIn(steps));
    for (const { folder, at, now } of crashes) {
      const again = makeClock(now);
      const recovered = await startService({ clock: again.now, dataDir: folder, ...silent, cacheBytes: 30_000 });
      const api = client(recovered, key);
      await playLabelled(api, again, steps.slice(at), items.slice(0, at));
      expect(await factsOf(recovered)).toEqual(facts);
      expect(await profilesOf(api, usersIn(steps))).toEqual(profiles);
      await recovered.stop();
    }
    await service.stop();
    const { screenings, labels } = await readStore(service.dataDir);
    expect(labels.length).toBeGreaterThan(40);
    expect(replayMismatches(screenings, historyOf(screenings, labels))).toEqual([]);
  });

  test('are counted once when some changed histories are saved and some are not', async () => {
    const clock = makeClock();
    const live = await startService({ clock: clock.now, ...silent });
    const key = await live.key();
    // More groups than one save writes.
    const users = Array.from({ length: 200 }, (_, i) => `user_${i}`);
    const round = (api: Client, number: number) =>
      Promise.all(
        users.map(async (user_id, i) => {
          const { json } = await api.pay(
            payment({
              user_id,
              device_token: `d_${number}_${i % 40}`,
              ip_address: `198.51.${number}.${i}`,
              payment_fingerprint: `pm_${number}_${i}`,
              counterparty_id: `shop_${number}_${i}`,
              email: `${user_id}@${number}-${i}.example`,
            }),
          );
          if (number === 1 || i % 2) await label(api, json, 'fraud');
          if (i % 3 === 0) await label(api, json, 'legitimate');
        }),
      );
    for (const number of [1, 2, 3]) await round(client(live, key), number);
    const progress = () => {
      const counters = new DatabaseSync(countersOf(live), { readOnly: true });
      const rows = Number(counters.prepare('SELECT COUNT(*) AS count FROM shelves').get()?.count);
      counters.close();
      return [rows > 0, cacheOf(live).unsaved > 0];
    };
    await expect.poll(progress, { interval: 5 }).toEqual([true, true]);
    const folder = copyAsCrashed(live.dataDir);
    const recovered = await startService({ clock: clock.now, dataDir: folder, ...silent });
    const known = (service: Service) => Promise.all(users.map((user) => knownOf(client(service, key), user)));
    expect(await known(recovered)).toEqual(await known(live));
    for (const service of [live, recovered]) await round(client(service, key), 2);
    expect(await known(recovered)).toEqual(await known(live));
  });

  test('are counted once after a crash after a crash, with a save in between', async () => {
    const clock = makeClock();
    let service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    for (let round = 1; round <= 6; round++) {
      const api = client(service, key);
      const { json } = await api.pay(payment({ user_id: 'u' }));
      await label(api, json, 'fraud');
      // In odd rounds the last entry of the journal is a screening, else a label.
      if (round % 2) await api.pay(payment({ user_id: 'u' }));
      const folder = copyAsCrashed(service.dataDir);
      service = await startService({ clock: clock.now, dataDir: folder, ...silent });
      await saved(service);
      const { confirmed_fraud, transactions } = (await client(service, key).get('/v1/users/u/risk-profile')).json;
      expect([confirmed_fraud, transactions.count]).toEqual([round, round + Math.ceil(round / 2)]);
    }
    const ids = await service.app.backend.read('SELECT seq FROM screenings UNION SELECT seq FROM labels');
    expect(ids).toHaveLength(15);
  });

  test('at the end of the journal are folded in again, and later screenings get higher numbers', async () => {
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    const { json: paid } = await client(service, key).pay(payment({ user_id: 'u', device_token: 'd' }));
    await saved(service);
    await label(client(service, key), paid, 'fraud');
    const folder = copyAsCrashed(service.dataDir);
    // The clock is set back: numbers must still continue from the label's.
    clock.advance(-HOUR_MS);
    const recovered = await startService({ clock: clock.now, dataDir: folder, ...silent });
    const api = client(recovered, key);
    const { json } = await api.pay(payment({ user_id: 'u', device_token: 'd' }));
    expect(json.signals).toEqual(expect.arrayContaining(['fraud_on_device', 'fraud_on_user']));
    const { screenings, labels } = await readStore(folder);
    expect(screenings.map(({ seq }) => seq > (labels[0]?.seq ?? 0))).toEqual([false, true]);
  });

  test('are counted in rebuilt histories if their screenings are still stored', async () => {
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    const api = client(service, key);
    const { json: old } = await api.pay(payment({ user_id: 'old' }));
    await label(api, old, 'fraud');
    clock.advance(89 * DAY_MS);
    for (const user_id of ['old', 'new', 'corrected']) {
      const { json } = await api.pay(payment({ user_id }));
      if (user_id !== 'old') await label(api, json, 'fraud');
      if (user_id === 'corrected') await label(api, json, 'legitimate');
    }
    clock.advance(2 * DAY_MS);
    await service.app.retention.sweepAll();
    expect(await Promise.all(['old', 'new', 'corrected'].map((user) => knownOf(api, user)))).toEqual([1, 1, 0]);
    await service.stop();
    for (const file of ['counters.db', 'counters.db-wal', 'counters.db-shm'])
      rmSync(join(service.dataDir, file), { force: true });
    const rebuilt = client(await startService({ clock: clock.now, dataDir: service.dataDir, ...silent }), key);
    expect(await Promise.all(['old', 'new', 'corrected'].map((user) => knownOf(rebuilt, user)))).toEqual([0, 1, 0]);
  });

  test('that outlive all screenings do not make the histories seem ahead of the records', async () => {
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const key = await service.key();
    const { json } = await client(service, key).pay(payment({ user_id: 'u' }));
    await label(client(service, key), json, 'fraud');
    await client(service, key).pay(payment({ user_id: 'u' }));
    await saved(service);
    clock.advance(100 * DAY_MS);
    await service.app.retention.sweepAll();
    await service.stop();
    expect((await readStore(service.dataDir)).screenings).toEqual([]);
    const again = await startService({ clock: clock.now, dataDir: service.dataDir, ...silent });
    expect(await knownOf(client(again, key), 'u')).toBe(1);
  });
});

describe('a screening that is labelled in its last hours', () => {
  test('is not found after 90 days, but stays stored for a day, until its label has reached the histories on disk', async () => {
    const clock = makeClock();
    const service = await startService({ clock: clock.now, ...silent });
    const api = client(service, await service.key());
    const { json: late } = await api.pay(payment({ user_id: 'late' }));
    await api.pay(payment());
    clock.advance(90 * DAY_MS - 1);
    expect((await label(api, late, 'fraud')).status).toBe(201);
    clock.advance(HOUR_MS);
    expect((await label(api, late, 'legitimate')).status).toBe(404);
    const left = async () => {
      await service.app.retention.sweepAll();
      return (await service.app.backend.read('SELECT 1 FROM screenings')).length;
    };
    expect(await left()).toBe(1);
    expect((await api.get(`/v1/transactions/${late.transaction_id}`)).status).toBe(404);
    clock.advance(DAY_MS);
    expect(await left()).toBe(0);
    expect(await knownOf(api, 'late')).toBe(1);
  });
});

type Broken = [table: string, on?: 'INSERT' | 'UPDATE', how?: 'refuse' | 'ignore'];

describe('a label that the store refuses', () => {
  const labelBroken = async (broken: Broken, addLabel: (api: Client, paid: Json) => Promise<{ status: number }>) => {
    const service = await startService({ logLevel: 'error' });
    const api = client(service, await service.key());
    const body = payment({ user_id: 'u', device_token: 'd', ip_address: REVIEW_IP });
    const { json: paid } = await api.pay(body);
    const repair = await breakTable(service.dataDir, ...broken);
    const refused = (await addLabel(api, paid)).status;
    const unknown = await knownOf(api, 'u');
    await repair();
    const { json: next } = await api.pay(body);
    const taken = (await addLabel(api, paid)).status;
    await saved(service);
    const facts = await factsOf(service);
    await service.stop();
    const { screenings, labels } = await readStore(service.dataDir);
    expect(replayMismatches(screenings, historyOf(screenings, labels))).toEqual([]);
    expect(facts).toHaveLength(2);
    return { refused, unknown, signals: next.signals as string[], taken, labels: labels.length };
  };
  const expected = { refused: 503, unknown: 0, taken: 200, labels: 1 };

  test('because of an error is not counted', async () => {
    const found = await labelBroken(['labels'], (api, { case_id }) =>
      api.put(`/v1/cases/${case_id}`, { status: 'rejected' }),
    );
    expect(found).toMatchObject(expected);
    expect(found.signals).not.toContain('fraud_on_device');
  });

  test.each<[string, Broken]>([
    ['the case', ['cases', 'UPDATE', 'ignore']],
    ['the review', ['reviews', 'INSERT', 'ignore']],
  ])('because %s of the same unit is refused fails the batch and is not counted', async (_, broken) => {
    const found = await labelBroken(broken, (api, { decision_id }) =>
      api.post(`/v1/decisions/${decision_id}/review`, { decision: 'block' }),
    );
    expect(found).toMatchObject(expected);
    expect(found.signals).not.toContain('fraud_on_device');
  });
});
