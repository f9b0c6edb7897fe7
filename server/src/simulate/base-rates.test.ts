import { describe, expect, test } from 'vitest';
import type { SpecialDay } from './businesses.ts';
import { HOSTING } from './networks.ts';
import { type SimulatedItem, simulate, type WorldKind } from './simulate.ts';
import { drawWorld } from './world.ts';

/** Base rates of legitimate payments. A rate that is odd in one kind of business must be ordinary in another. */
const START = Date.UTC(2026, 0, 1);
type Payment = Extract<SimulatedItem, { kind: 'transaction' }>;

/** Three worlds of a kind in which the caller sends all fields that the rates need. */
const paymentsOf = (
  world: WorldKind,
  needs: readonly ('ip' | 'device' | 'fingerprint' | 'shipping')[],
  without?: SpecialDay,
): Payment[][] => {
  const found: Payment[][] = [];
  for (let seed = 1; found.length < 3 && seed < 300; seed++) {
    const options = { seed, users: 200, days: 40, start: START, world };
    const { sends, onlyCountry, missing, isBehindProxy, specialDays } = drawWorld(options);
    const isThorough = needs.every((field) => sends[field]) && missing < 0.02 && !isBehindProxy;
    if (without !== undefined && specialDays.has(without)) continue;
    if (!isThorough || (needs.includes('shipping') && onlyCountry)) continue;
    const items = [...simulate({ ...options, attacks: 'none' })];
    found.push(items.filter((item): item is Payment => item.kind === 'transaction'));
  }
  expect(found).toHaveLength(3);
  return found;
};
const meanOf = (worlds: Payment[][], rateOf: (payments: Payment[]) => number): number =>
  worlds.reduce((sum, payments) => sum + rateOf(payments), 0) / worlds.length;
const share = (payments: Payment[], is: (payment: Payment) => boolean): number =>
  payments.filter(is).length / payments.length;

const isHosted = ({ ip_address: ip }: Payment): boolean => {
  if (ip === undefined || ip.includes(':')) return false;
  const address = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return HOSTING.some((prefixes) => prefixes.some(({ first, size }) => address >= first && address < first + size));
};
const goesElsewhere = ({ billing_address: billing, shipping_address: shipping }: Payment): boolean =>
  shipping?.postal_code !== undefined && shipping.postal_code !== billing?.postal_code;
/** Share of payments on a device that the user did not have before, without first payments, averaged over users. */
const newDevices = (payments: Payment[]): number => {
  const users = new Map<string, { readonly devices: Set<string>; payments: number }>();
  for (const { user_id, device_token = '' } of payments) {
    const user = users.get(user_id) ?? { devices: new Set(), payments: 0 };
    user.devices.add(device_token);
    user.payments++;
    users.set(user_id, user);
  }
  const rates = [...users.values()].flatMap((user) =>
    user.payments > 1 ? [(user.devices.size - 1) / (user.payments - 1)] : [],
  );
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
};
const perKey = (payments: Payment[], keyOf: (payment: Payment) => string, valueIn: (payment: Payment) => string) => {
  const values = new Map<string, Set<string>>();
  for (const payment of payments) {
    const key = keyOf(payment);
    values.set(key, (values.get(key) ?? new Set()).add(valueIn(payment)));
  }
  return [...values.values()].reduce((most, set) => Math.max(most, set.size), 0);
};

describe('what is odd in one business is ordinary in another', () => {
  test('addresses in data centres: exchange against tills', () => {
    const hosted = (payments: Payment[]): number => share(payments, isHosted);
    expect(meanOf(paymentsOf('crypto', ['ip']), hosted)).toBeGreaterThan(0.15);
    expect(meanOf(paymentsOf('tills', ['ip']), hosted)).toBeLessThan(0.08);
  });

  test('new devices: travel against bank', () => {
    const ofBank = meanOf(paymentsOf('bank', ['device'], 'app_update'), newDevices);
    expect(meanOf(paymentsOf('travel', ['device'], 'app_update'), newDevices)).toBeGreaterThan(1.3 * ofBank);
  });

  test('orders sent elsewhere: agency against shop', () => {
    const elsewhere = (payments: Payment[]): number => share(payments, goesElsewhere);
    expect(meanOf(paymentsOf('agency', ['shipping']), elsewhere)).toBeGreaterThan(0.3);
    expect(meanOf(paymentsOf('shop', ['shipping']), elsewhere)).toBeLessThan(0.15);
  });

  test('round amounts: charity against delivery', () => {
    const round = (payments: Payment[]): number => share(payments, ({ amount }) => amount % 5 === 0);
    expect(meanOf(paymentsOf('charity', []), round)).toBeGreaterThan(0.5);
    expect(meanOf(paymentsOf('delivery', []), round)).toBeLessThan(0.3);
  });

  test('customers of one device: tills against jeweller', () => {
    const users = (payments: Payment[]): number =>
      perKey(
        payments.filter(({ device_token }) => device_token !== undefined),
        ({ device_token }) => device_token as string,
        ({ user_id }) => user_id,
      );
    expect(meanOf(paymentsOf('tills', ['device']), users)).toBeGreaterThan(20);
    expect(meanOf(paymentsOf('jeweller', ['device']), users)).toBeLessThan(10);
  });

  test('cards of one customer: agency against telecom', () => {
    const cards = (payments: Payment[]): number =>
      perKey(
        payments.filter(({ payment_fingerprint }) => payment_fingerprint !== undefined),
        ({ user_id }) => user_id,
        ({ payment_fingerprint }) => payment_fingerprint as string,
      );
    expect(meanOf(paymentsOf('agency', ['fingerprint']), cards)).toBeGreaterThan(
      3 * meanOf(paymentsOf('telecom', ['fingerprint']), cards),
    );
  });

  test('the same payee and sum month after month: telecom against jeweller', () => {
    const recurring = (payments: Payment[]): number => {
      const counts = new Map<string, number>();
      for (const { user_id, amount } of payments)
        counts.set(`${user_id} ${amount}`, (counts.get(`${user_id} ${amount}`) ?? 0) + 1);
      return [...counts.values()].filter((count) => count > 1).reduce((sum, count) => sum + count, 0) / payments.length;
    };
    expect(meanOf(paymentsOf('telecom', []), recurring)).toBeGreaterThan(0.25);
    expect(meanOf(paymentsOf('jeweller', []), recurring)).toBeLessThan(0.15);
  });
});
