import { expect, test } from 'vitest';
import { fullPayment, paymentInput } from '../../test/rule-inputs.ts';
import { makeLog } from '../log.ts';
import { makeMetrics } from '../metrics.ts';
import { logFailures, makeAsked } from './asked.ts';
import type { RuleRow } from './store.ts';

const row: RuleRow = {
  id: '01kcy5v3n7f2q8r4t6w9x0y1z2',
  tenant: 1,
  name: 'small_letters',
  description: '',
  expression: 'email.endsWith("@example.com") && billing_address.city.startsWith("B")',
  action: '{"points":5}',
  subject_types: '["transaction","event"]',
  state: 'live',
  expires_at: null,
  version: 1,
  created_at: 0,
  updated_at: 0,
};

const odd = paymentInput({ email: 'mallory@example.com', billing_address: { city: { secret: 'mallory' } as never } });

test('a request of a shape that nobody expects makes a rule fail, not the screening, and tells nothing of it', () => {
  const lines: string[] = [];
  const log = makeLog('debug', { write: (line) => void lines.push(line) });
  const asked = makeAsked(logFailures({ log, metrics: makeMetrics() }));
  const { own } = asked.of(row);
  expect([own.matches(fullPayment()), own.matches(odd), own.matches(odd)]).toEqual([true, false, false]);
  expect(asked.errorsOf(row.id)).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"rule":"small_letters"');
  expect(lines[0]).not.toMatch(/mallory|example/);
});

test('a rule is made once, and anew when it changed', () => {
  const asked = makeAsked(() => {});
  const first = asked.of(row);
  expect(asked.of({ ...row })).toBe(first);
  const second = asked.of({ ...row, version: 2, expression: 'false' });
  expect([second.own.matches(fullPayment()), second.own.version]).toEqual([false, 2]);
});

test('each failure is told, with how many there were before', () => {
  const told: unknown[] = [];
  const { own } = makeAsked(({ name }, error, before) => void told.push([name, error instanceof Error, before])).of(
    row,
  );
  for (const input of [odd, fullPayment(), odd]) own.matches(input);
  expect(told).toEqual([
    ['small_letters', true, 0],
    ['small_letters', true, 1],
  ]);
});
