import { describe, expect, test } from 'vitest';
import { act, DAY, failedLogin, HOUR, label, last, MINUTE, pay, type Step, times } from '../../test/subjects.ts';
import { type Facts, fact } from '../history/facts.ts';
import { SIGNALS } from './signals.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'phone' };
const AWAY = { ip_address: '192.0.2.1', device_token: 'laptop' };
/** The user pays at home every day, even while they use something new. */
const life = times(80, (i) => pay(i * DAY, HOME));
const login = (time: number) => act(time, 'login', AWAY);
const paid = (time: number) => pay(time, AWAY);

const THINGS = ['new_device', 'ip_mismatch', 'new_country'];
const timeOf = (step: Step): number => step.at;
/** Which of these signals a payment raises, so long after the first use, at half past ten in the morning. */
const signalsOf = (since: number, use: (start: number) => readonly Step[]) => {
  const start = 30 * DAY + 10.5 * HOUR;
  const now = pay(start + since, AWAY);
  const before = [...life, ...use(start)].filter((step) => timeOf(step) < now.at);
  return last([...before.sort((a, b) => timeOf(a) - timeOf(b)), now]);
};

const USES: Readonly<
  Record<string, readonly [isNew: boolean, since: number, use: (start: number) => readonly Step[]]>
> = {
  'that was never used': [true, 0, () => []],
  'after one login a minute ago': [true, MINUTE, (at) => [login(at)]],
  'after one login 14 days ago': [true, 14 * DAY, (at) => [login(at)]],
  'after one login 31 days ago': [true, 31 * DAY, (at) => [login(at)]],
  'after many logins of one day': [true, 10 * HOUR, (at) => times(9, (i) => login(at + i * HOUR))],
  'after logins on two days': [true, 3 * DAY, (at) => [login(at), login(at + DAY)]],
  'after logins on two days, 12 days ago': [true, 12 * DAY, (at) => [login(at), login(at + DAY)]],
  'after logins on two days, 13 days ago': [false, 13 * DAY, (at) => [login(at), login(at + DAY)]],
  'after logins on three days, still on the third': [
    true,
    2 * DAY + HOUR,
    (at) => times(3, (i) => login(at + i * DAY)),
  ],
  'after logins on three days, on the fourth': [false, 3 * DAY, (at) => times(3, (i) => login(at + i * DAY))],
  'after failed logins on ten days': [true, 10 * DAY, (at) => times(10, (i) => failedLogin(at + i * DAY, AWAY))],
  'after a payment 36 hours ago': [true, 36 * HOUR, (at) => [paid(at)]],
  'after a payment two days ago': [false, 2 * DAY, (at) => [paid(at)]],
  'after a payment of today that was confirmed as legitimate': [
    false,
    2 * HOUR,
    (at) => {
      const payment = paid(at);
      return [payment, label(at + HOUR, payment, false)];
    },
  ],
};

describe('a device, network or country', () => {
  test.each(Object.entries(USES))('%s', (_, [isNew, since, use]) => {
    const { signals } = signalsOf(since, use).verdict;
    expect(THINGS.filter((name) => signals.includes(name))).toEqual(isNew ? THINGS : []);
  });

  test('is new by the first time it was seen, in decisions without more facts', () => {
    for (const [isNew, use] of [
      [true, []],
      [false, [login(30 * DAY)]],
    ] as const) {
      const { subject, facts } = last([...life.slice(0, 31), ...use, paid(30 * DAY + HOUR)]);
      const earlier: Facts = facts.slice().fill(Number.NaN, fact('likeness.this_token_age_ms') + 1);
      for (const { name, active, grade } of SIGNALS) {
        if (!THINGS.includes(name)) continue;
        expect(active(earlier, subject), name).toBe(isNew);
        expect(grade?.(earlier, subject), name).toBe(Number(isNew));
      }
    }
  });
});

describe('a new device or network of a user who has another one', () => {
  /** Visits of 25 days, of which every `nth` brings another device and network. */
  const visits = (nth: number) =>
    times(25, (i) => pay(i * DAY, i % nth === 0 ? { ip_address: `10.0.${i}.1`, device_token: `browser ${i}` } : HOME));
  const signalsAfter = (nth: number) => last([...visits(nth), pay(26 * DAY, AWAY)]).verdict.signals;

  test('at every second visit is no news', () => {
    expect(signalsAfter(2)).not.toContain('new_device');
    expect(signalsAfter(2)).not.toContain('ip_mismatch');
  });

  test('at every eighth visit is still news', () => {
    expect(signalsAfter(8)).toContain('new_device');
    expect(signalsAfter(8)).toContain('ip_mismatch');
  });
});
