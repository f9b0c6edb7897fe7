import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSteadyClock } from './steady-clock.ts';

const START = Date.parse('2026-11-14T09:30:00.000Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 3600 * SECOND;

const makeMachine = () => {
  let [wall, monotonic, slept] = [START, 5000.25, 0];
  const reports: string[] = [];
  const sources = { wall: () => wall, monotonic: () => monotonic, sleptMs: () => slept };
  const clock = makeSteadyClock((message) => void reports.push(message), sources);
  return {
    clock,
    reports,
    /** Time passes, by the second, and the service asks for it. */
    pass: (ms: number): void => {
      for (let left = ms; left > 0; left -= SECOND) {
        wall += Math.min(left, SECOND);
        monotonic += Math.min(left, SECOND);
        clock.now();
      }
    },
    set: (ms: number): void => {
      wall += ms;
    },
    sleep: (ms: number): void => {
      wall += ms;
      slept += ms;
    },
    /** How far our clock is from real time. */
    error: () => clock.now() - START,
  };
};

describe('the clock of the service', () => {
  test.each([100 * DAY, -100 * DAY, 6 * SECOND, -6 * SECOND])(
    'does not follow a jump of %i ms that lasts less than a minute',
    (jump) => {
      const { clock, reports, pass, set, error } = makeMachine();
      pass(20 * MINUTE);
      set(jump);
      for (const passed of [0, 4 * SECOND, 59 * SECOND - 4 * SECOND]) {
        pass(passed);
        expect(Math.abs(clock.offsetMs() - jump)).toBeLessThan(2);
        expect(clock.doubt()).toContain('jumped');
      }
      expect(Math.abs(error() - 20 * MINUTE - 59 * SECOND)).toBeLessThan(2);
      set(-jump);
      pass(SECOND);
      expect([error(), clock.offsetMs(), clock.doubt()]).toEqual([21 * MINUTE, 0, undefined]);
      expect(reports).toHaveLength(2);
    },
  );

  test.each([100 * DAY, -100 * DAY])(
    'follows a jump of %i ms after a minute, and is certain after ten more',
    (jump) => {
      const { clock, reports, pass, set, error } = makeMachine();
      pass(20 * MINUTE);
      set(jump);
      pass(62 * SECOND);
      expect(error()).toBe(20 * MINUTE + 62 * SECOND + jump);
      expect(clock.doubt()).toContain('less than 10 minutes');
      pass(10 * MINUTE);
      expect([clock.doubt(), clock.offsetMs(), reports.length]).toEqual([undefined, 0, 2]);
    },
  );

  test('follows none of several jumps to different times', () => {
    const { pass, set, error } = makeMachine();
    pass(20 * MINUTE);
    for (let i = 0; i < 10; i++) {
      set(DAY);
      pass(30 * SECOND);
    }
    expect(Math.abs(error() - 25 * MINUTE)).toBeLessThan(2);
  });

  test('is not certain in the first ten minutes', () => {
    const { clock, pass } = makeMachine();
    expect(clock.doubt()).toContain('less than 10 minutes');
    pass(10 * MINUTE);
    expect(clock.doubt()).toBeUndefined();
  });

  test('follows sleep of the machine at once', () => {
    const { clock, reports, pass, sleep, error } = makeMachine();
    pass(20 * MINUTE);
    sleep(DAY);
    expect([error(), clock.doubt(), reports]).toEqual([DAY + 20 * MINUTE, undefined, []]);
  });

  test('follows small corrections at once, however many', () => {
    const corrections = fc.array(fc.integer({ min: -4 * SECOND, max: 4 * SECOND }), { maxLength: 30 });
    fc.assert(
      fc.property(corrections, (all) => {
        const { clock, reports, pass, set, error } = makeMachine();
        let sum = 0;
        for (const ms of all) {
          set(ms);
          sum += ms;
          expect(error()).toBe(sum);
        }
        pass(10 * MINUTE);
        expect([clock.doubt(), reports]).toEqual([undefined, []]);
      }),
    );
  });
});
