import { describe, expect, test } from 'vitest';
import {
  atOnce,
  client,
  countRows,
  DAY_MS,
  HOUR_MS,
  login,
  makeClock,
  payment,
  START,
  startService,
} from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now });
const { pay, flagPayment, act, get } = client(service, await service.key());
const { app } = service;

const count = (table: string): Promise<number> => countRows(service, table);

describe('the sweep', () => {
  test('deletes any number of screenings at the latest eight days after their 90, and keeps younger ones', async () => {
    clock.set(START);
    await atOnce(230, (i) => (i % 2 ? pay(payment()) : act(login())));
    clock.advance(10 * DAY_MS);
    const { json: younger } = await pay(payment({ user_id: 'younger' }));
    const flagged = await flagPayment();
    expect(await count('screenings')).toBe(232);

    clock.set(START + 90 * DAY_MS - 1);
    await app.retention.sweepAll();
    expect(await count('screenings')).toBe(232);

    clock.set(START + 98 * DAY_MS);
    await app.retention.sweepAll();
    expect(await count('screenings')).toBe(2);
    expect((await get(`/v1/transactions/${younger.transaction_id}`)).status).toBe(200);
    expect((await get(`/v1/decisions/${flagged.decision_id}`)).status).toBe(200);
  });

  test('deletes exactly the screenings that the API no longer returns', async () => {
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

  test('keeps users, cases and their counts', async () => {
    clock.set(START + 300 * DAY_MS);
    const flagged = await flagPayment({ user_id: 'remembered' });
    clock.advance(91 * DAY_MS);
    const before = (await get('/v1/users/remembered/risk-profile')).json;
    await app.retention.sweepAll();
    expect(await count('screenings')).toBe(0);
    expect((await get('/v1/users/remembered/risk-profile')).json).toEqual(before);
    expect(before.transactions.count).toBe(1);
    expect((await get(`/v1/cases/${flagged.case_id}`)).json.status).toBe('expired');
  });

  test('deletes idempotency keys after 24 hours, and none before', async () => {
    clock.set(START + 400 * DAY_MS);
    await atOnce(230, (i) => pay(payment(), { 'Idempotency-Key': `k${i}` }));
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

  test('counts deleted rows in a metric', async () => {
    const metrics = await service.call('GET', '/metrics', { key: await service.key() });
    expect(metrics.text).toMatch(/^portcullis_swept_total\{table="screenings"\} [1-9]/m);
  });
});
