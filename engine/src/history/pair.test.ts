import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anyGap, DAY, failedLogin, pay, START, upTo } from '../../test/subjects.ts';
import type { Subject } from '../subject/subject.ts';
import { fact } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';
import { trustOf } from './trust.ts';

const DEVICES = ['phone', 'laptop', 'tablet'];
const STEP = fc.record({
  gap: anyGap,
  device: fc.constantFrom(...DEVICES),
  does: fc.constantFrom('pay', 'login', 'failed login', 'failed change'),
  label: fc.constantFrom('none', 'legitimate', 'corrected'),
});
const subjectOf = (does: string, time: number, device_token: string): Subject => {
  if (does === 'pay') return pay(time, { device_token });
  if (does === 'login') return act(time, 'login', { device_token });
  return does === 'failed login'
    ? failedLogin(time, { device_token })
    : act(time, 'password_change', { device_token, outcome: 'failed' });
};

/** Everything that happened with a device, kept in full. */
interface Seen {
  successes: number[];
  payments: number[];
  vouched: number;
  last: number;
}

test('the facts of a user with a device equal those of a complete list', () => {
  fc.assert(
    fc.property(fc.array(STEP, upTo(60)), (steps) => {
      const stream = makeInMemoryHistory();
      const all = new Map<string, Seen>(
        DEVICES.map((name) => [name, { successes: [], payments: [], vouched: 0, last: Number.NEGATIVE_INFINITY }]),
      );
      let time = 0;
      for (const { gap, device, does, label } of steps) {
        time += gap;
        const subject = subjectOf(does, time, device);
        const facts = stream.measure(subject);
        const known = all.get(device) as Seen;
        const of = (name: string): number => facts[fact(`user.this_device_${name}`)] as number;
        const second = (moment: number): number => Math.floor(moment / 1000);
        const ago = (moments: number[]): number =>
          moments.length === 0 ? Number.NaN : (second(subject.at) - second(moments[0] as number)) * 1000;
        expect([of('age_ms'), of('paid_ms')]).toEqual([ago(known.successes), ago(known.payments)]);
        expect(of('days')).toBe(new Set(known.successes.map((at) => Math.floor(at / DAY))).size);
        expect([of('payments'), of('vouched'), of('seen')]).toEqual([
          known.payments.length,
          known.vouched,
          Number(second(subject.at) - second(known.last) < 30 * (DAY / 1000)),
        ]);
        const others = [...all].filter(([name, { successes }]) => name !== device && successes.length > 0);
        const lastWithOther = Math.max(...others.map(([, { last }]) => second(last)));
        expect(facts[fact('user.other_device_days')]).toBe(
          others.length === 0 ? Number.NaN : Math.floor((second(subject.at) - lastWithOther) / (DAY / 1000)),
        );
        stream.observe(subject);
        known.last = subject.at;
        if (!subject.isFailed) known.successes.push(subject.at);
        if (does === 'pay') known.payments.push(subject.at);
        if (label === 'none') continue;
        stream.label(subject.hashes, { fraud: false, at: subject.at });
        known.vouched++;
        if (label === 'legitimate') continue;
        stream.label(subject.hashes, { fraud: true, at: subject.at, insteadOf: { fraud: false, at: subject.at } });
        known.vouched--;
      }
    }),
    { numRuns: 150 },
  );
});

test('counts stop at the most that fits, and days and payments never overflow into each other', () => {
  const stream = makeInMemoryHistory();
  for (let day = 0; day < 300; day++) {
    stream.measure(pay(day * DAY));
    for (let i = 0; i < 120; i++) stream.observe(pay(day * DAY + i * 1000, { device_token: 'phone' }));
  }
  const vouched = pay(300 * DAY, { device_token: 'phone' });
  for (let i = 0; i < 300; i++) stream.label(vouched.hashes, { fraud: false, at: START + 300 * DAY });
  const facts = stream.measure(vouched);
  const of = (name: string) => facts[fact(`user.this_device_${name}`)];
  expect([of('days'), of('payments'), of('vouched')]).toEqual([255, 2 ** 15 - 1, 255]);
  expect(of('age_ms')).toBe(300 * DAY);
});

describe('trust', () => {
  const ms = fc.double({ min: 0, max: 400 * DAY, noNaN: true });
  const maybe = fc.oneof(fc.constant(Number.NaN), ms);
  const count = fc.nat(40);

  test('lies between 0 and 1, and is 0 without any evidence', () => {
    fc.assert(
      fc.property(maybe, maybe, count, count, (...evidence) => {
        expect(trustOf(...evidence)).toBeGreaterThanOrEqual(0);
        expect(trustOf(...evidence)).toBeLessThanOrEqual(1);
      }),
    );
    expect(trustOf(Number.NaN, Number.NaN, 0, 0)).toBe(0);
  });

  test('is exactly what its formula gives, for every count that a pair can hold and for any other', () => {
    const after = (share: number, days: number, passed: number) =>
      passed > 0 ? 1 - share * (1 - Math.exp(-passed / days)) : 1;
    for (const counted of [...Array(258).keys(), 2.5, 1000, -1, Number.NaN]) {
      const [aged, paid] = [after(0.2, 14, 3), after(0.9, 7, 2)];
      expect(trustOf(3 * DAY, 2 * DAY, counted, 2)).toBe(1 - aged * paid * after(0.6, 6, counted - 1) * 0.3 ** 2);
      expect(trustOf(3 * DAY, 2 * DAY, 4, counted)).toBe(1 - aged * paid * after(0.6, 6, 3) * 0.3 ** counted);
    }
  });

  test('never falls with more time, days or labels, and never with a first payment', () => {
    fc.assert(
      fc.property(maybe, maybe, count, count, ms, fc.nat(5), (age, paid, days, vouched, more, most) => {
        const trust = trustOf(age, paid, days, vouched);
        const grown = [
          trustOf(Number.isNaN(age) ? more : age + more, paid, days, vouched),
          trustOf(age, Number.isNaN(paid) ? more : paid + more, days, vouched),
          trustOf(age, paid, days + most, vouched),
          trustOf(age, paid, days, vouched + most),
        ];
        for (const value of grown) expect(value).toBeGreaterThanOrEqual(trust);
      }),
    );
  });

  test('has no edge: an hour adds less than 1 %, also around a day and a week', () => {
    for (let hour = 0; hour < 24 * 60; hour++) {
      const [before, after] = [hour, hour + 1].map((at) => trustOf((at * DAY) / 24, (at * DAY) / 24, 1, 0));
      expect((after as number) - (before as number)).toBeLessThan(0.01);
    }
  });

  test('grows little with age alone, and a payment, many days or a label earn most of it', () => {
    expect(trustOf(365 * DAY, Number.NaN, 1, 0)).toBeLessThan(0.25);
    expect(trustOf(30 * DAY, 30 * DAY, 1, 0)).toBeGreaterThan(0.85);
    expect(trustOf(DAY, Number.NaN, 1, 1)).toBeGreaterThan(0.65);
    expect(trustOf(60 * DAY, Number.NaN, 30, 0)).toBeGreaterThan(0.6);
  });
});

describe('payees with an amount', () => {
  const once = (day: number) => pay(day * DAY, { counterparty_id: `shop_${day}`, amount: 10 + day });
  const rent = (day: number) => pay(day * DAY, { counterparty_id: 'landlord', amount: 800 });
  const factsAt = (steps: readonly Subject[], subject: Subject) => {
    const stream = makeInMemoryHistory();
    for (const step of steps) {
      stream.measure(step);
      stream.observe(step);
    }
    const facts = stream.measure(subject);
    return (name: string): number => facts[fact(`user.this_recurring_${name}`)] as number;
  };
  const days = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

  test('differ by payee, amount and currency', () => {
    const of = factsAt([rent(0), rent(30)], rent(60));
    expect([of('payments'), of('days'), of('age_ms')]).toEqual([2, 2, 60 * DAY]);
    for (const other of [{ amount: 801 }, { currency: 'EUR' }, { counterparty_id: 'shop' }]) {
      const subject = pay(60 * DAY, { counterparty_id: 'landlord', amount: 800, ...other });
      expect(factsAt([rent(0), rent(30)], subject)('payments')).toBe(0);
    }
  });

  test('that were repeated stay known, whatever is paid once in between', () => {
    const steps = [rent(0), rent(30), ...days(31, 60).map(once)];
    expect(factsAt(steps, rent(92))('payments')).toBe(2);
    expect(factsAt(steps, once(31))('payments')).toBe(0);
    expect(factsAt(steps, once(90))('payments')).toBe(1);
  });

  test('that were not repeated yet stay known for fifteen others', () => {
    expect(factsAt([rent(0), ...days(1, 15).map(once)], rent(30))('payments')).toBe(1);
    expect(factsAt([rent(0), ...days(1, 16).map(once)], rent(30))('payments')).toBe(0);
  });
});
