import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, DAY, HOUR, MINUTE, pay, SECOND, START, times, upTo } from '../../test/subjects.ts';
import { fact } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';
import type { LabelEffect } from './labels.ts';
import { WINDOWS } from './windows.ts';

type Stream = ReturnType<typeof makeInMemoryHistory>;
const factsOf = (stream: Stream, time: number, device_token: string) => {
  const facts = stream.measure(pay(time, { device_token, user_id: 'u', counterparty_id: 'shop' }));
  return (name: string): number => facts[fact(name)] as number;
};

/** A reference of the labels in force: by item, the last label that changed anything, and when it was given. */
type InForce = Map<number, { fraud: boolean; at: number }>;

const DEVICES = 3;
const ITEMS = 12;
const item = (index: number) =>
  pay(index, { device_token: `device_${index % DEVICES}`, user_id: 'u', counterparty_id: 'shop' });
const onDevice = (inForce: InForce, device: number, fraud: boolean): number[] =>
  [...inForce].filter(([i, of]) => i % DEVICES === device && of.fraud === fraud).map(([, { at }]) => at);
const everywhere = (inForce: InForce, fraud: boolean): number[] =>
  [...inForce.values()].filter((of) => of.fraud === fraud).map(({ at }) => at);
const within = (moments: readonly number[], now: number, { granule, granules }: (typeof WINDOWS)[number]): number =>
  moments.filter((at) => Math.floor(at / granule) > Math.floor(now / granule) - granules).length;

const LABEL = fc.record({
  gap: anyGap,
  item: fc.integer({ min: 0, max: ITEMS - 1 }),
  fraud: fc.boolean(),
  // How far the clock was set back when the label was given.
  back: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: MINUTE }) },
  ),
  pays: fc.boolean(),
});

/** Applies a label as the service does: a repeated label is ignored, an opposite one replaces the earlier. */
const applyLabel = (
  stream: Stream,
  inForce: InForce,
  index: number,
  fraud: boolean,
  at: number,
): 'fraud' | 'corrected' | '' => {
  const before = inForce.get(index);
  if (before?.fraud === fraud) return '';
  stream.label(item(index).hashes, { fraud, at, insteadOf: before });
  inForce.set(index, { fraud, at });
  if (fraud) return 'fraud';
  return before === undefined ? '' : 'corrected';
};

describe('corrected labels', () => {
  test('leave every count, in every window, as if only the labels in force had been given', () => {
    fc.assert(
      fc.property(fc.array(LABEL, upTo(80)), anyGap, (labels, rest) => {
        const stream = makeInMemoryHistory();
        const inForce: InForce = new Map();
        for (const index of times(ITEMS, (i) => i)) stream.observe(item(index));
        let now = START + ITEMS;
        for (const { gap, item: index, fraud, back, pays } of labels) {
          now += gap;
          // Activity between the labels merges cells, including those of labels.
          if (pays) stream.observe({ ...item(index), at: now });
          applyLabel(stream, inForce, index, fraud, now - back);
        }
        now += rest;
        for (const device of times(DEVICES, (i) => i)) {
          const of = factsOf(stream, now - START, `device_${device}`);
          const frauds = onDevice(inForce, device, true);
          expect(of('device.known_frauds')).toBe(frauds.length);
          expect(of('user.known_frauds')).toBe(everywhere(inForce, true).length);
          if (frauds.length === 0) expect(of('device.fraud_age_ms')).toBeNaN();
          for (const window of WINDOWS) {
            const { name } = window;
            expect([name, of(`device.frauds.${name}`)]).toEqual([name, within(frauds, now, window)]);
            expect([name, of(`user.frauds.${name}`)]).toEqual([name, within(everywhere(inForce, true), now, window)]);
            const legitimate = everywhere(inForce, false);
            expect([name, of(`counterparty.legitimates.${name}`)]).toEqual([name, within(legitimate, now, window)]);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('give the exact time of the last fraud; after a correction, to the day and never too late, or 30 days ago', () => {
    fc.assert(
      fc.property(fc.array(LABEL, upTo(60)), (labels) => {
        const stream = makeInMemoryHistory();
        const inForce: InForce = new Map();
        for (const index of times(ITEMS, (i) => i)) stream.observe(item(index));
        let now = START + ITEMS;
        let correctedAt = Number.NaN;
        for (const { gap, item: index, fraud } of labels) {
          now += gap;
          const happened = applyLabel(stream, inForce, index, fraud, now);
          if (happened === 'fraud') correctedAt = Number.NaN;
          if (happened === 'corrected') correctedAt = now;
          const frauds = everywhere(inForce, true);
          if (frauds.length === 0) continue;
          const last = Math.floor(Math.max(...frauds) / SECOND) * SECOND;
          const measured = now - factsOf(stream, now - START, 'device_0')('user.fraud_age_ms');
          if (Number.isNaN(correctedAt)) expect(measured).toBe(last);
          expect(measured).toBeGreaterThan(last - DAY);
          if (measured > last) expect(measured).toBeLessThanOrEqual(correctedAt - 29 * DAY);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('with another reason of the same fraud leave every count and time of labels, also after the widest window', () => {
    const [plain, corrected] = [makeInMemoryHistory(), makeInMemoryHistory()];
    const { hashes } = item(0);
    const fraud = { fraud: true, at: START + HOUR };
    for (const stream of [plain, corrected]) {
      stream.observe(item(0));
      stream.label(hashes, fraud);
    }
    let before: LabelEffect = fraud;
    for (const [later, reason] of [
      [2 * HOUR, 'takeover'],
      [20 * DAY, 'mule'],
      [40 * DAY, 'other'],
    ] as const) {
      corrected.label(hashes, { ...fraud, reason, insteadOf: before });
      before = { ...fraud, reason };
      for (const name of ['known_frauds', 'fraud_age_ms', ...WINDOWS.map((window) => `frauds.${window.name}`)])
        for (const kind of ['user', 'device'])
          expect([name, factsOf(corrected, later, 'device_0')(`${kind}.${name}`)]).toEqual([
            name,
            factsOf(plain, later, 'device_0')(`${kind}.${name}`),
          ]);
    }
  });

  test('leave no traces: a fraud corrected at once takes no more space than a legitimate payment', () => {
    const [plain, corrected] = [makeInMemoryHistory(), makeInMemoryHistory()];
    for (const stream of [plain, corrected]) stream.observe(item(0));
    const { hashes } = item(0);
    corrected.label(hashes, { fraud: true, at: START + HOUR });
    corrected.label(hashes, { fraud: false, at: START + 2 * HOUR, insteadOf: { fraud: true, at: START + HOUR } });
    plain.label(hashes, { fraud: false, at: START + 2 * HOUR });
    for (const later of [2 * HOUR, 20 * DAY, 40 * DAY]) {
      const facts = plain.measure(pay(later, { device_token: 'device_0', counterparty_id: 'shop' })).slice();
      expect(corrected.measure(pay(later, { device_token: 'device_0', counterparty_id: 'shop' }))).toEqual(facts);
    }
  });
});
