import { describe, expect, test } from 'vitest';
import { randomWorlds, type SimulatedItem, simulate } from './simulate.ts';

const DAY_MS = 86_400_000;
/** The items of each user that a takeover hit, over many worlds whose callers send devices. */
const historiesOfVictims = (): SimulatedItem[][] => {
  const histories: SimulatedItem[][] = [];
  for (const options of randomWorlds(14, 39, 2500)) {
    const users = new Map<string, SimulatedItem[]>();
    for (const item of simulate({
      ...options,
      days: 60,
      attacks: ['account_takeover', 'serial_takeover'],
      fraudShare: 0.04,
    }))
      users.set(item.user_id, [...(users.get(item.user_id) ?? []), item]);
    for (const items of users.values())
      if (items.some(({ label, device_token }) => label === 'fraud' && device_token !== undefined))
        histories.push(items);
  }
  return histories;
};
const histories = historiesOfVictims();
const isFraud = ({ label }: SimulatedItem): boolean => label === 'fraud';
const cardOf = (item: SimulatedItem): string | undefined =>
  item.kind === 'transaction' ? item.payment_fingerprint : undefined;
const timeOf = ({ occurred_at }: SimulatedItem): number => Date.parse(occurred_at);

describe('victims of a takeover', () => {
  test('go on living: most act again, on devices they had before, with the same card or with a new one', () => {
    let [active, onOwnDevice, withOldCard, withNewCard] = [0, 0, 0, 0];
    for (const items of histories) {
      const first = items.findIndex(isFraud);
      const after = items.slice(first).filter((item) => !isFraud(item));
      if (after.length === 0) continue;
      active++;
      const devices = new Set(items.slice(0, first).map(({ device_token }) => device_token));
      const cards = new Set(items.slice(0, first).map(cardOf));
      if (after.some(({ device_token: device }) => device !== undefined && devices.has(device))) onOwnDevice++;
      if (after.some((item) => cardOf(item) !== undefined && cards.has(cardOf(item)))) withOldCard++;
      if (after.some((item) => cardOf(item) !== undefined && !cards.has(cardOf(item)))) withNewCard++;
    }
    expect(histories.length).toBeGreaterThan(100);
    expect(active / histories.length).toBeGreaterThan(0.5);
    for (const count of [onOwnDevice, withOldCard, withNewCard]) expect(count / active).toBeGreaterThan(0.25);
  });
});

describe('thieves', () => {
  test('wait from seconds to two weeks between their first and their second act', () => {
    const waits = histories.flatMap((items) => {
      const frauds = items.filter(isFraud);
      return frauds.slice(1).map((item, i) => (timeOf(item) - timeOf(frauds[i] as SimulatedItem)) / DAY_MS);
    });
    const shareBetween = (low: number, high: number): number =>
      waits.filter((days) => days >= low && days < high).length / waits.length;
    expect(shareBetween(0, 1 / 24)).toBeGreaterThan(0.2);
    for (const [low, high] of [
      [1 / 24, 0.25],
      [0.25, 1],
      [1, 4],
      [4, 14],
    ] as const)
      expect(shareBetween(low, high)).toBeGreaterThan(0.01);
  });

  test('use the same device or shipping address on several accounts, or a new one on each', () => {
    const users = new Map<string, Set<string>>();
    for (const items of histories)
      for (const item of items.filter(isFraud))
        if (item.device_token !== undefined)
          users.set(item.device_token, (users.get(item.device_token) ?? new Set()).add(item.user_id));
    const shared = [...users.values()].filter(({ size }) => size > 1).length;
    expect(shared / users.size).toBeGreaterThan(0.03);
    expect(shared / users.size).toBeLessThan(0.5);
  });

  test('first do nothing, log in, fail to log in, change the account, or buy', () => {
    const firsts = histories.map((items) => items.find(isFraud) as SimulatedItem);
    const nameOf = (item: SimulatedItem): string =>
      item.kind === 'event' ? `${item.type} ${item.outcome}` : 'payment';
    const names = new Set(firsts.map(nameOf));
    expect(names).toContain('payment');
    expect(names).toContain('login succeeded');
    expect(names).toContain('login failed');
  });
});
