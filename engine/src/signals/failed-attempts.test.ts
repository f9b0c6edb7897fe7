import { describe, expect, test } from 'vitest';
import { act, DAY, failedLogin, HOUR, label, last, MINUTE, pay, type Step, sdk, times } from '../../test/subjects.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'phone' };
const THIEF = { ip_address: '192.0.2.1', device_token: 'thief' };
const life = times(20, (i) => pay(i * DAY, { ...HOME, payment_fingerprint: 'card' }));
const now = 20 * DAY;
const signalsOf = (...steps: Step[]): readonly string[] => last([...life, ...steps]).verdict.signals;
const NOVELTY = ['new_device', 'new_country', 'ip_mismatch'];

describe('a failed login', () => {
  test('does not make a device, a country or a network known', () => {
    const theft = pay(now + HOUR, { ...THIEF, payment_fingerprint: 'card' });
    const tries = times(5, (i) => failedLogin(now + i * MINUTE, THIEF));
    expect(NOVELTY.filter((name) => signalsOf(theft).includes(name))).not.toEqual([]);
    for (const name of NOVELTY)
      expect(signalsOf(...tries, theft).includes(name), name).toBe(signalsOf(theft).includes(name));
  });

  test('of an older day does not either', () => {
    const tries = times(9, (i) => failedLogin(now + i * DAY, THIEF));
    expect(signalsOf(...tries, pay(now + 10 * DAY, THIEF))).toContain('new_device');
  });

  test('counts its device once among the devices of the day', () => {
    const second = act(now, 'login', { ...HOME, device_token: 'tablet' });
    const third = act(now + HOUR, 'login', { ...HOME, device_token: 'laptop' });
    expect(signalsOf(second, third)).not.toContain('device_switching');
    expect(signalsOf(pay(now, HOME), second, third)).toContain('device_switching');
    const mistake = failedLogin(now + HOUR - MINUTE, { ...HOME, device_token: 'laptop' });
    expect(signalsOf(second, mistake, third)).not.toContain('device_switching');
  });

  test('before a window hides nothing that is counted in the window', () => {
    const day = now + 2 * DAY;
    const others = times(3, (i) =>
      act(day + i * MINUTE, 'login', { ip_address: `10.0.${i}.1`, device_token: `d${i}` }),
    );
    const theft = pay(day + 10 * MINUTE, THIEF);
    const COUNTED = ['device_switching', 'many_networks'];
    expect(signalsOf(...others, theft)).toEqual(expect.arrayContaining(COUNTED));
    expect(signalsOf(failedLogin(now, THIEF), ...others, theft)).toEqual(expect.arrayContaining(COUNTED));
    const here = act(day, 'login', HOME);
    expect(signalsOf(here, theft)).toContain('impossible_travel_new_device');
    expect(signalsOf(failedLogin(now, THIEF), here, theft)).toContain('impossible_travel_new_device');
  });

  test('on the only device of a user makes nothing new: the next login succeeds on their first device', () => {
    const steps = [
      act(0, 'signup', { ip_address: HOME.ip_address }),
      ...times(3, (i) => pay((1 + i) * DAY, { ip_address: HOME.ip_address })),
      failedLogin(5 * DAY, HOME),
      act(5 * DAY + MINUTE, 'login', HOME),
    ];
    expect(last(steps).verdict.signals).not.toContain('new_device');
  });

  test('and the next try send the same token of the device SDK, which is no replay', () => {
    const token = sdk('laptop', 'a token');
    const tries = [failedLogin(now, HOME, token), act(now + MINUTE, 'login', HOME, token)];
    expect(last(tries).verdict.signals).not.toContain('replayed_token');
    const stolen = [act(now, 'login', { ...HOME, user_id: 'owner' }, token), ...tries];
    expect(last(stolen).verdict.signals).toContain('replayed_token');
  });
});

describe('disputes', () => {
  const OWN = { ...HOME, payment_fingerprint: 'card' };
  const disputes = (...days: number[]): Step[] =>
    days.flatMap((day) => {
      const paid = pay(now + day * DAY, OWN);
      return [paid, label(now + day * DAY + HOUR, paid)];
    });
  const signals = (...steps: Step[]) => signalsOf(...steps, pay(now + 60 * DAY, OWN));

  test('on one day can be those of an honest customer', () => {
    for (const name of ['fraud_on_user', 'repeated_disputes']) expect(signals(...disputes(1))).not.toContain(name);
  });

  test('on two days are held against the user, who has committed no fraud yet', () => {
    expect(signals(...disputes(1, 20))).toContain('repeated_disputes');
    expect(signals(...disputes(1, 20))).not.toContain('fraud_on_user');
  });

  test('with the reason first_party are disputes like any other', () => {
    const paid = [1, 20].map((day) => pay(now + day * DAY, OWN));
    const [first, second] = paid.map((of) => [of, label(of.at + HOUR, of, true, 'first_party')]) as [Step[], Step[]];
    expect(signals(...first)).not.toContain('repeated_disputes');
    expect(signals(...first, ...second)).toContain('repeated_disputes');
  });

  test('of a new account with the reason first_party count as fraud at once', () => {
    const newcomer = { user_id: 'newcomer' };
    const paid = pay(now, newcomer);
    const next = pay(now + DAY, newcomer);
    expect(signalsOf(paid, label(now + HOUR, paid, true, 'first_party'), next)).toContain('fraud_on_user');
  });
});
