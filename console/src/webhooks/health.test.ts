import type { Delivery } from '@portcullis/client';
import { expect, test } from 'vitest';
import { healthOf } from './health.ts';

const NOW = Date.parse('2026-11-17T12:00:00.000Z');
const at = (hoursAgo: number, status: Delivery['status'], attempts = 1): Delivery => ({
  message_id: 'msg_1',
  webhook_id: 'wh_1',
  type: 'case.created',
  status,
  created_at: new Date(NOW - hoursAgo * 3_600_000).toISOString(),
  next_attempt_at: null,
  attempts: Array.from({ length: attempts }, () => ({ attempted_at: '', http_status: 500, latency_ms: 1, error: 'x' })),
});

test('an hour shows the worst of its deliveries', () => {
  const delivered = [at(0.5, 'delivered'), at(1.5, 'delivered'), at(2.5, 'delivered')];
  const { hours, words } = healthOf(
    { delivered, owed: [at(1.4, 'owed'), at(0.1, 'owed', 0)], failed: [at(2.4, 'failed')] },
    NOW,
  );
  expect(hours.slice(-4)).toEqual(['none', 'failed', 'pending', 'delivered']);
  expect(words).toBe('3 delivered, 1 retrying, 1 failed');
});

test('hours before a full page count as delivered unless something failed', () => {
  const delivered = Array.from({ length: 100 }, () => at(0.5, 'delivered'));
  const { hours } = healthOf({ delivered, owed: [], failed: [at(20.5, 'failed')] }, NOW);
  expect(hours.filter((hour) => hour === 'delivered')).toHaveLength(23);
  expect(hours[3]).toBe('failed');
});
