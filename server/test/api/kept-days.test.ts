import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { client, countRows, DAY_MS, makeClock, startService } from '../fixtures/harness.ts';

const KEPT = ['cases', 'case_notes', 'reviews', 'labels', 'deliveries'];

test('cases, reviews, labels and deliveries are deleted after the days that settings say, and kept until then', async () => {
  const clock = makeClock();
  const env = { CASES_KEPT_DAYS: '100', LABELS_KEPT_DAYS: '120', DELIVERIES_KEPT_DAYS: '7' };
  const service = await startService({ clock: clock.now, env });
  const api = client(service, await service.key());
  await api.post('/v1/webhooks', { url: 'https://receiver.invalid/hook', events: ['case.resolved'] });
  const { case_id } = await api.flagPayment();
  await api.post(`/v1/cases/${case_id}/notes`, { text: 'Called back.' });
  await api.put(`/v1/cases/${case_id}`, { status: 'rejected' });
  const counts = async (afterDays: number): Promise<number[]> => {
    clock.advance(afterDays * DAY_MS);
    await service.app.retention.sweepAll();
    return Promise.all(KEPT.map((table) => countRows(service, table)));
  };
  expect(await counts(0)).toEqual([1, 1, 1, 1, 1]);
  expect(await counts(6)).toEqual([1, 1, 1, 1, 1]);
  // PostgreSQL drops whole weeks, so a delivery may be kept for eight more days.
  expect(await counts(10)).toEqual([1, 1, 1, 1, 0]);
  expect(await counts(85)).toEqual([0, 0, 0, 1, 0]);
  expect(await counts(20)).toEqual([0, 0, 0, 0, 0]);
});

test('a retention shorter than that of the screening, or than the retries of a delivery, is refused', () => {
  const read = readConfig({ CASES_KEPT_DAYS: '89', LABELS_KEPT_DAYS: '0', DELIVERIES_KEPT_DAYS: '6' });
  expect(read).toEqual({
    errors: [
      'CASES_KEPT_DAYS must be a whole number from 90 to 36500, not "89"',
      'LABELS_KEPT_DAYS must be a whole number from 90 to 36500, not "0"',
      'DELIVERIES_KEPT_DAYS must be a whole number from 7 to 365, not "6"',
    ],
  });
});
