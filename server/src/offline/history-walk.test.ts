import { type Facts, fact, identifyOffline, transactionSubject } from '@portcullis/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulate } from '../simulate/simulate.ts';
import { makeWalk } from './history-walk.ts';
import { type Item, makeItemReader } from './item-reader.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

const walked = (items: readonly Item[], delayMs: number): Facts[] => {
  const walk = makeWalk(delayMs);
  return items.map((item) => {
    const facts = walk.factsOf(item).slice();
    walk.next(item);
    return facts;
  });
};

const read = makeItemReader({ warn: () => undefined });
const history: Item[] = [
  ...simulate({ seed: 3, users: 40, days: 40, start: START, world: 'shop', fraudShare: 0.1 }),
].map((fields, i) => read({ line: i + 1, fields }));

const flip = (item: Item): Item => ({ ...item, label: item.label === 1 ? 0 : 1, labelReason: undefined });
const CHANGES: Record<string, (item: Item) => Item> = {
  flipped: flip,
  'taken away': (item) => ({ ...item, label: undefined, labelReason: undefined }),
  'all fraud': (item) => ({ ...item, label: 1 }),
};

describe('a replay of a history', () => {
  const delay = 5 * DAY;
  const plain = walked(history, delay);

  test.each(Object.keys(CHANGES))('ignores labels that become known later: %s', (name) => {
    const change = CHANGES[name] as (item: Item) => Item;
    for (const moment of [START + 6 * DAY, START + 15 * DAY + 7 * HOUR]) {
      const changed = walked(
        history.map((item) => (item.subject.at >= moment ? change(item) : item)),
        delay,
      );
      const after = history.findIndex(({ subject }) => subject.at >= moment + delay);
      expect(after).toBeGreaterThan(50);
      expect(changed.slice(0, after)).toEqual(plain.slice(0, after));
      // The labels count once they are known; otherwise this test would prove nothing.
      expect(changed.slice(after)).not.toEqual(plain.slice(after));
    }
  });

  test('ignores later items and the current one', () => {
    const half = Math.floor(history.length / 2);
    expect(walked(history.slice(0, half), delay)).toEqual(plain.slice(0, half));
    expect(plain[0]?.[fact('user.actions')]).toBe(0);
  });

  test('never applies labels with an infinite delay', () => {
    const never = walked(history, Number.POSITIVE_INFINITY);
    expect(never).toEqual(
      walked(
        history.map((item) => ({ ...item, label: undefined })),
        delay,
      ),
    );
  });

  test('gives the same facts for an item twice', () => {
    const walk = makeWalk(delay);
    for (const item of history.slice(0, 200)) {
      const first = walk.factsOf(item).slice();
      expect(walk.factsOf(item)).toEqual(first);
      walk.next(item);
    }
  });
});

describe('a label', () => {
  const paid = (at: number, label?: 0 | 1, user_id = 'u', row = 0): Item => ({
    row,
    subject: transactionSubject(
      identifyOffline,
      { user_id, amount: 5, currency: 'USD', counterparty_id: 'shop' },
      START + at,
    ),
    label,
    labelReason: undefined,
    attack: undefined,
  });
  const [FRAUDS, SHARE, AGE] = [
    fact('counterparty.known_frauds'),
    fact('counterparty.frauds.30d'),
    fact('counterparty.fraud_age_ms'),
  ];

  test('counts from its delay on, to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * DAY }), fc.integer({ min: 1, max: 5 * DAY }), (delay, more) => {
        for (const [at, known] of [
          [delay - 1, 0],
          [delay, 1],
          [delay + more, 1],
        ] as const) {
          if (at < 0) continue;
          const facts = walked([paid(0, 1), paid(at, undefined, 'other')], delay)[1] as Facts;
          expect([facts[FRAUDS], facts[SHARE]]).toEqual([known, known]);
          // Its age is measured from when it became known, to the second.
          const age = facts[AGE] as number;
          if (known === 0) expect(age).toBeNaN();
          else expect(age - (at - delay) >= 0 && age - (at - delay) < 1000).toBe(true);
        }
      }),
    );
  });

  test('of each of many items counts at its own time', () => {
    const delay = 2 * DAY;
    const items = Array.from({ length: 300 }, (_, i) => paid(i * HOUR, i % 3 === 0 ? 1 : 0, `user_${i}`, i));
    walked(items, delay).forEach((facts, i) => {
      const known = items.filter(({ subject, label }) => label === 1 && subject.at + delay <= START + i * HOUR).length;
      expect(facts[FRAUDS]).toBe(known);
    });
  });

  test('counts at its own time, also when thousands are pending and their number grows', () => {
    const delay = 2 * DAY;
    const walk = makeWalk(delay);
    const due: number[] = [];
    let at = 0;
    let known = 0;
    for (let i = 0; i < 4000; i++) {
      at += i < 1500 ? HOUR / 15 : HOUR / 90;
      const item = paid(at, i % 3 === 0 ? 1 : 0, `user_${i}`, i);
      if (item.label === 1) due.push(at + delay);
      while ((due[known] ?? Number.POSITIVE_INFINITY) <= at) known++;
      expect(walk.factsOf(item)[FRAUDS]).toBe(known);
      walk.next(item);
    }
    expect(known).toBeGreaterThan(300);
    expect(due.length - known).toBeGreaterThan(800);
  });

  test('of legitimate counts as no fraud, and a missing label counts as nothing', () => {
    for (const label of [0, undefined] as const) expect(walked([paid(0, label), paid(DAY)], HOUR)[1]?.[FRAUDS]).toBe(0);
    expect(walked([paid(0, 0), paid(DAY)], HOUR)[1]?.[fact('counterparty.legitimates.30d')]).toBe(1);
    expect(walked([paid(0), paid(DAY)], HOUR)[1]?.[fact('counterparty.legitimates.30d')]).toBe(0);
  });
});
