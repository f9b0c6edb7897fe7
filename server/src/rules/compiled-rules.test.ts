import { expect, test } from 'vitest';
import { fullPayment, paymentInput } from '../../test/fixtures/rule-inputs.ts';
import { makeLog } from '../runtime/log.ts';
import { makeMetrics } from '../runtime/metrics.ts';
import { logFailures, makeCompiledRules } from './compiled-rules.ts';
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

test('a request of an unexpected shape fails the rule, not the screening, and the log has nothing of it', () => {
  const lines: string[] = [];
  const log = makeLog('debug', { write: (line) => void lines.push(line) });
  const compiledRules = makeCompiledRules(logFailures({ log, metrics: makeMetrics() }));
  const { rule } = compiledRules.of(row);
  expect([rule.matches(fullPayment()), rule.matches(odd), rule.matches(odd)]).toEqual([true, false, false]);
  expect(compiledRules.errorsOf(row.id)).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"rule":"small_letters"');
  expect(lines[0]).not.toMatch(/mallory|example/);
});

test('a rule is compiled once, and again after a change', () => {
  const compiledRules = makeCompiledRules(() => {});
  const first = compiledRules.of(row);
  expect(compiledRules.of({ ...row })).toBe(first);
  const second = compiledRules.of({ ...row, version: 2, expression: 'false' });
  expect([second.rule.matches(fullPayment()), second.rule.version]).toEqual([false, 2]);
});

test('each failure is reported with the number of earlier ones', () => {
  const reports: unknown[] = [];
  const { rule } = makeCompiledRules(
    ({ name }, error, before) => void reports.push([name, error instanceof Error, before]),
  ).of(row);
  for (const input of [odd, fullPayment(), odd]) rule.matches(input);
  expect(reports).toEqual([
    ['small_letters', true, 0],
    ['small_letters', true, 1],
  ]);
});
