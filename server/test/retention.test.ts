import { describe, expect, test } from 'vitest';
import { client, DAY_MS, HOUR_MS, login, makeClock, payment, REVIEW_IP, START, startService } from './harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { pay, act, get } = client(service, await service.key());
const { app } = service;

const count = async (table: string): Promise<number> =>
  (await app.backend.read<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`))[0]?.count ?? -1;
const times = (howMany: number, make: (index: number) => Promise<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: howMany }, (_, index) => make(index)));

describe('the sweep', () => {
  test('deletes what is past 90 days, however much it is, and leaves what is younger', async () => {
    clock.set(START);
    await times(230, (i) => (i % 2 ? pay(payment()) : act(login())));
    clock.advance(DAY_MS);
    const { json: younger } = await pay(payment({ user_id: 'younger' }));
    const { json: flagged } = await pay(payment({ ip_address: REVIEW_IP }));
    expect(await count('screenings')).toBe(232);

    clock.set(START + 90 * DAY_MS - 1);
    await app.retention.sweepAll();
    expect(await count('screenings')).toBe(232);

    clock.set(START + 90 * DAY_MS + HOUR_MS);
    await app.retention.sweepAll();
    expect(await count('screenings')).toBe(2);
    expect((await get(`/v1/transactions/${younger.transaction_id}`)).status).toBe(200);
    expect((await get(`/v1/decisions/${flagged.decision_id}`)).status).toBe(200);
  });

  test('deletes no screening that can still be read, and all that cannot', async () => {
    clock.set(START + 200 * DAY_MS);
    const { json } = await pay(payment());
    for (const [age, status] of [
      [90 * DAY_MS - 1, 200],
      [90 * DAY_MS, 404],
      [90 * DAY_MS + 1, 404],
    ] as const) {
      clock.set(START + 200 * DAY_MS + age);
      await app.retention.sweepAll();
      expect((await get(`/v1/transactions/${json.transaction_id}`)).status).toBe(status);
    }
    expect(await count('screenings')).toBe(0);
  });

  test('leaves users, cases and their counts as they are', async () => {
    clock.set(START + 300 * DAY_MS);
    const { json } = await pay(payment({ user_id: 'remembered', ip_address: REVIEW_IP }));
    clock.advance(91 * DAY_MS);
    const before = (await get('/v1/users/remembered/risk-profile')).json;
    await app.retention.sweepAll();
    expect(await count('screenings')).toBe(0);
    expect((await get('/v1/users/remembered/risk-profile')).json).toEqual(before);
    expect(before.transactions.count).toBe(1);
    expect((await get(`/v1/cases/${json.case_id}`)).json.status).toBe('expired');
  });

  test('forgets idempotency keys after 24 hours, and none before', async () => {
    clock.set(START + 400 * DAY_MS);
    await times(230, (i) => pay(payment(), { 'Idempotency-Key': `k${i}` }));
    clock.advance(HOUR_MS);
    await pay(payment(), { 'Idempotency-Key': 'younger' });
    expect(await count('idempotency')).toBe(231);
    clock.advance(23 * HOUR_MS - 1);
    await app.retention.sweepAll();
    expect(await count('idempotency')).toBe(231);
    clock.advance(1);
    await app.retention.sweepAll();
    expect(await count('idempotency')).toBe(1);
  });

  test('says how much it deleted', async () => {
    const metrics = await service.call('GET', '/metrics', { key: await service.key() });
    expect(metrics.text).toMatch(/^portcullis_swept_total\{table="screenings"\} [1-9]/m);
  });
});
