import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, DAY, HOUR, last, pay, START, times } from '../../test/subjects.ts';
import { DEFAULT_POLICY } from '../decide/policy.ts';
import { replay } from '../replay.ts';
import type { Subject } from '../subject/subject.ts';
import { fact } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';

const factsAfter = (subjects: readonly Subject[]): ((name: string) => number) => {
  const { facts } = last([...subjects, pay(30 * DAY, { user_id: 'next' })]);
  return (name) => facts[fact(`account.${name}`)] as number;
};
const payments = (amounts: readonly number[]): Subject[] =>
  amounts.map((amount, i) => pay(i * HOUR, { user_id: `u${i % 7}`, amount }));

describe('what is usual in an account', () => {
  test('counts the items and payments of all its users since its first item', () => {
    const account = factsAfter([act(0, 'login', { user_id: 'ada' }), pay(DAY, { user_id: 'bob' })]);
    expect(account('age_ms')).toBe(30 * DAY);
    expect(account('actions')).toBe(2);
    expect(account('payments')).toBe(1);
  });

  test('is the geometric mean and deviation of the amounts', () => {
    const amounts = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(amounts, (all) => {
        const logs = all.map((amount) => Math.log(amount));
        const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
        const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length;
        const account = factsAfter(payments(all));
        expect(Math.log(account('amount_typical'))).toBeCloseTo(mean, 6);
        expect(Math.log(account('amount_spread'))).toBeCloseTo(Math.sqrt(variance), 6);
      }),
      { numRuns: 50 },
    );
  });

  test('is unknown before 20 payments', () => {
    expect(factsAfter(payments(times(19, () => 10)))('amount_typical')).toBeNaN();
    expect(factsAfter(payments(times(20, () => 10)))('amount_typical')).toBeCloseTo(10, 6);
  });

  test('hardly changes by one payment of a million', () => {
    const usual = times(200, () => 10);
    expect(factsAfter(payments([...usual, 1_000_000]))('amount_typical')).toBeLessThan(11);
  });

  test('follows a business that changes its prices', () => {
    const history = makeInMemoryHistory();
    const typicalAfter = (count: number, amount: number): number => {
      for (const subject of payments(times(count, () => amount))) {
        history.measure(subject);
        history.observe(subject);
      }
      return history.measure(pay(DAY))[fact('account.amount_typical')] as number;
    };
    expect(typicalAfter(15_000, 10)).toBeCloseTo(10, 6);
    expect(typicalAfter(15_000, 100)).toBeGreaterThan(55);
  });

  test('ignores free items and amounts without a rate', () => {
    const paid = payments(times(20, () => 10));
    const account = factsAfter([...paid, pay(DAY, { amount: 0 }), pay(DAY, { currency: 'XAU' })]);
    expect(account('amount_typical')).toBeCloseTo(10, 6);
    expect(account('payments')).toBe(20);
    expect(account('actions')).toBe(22);
  });

  test('does not depend on labels', () => {
    const paid = payments(times(25, (i) => i + 1));
    const { hashes } = paid[0] as Subject;
    const label = { type: 'label', hashes, fraud: true, at: START + 26 * HOUR } as const;
    const next = pay(30 * DAY, { user_id: 'next' });
    const accountOf = (stream: Parameters<typeof replay>[1]): number[] => {
      const all = Array.from(replay(DEFAULT_POLICY, stream), ({ facts }) => facts.slice());
      return [...(all.at(-1) as Float64Array).subarray(fact('account.age_ms'), fact('account.amount_spread') + 1)];
    };
    expect(accountOf([...paid, label, next])).toEqual(accountOf([...paid, next]));
  });
});
