import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, DAY, HOUR, pay, START, times, upTo } from '../../test/subjects.ts';
import { kindIndex } from '../subject/entity.ts';
import { DISPUTE_BIT } from './actors.ts';
import { FACT_NAMES, fact } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';
import type { CountedLabel, LabelEffect } from './labels.ts';

type Stream = ReturnType<typeof makeInMemoryHistory>;
const ITEMS = 6;
const item = (index: number, time = index) =>
  pay(time, {
    user_id: 'u',
    device_token: `device_${index % 2}`,
    counterparty_id: 'shop',
    payment_fingerprint: 'card',
  });

const USER = 1 << kindIndex.user;
const DEVICE = 1 << kindIndex.device;
/** Masks as `actorKinds` gives them. Only a blamed user disputes. */
const MASKS = [0, DEVICE, USER, USER | DEVICE, USER | DISPUTE_BIT, DEVICE | (1 << kindIndex.fingerprint)];
const step = (gap: fc.Arbitrary<number>) =>
  fc.record({
    gap,
    item: fc.nat(ITEMS - 1),
    fraud: fc.boolean(),
    actors: fc.constantFrom(...MASKS),
    pays: fc.boolean(),
  });

interface Given extends CountedLabel {
  readonly item: number;
}
type Operation = { readonly paid: number; readonly at: number } | { readonly of: Given; readonly effect: LabelEffect };

/** Gives labels as the service does. Returns what happened, and the labels in force at the end. */
const plan = (steps: readonly { gap: number; item: number; fraud: boolean; actors: number; pays: boolean }[]) => {
  const operations: Operation[] = [];
  const inForce = new Map<number, Given>();
  let now = START + ITEMS;
  for (const { gap, item: index, fraud, actors, pays } of steps) {
    now += gap;
    if (pays) operations.push({ paid: index, at: now });
    const before = inForce.get(index);
    const given = { item: index, fraud, actors: fraud ? actors : 0, at: before?.fraud === fraud ? before.at : now };
    operations.push({ of: given, effect: { ...given, insteadOf: before } });
    inForce.set(index, given);
  }
  return { operations, inForce, now };
};
const play = (operations: Iterable<Operation>): Stream => {
  const stream = makeInMemoryHistory();
  for (const index of times(ITEMS, (i) => i)) stream.observe(item(index));
  for (const operation of operations) {
    if ('paid' in operation) stream.observe(item(operation.paid, operation.at - START));
    else stream.label(item(operation.of.item).hashes, operation.effect);
  }
  return stream;
};
/** The same without the labels that were replaced: each label in force is given once, when it began to count. */
const withoutReplaced = (operations: readonly Operation[], inForce: ReadonlyMap<number, Given>): Operation[] => {
  const counted = new Set<Given>();
  return operations.flatMap((operation): Operation[] => {
    if ('paid' in operation) return [operation];
    const last = inForce.get(operation.of.item) as Given;
    if (counted.has(last) || operation.of.at !== last.at || operation.of.fraud !== last.fraud) return [];
    counted.add(last);
    return [{ of: last, effect: { fraud: last.fraud, at: last.at, actors: last.actors } }];
  });
};

/** The time of the last report is exact only until a later one is corrected. */
const isExact = (name: string): boolean => !/fraud_age_ms$/.test(name);
const alike = (a: number, b: number): boolean => Object.is(a, b) || Math.abs(a - b) <= 1e-9 * Math.abs(a);
const differing = (one: Stream, other: Stream, now: number, names: readonly string[]): string[] =>
  times(2, (device) => item(device, now - START)).flatMap((subject) => {
    const facts = one.measure(subject).slice();
    const others = other.measure(subject);
    return names.filter((name) => !alike(facts[fact(name)] as number, others[fact(name)] as number));
  });

describe('labels that are replaced', () => {
  test('leave every fact as if they had never been given', () => {
    fc.assert(
      fc.property(fc.array(step(fc.integer({ min: 0, max: DAY })), upTo(25)), fc.nat(2 * DAY), (steps, rest) => {
        const { operations, inForce, now } = plan(steps);
        const without = play(withoutReplaced(operations, inForce));
        expect(differing(play(operations), without, now + rest, FACT_NAMES.filter(isExact))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('do so after any time, except that days of disputes are forgotten one by one', () => {
    fc.assert(
      fc.property(fc.array(step(anyGap), upTo(40)), anyGap, (steps, rest) => {
        const { operations, inForce, now } = plan(steps);
        const without = play(withoutReplaced(operations, inForce));
        const names = FACT_NAMES.filter((name) => isExact(name) && name !== 'user.dispute_days');
        const played = play(operations);
        expect(differing(played, without, now + rest, names)).toEqual([]);
        const facts = played.measure(item(0, now + rest - START));
        expect(facts[fact('user.dispute_days')]).toBeLessThanOrEqual(facts[fact('user.disputes_known')] as number);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a fraud', () => {
  const blame = (stream: Stream, index: number, time: number, actors: number): void =>
    stream.label(item(index).hashes, { fraud: true, at: START + time, actors });
  const factsOf = (stream: Stream, time: number) => {
    const facts = stream.measure(item(0, time));
    return (name: string): number => facts[fact(name)] as number;
  };

  test('counts against the kinds that it blames, and among the known frauds of all', () => {
    const stream = play([]);
    blame(stream, 0, DAY, DEVICE);
    const of = factsOf(stream, DAY + HOUR);
    expect(['user', 'device', 'counterparty'].map((kind) => of(`${kind}.known_frauds`))).toEqual([1, 1, 1]);
    expect(['user', 'device', 'counterparty'].map((kind) => of(`${kind}.actor_frauds_known`))).toEqual([0, 1, 0]);
    expect([of('device.actor_frauds.24h'), of('device.actor_frauds.1m'), of('device.actor_fraud_age_ms')]).toEqual([
      1,
      0,
      HOUR,
    ]);
    expect(of('user.actor_fraud_age_ms')).toBeNaN();
  });

  test('that the user disputes counts by the days on which disputes were reported', () => {
    const stream = play([]);
    for (const [index, time] of [DAY, DAY + HOUR, 3 * DAY, 40 * DAY].entries())
      blame(stream, index, time, USER | DISPUTE_BIT);
    blame(stream, 4, 41 * DAY, USER);
    const of = factsOf(stream, 42 * DAY);
    expect([of('user.disputes_known'), of('user.dispute_days'), of('user.disputes.30d')]).toEqual([4, 3, 1]);
    expect(of('user.actor_frauds_known')).toBe(5);
  });

  test('that was disputed leaves no more days than disputes, also if an older one was taken back before', () => {
    const stream = play([]);
    const [old, recent] = [START + DAY, START + 29 * DAY];
    for (const [index, at] of [old, recent, recent].entries()) blame(stream, index, at - START, USER | DISPUTE_BIT);
    for (const [index, given] of [old, recent].entries()) {
      const insteadOf = { fraud: true, at: given, actors: USER | DISPUTE_BIT };
      stream.label(item(index).hashes, { fraud: false, at: START + 40 * DAY, actors: 0, insteadOf });
    }
    const of = factsOf(stream, 40 * DAY);
    expect([of('user.disputes_known'), of('user.dispute_days')]).toEqual([1, 1]);
  });
});
