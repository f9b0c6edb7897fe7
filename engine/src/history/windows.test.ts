import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, DAY, HOUR, MINUTE, SECOND, START, upTo } from '../../test/subjects.ts';
import { ACTIVITIES } from '../subject/subject.ts';
import { type Arena, makeArena } from './arena.ts';
import { fillWindows } from './window-facts.ts';
import {
  CELL,
  compactCells,
  granuleOf,
  incrementCell,
  lastMoment,
  WINDOW_COUNT,
  WINDOWS,
  writeCell,
} from './windows.ts';

const NAMED = { '1m': MINUTE, '10m': 10 * MINUTE, '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY };

interface Observation {
  readonly at: number;
  readonly kind: number;
  readonly dollars: number;
}

/** Cells in an arena between other words, which they must not change. */
const END = 1000;
const BEHIND = 4;
interface Cells {
  readonly arena: Arena;
  first: number;
}
const newCells = (): Cells => {
  const arena = makeArena(END + BEHIND);
  arena.f64.fill(0.5, END);
  return { arena, first: END };
};
const countOf = ({ first }: Cells): number => (END - first) / CELL;
/** Counts as a history does. */
const countIn = (cells: Cells, at: number, kind: number, dollars: number): void => {
  const { arena } = cells;
  cells.first = compactCells(arena, cells.first, END, at);
  const start = granuleOf(arena, cells.first, END, at);
  if (incrementCell(arena, cells.first, END, start, kind, dollars)) return;
  cells.first -= CELL;
  writeCell(arena, cells.first, start, kind, dollars);
};

const COUNTS_AT = WINDOW_COUNT;
/** Every activity by itself, and after them the payments of all amounts. */
const PLACES = {
  amount: 0,
  counted: Uint8Array.from(ACTIVITIES.keys()),
  countedAt: Uint16Array.from(ACTIVITIES.keys(), (kind) => COUNTS_AT + kind * WINDOW_COUNT),
  transactions: COUNTS_AT + ACTIVITIES.length * WINDOW_COUNT,
};
const total = ({ arena, first }: Cells, now: number) => {
  const totals = new Float64Array(PLACES.transactions + WINDOW_COUNT);
  fillWindows(arena, first, END, now, PLACES, totals);
  return { dollars: totals.slice(0, COUNTS_AT), counts: totals.slice(COUNTS_AT, PLACES.transactions) };
};

/** The reference: keeps all counts and sums them. */
const totalSlowly = (seen: readonly Observation[], now: number) => {
  const counts = new Float64Array(ACTIVITIES.length * WINDOW_COUNT);
  const dollars = new Float64Array(WINDOW_COUNT);
  WINDOWS.forEach(({ granule, granules }, window) => {
    const first = Math.floor(now / granule) - granules;
    for (const observation of seen) {
      if (Math.floor(observation.at / granule) <= first) continue;
      const slot = observation.kind * WINDOW_COUNT + window;
      counts[slot] = (counts[slot] ?? 0) + 1;
      dollars[window] = (dollars[window] ?? 0) + observation.dollars;
    }
  });
  return { counts, dollars };
};

const expectSame = (cells: Cells, seen: readonly Observation[], now: number): void => {
  expect(total(cells, now)).toEqual(totalSlowly(seen, now));
};

const anyKind = fc.integer({ min: 0, max: ACTIVITIES.length - 1 });
const anyDollars = fc.integer({ min: 0, max: 1_000_000 });
const anyStart = fc.integer({ min: 0, max: 400 * DAY }).map((offset) => START + offset);
const stepsOf = (gap: fc.Arbitrary<number>, kind: fc.Arbitrary<number>, maxLength: number) =>
  fc.array(fc.record({ gap, kind, dollars: anyDollars }), upTo(maxLength));

/** Counts the steps and compares after each, and once more some time after the last. */
const follow = (
  start: number,
  steps: readonly { gap: number; kind: number; dollars: number }[],
  rest: number,
): void => {
  const cells = newCells();
  const seen: Observation[] = [];
  let at = start;
  for (const { gap, kind, dollars } of steps) {
    at += gap;
    expectSame(cells, seen, at);
    countIn(cells, at, kind, dollars);
    seen.push({ at, kind, dollars });
  }
  expectSame(cells, seen, at);
  expectSame(cells, seen, at + rest);
  expect([...cells.arena.f64.subarray(END)]).toEqual(Array(BEHIND).fill(0.5));
};

describe('windows agree with a complete count', () => {
  test('over gaps of every length', () => {
    fc.assert(
      fc.property(anyStart, stepsOf(anyGap, anyKind, 80), anyGap, (start, steps, rest) => {
        follow(start, steps, rest);
      }),
      { numRuns: 120 },
    );
  });

  test.each([
    ['seconds', 3 * SECOND],
    ['minutes', 2 * MINUTE],
    ['hours', 3 * HOUR],
  ])('over hundreds of observations %s apart, with many merges', (_, longest) => {
    const gap = fc.integer({ min: 0, max: longest });
    fc.assert(
      fc.property(anyStart, stepsOf(gap, fc.constantFrom(0, 1, 3), 300), anyGap, (start, steps, rest) => {
        follow(start, steps, rest);
      }),
      { numRuns: 15 },
    );
  });

  test('at the edge of every granule', () => {
    const edges = WINDOWS.map(({ granule }) => granule);
    const gap = fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -1, max: 1 })).map(([edge, by]) => edge + by);
    fc.assert(
      fc.property(stepsOf(gap, fc.constantFrom(0, 1), 60), fc.constantFrom(...edges), (steps, rest) => {
        follow(START, steps, rest);
      }),
      { numRuns: 80 },
    );
  });
});

describe('each window has the length of its name', () => {
  test.each(WINDOWS.map((window, index) => ({ ...window, index })))(
    '$name never counts older activity, and is shorter than its name by less than one granule',
    ({ name, granule, granules, index }) => {
      expect(granule * granules).toBe(NAMED[name]);
      const ago = fc.oneof(
        fc.integer({ min: 0, max: 2 * NAMED[name] }),
        fc.integer({ min: NAMED[name] - granule - 2, max: NAMED[name] + 2 }),
      );
      fc.assert(
        fc.property(anyStart, ago, (at, passed) => {
          const cells = newCells();
          countIn(cells, at, 0, 7);
          const { counts, dollars } = total(cells, at + passed);
          if (passed >= NAMED[name]) expect(counts[index]).toBe(0);
          if (passed <= NAMED[name] - granule) expect(counts[index]).toBe(1);
          expect(dollars[index]).toBe((counts[index] ?? 0) * 7);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('each granule divides the next, so that merging is exact', () => {
    for (let i = 1; i < WINDOWS.length; i++) {
      expect((WINDOWS[i]?.granule ?? 0) % (WINDOWS[i - 1]?.granule ?? 0)).toBe(0);
    }
  });
});

describe('fillWindows', () => {
  test('counts payments of all amounts together, and activities that have a place by themselves', () => {
    const cells = newCells();
    const [payment, small, login] = ['transactions', 'small_transactions', 'logins'] as const;
    for (const [activity, dollars] of [
      [payment, 10],
      [small, 1],
      [login, 0],
    ] as const)
      countIn(cells, START, ACTIVITIES.indexOf(activity), dollars);
    const places = {
      amount: 0,
      transactions: WINDOW_COUNT,
      counted: Uint8Array.of(ACTIVITIES.indexOf(small)),
      countedAt: Uint16Array.of(2 * WINDOW_COUNT),
    };
    const facts = new Float64Array(4 * WINDOW_COUNT).fill(-1, 3 * WINDOW_COUNT);
    // Half an hour later, so that the two narrowest windows are empty.
    fillWindows(cells.arena, cells.first, END, START + 30 * MINUTE, places, facts);
    const inWide = (value: number) => new Array<number>(WINDOW_COUNT).fill(value).fill(0, 0, 2);
    const untouched = new Array<number>(WINDOW_COUNT).fill(-1);
    expect([...facts]).toEqual([...inWide(11), ...inWide(2), ...inWide(1), ...untouched]);
  });
});

describe('cells stay few', () => {
  test('months of one payment per minute take at most as many cells as the windows have granules', () => {
    const cells = newCells();
    const bound = WINDOWS.reduce((sum, { granules }) => sum + granules, 0);
    let most = 0;
    for (let i = 0; i < 100_000; i++) {
      countIn(cells, START + i * MINUTE, 0, 1);
      most = Math.max(most, countOf(cells));
    }
    expect(most).toBeLessThanOrEqual(bound + 1);
    expect(total(cells, START + 99_999 * MINUTE).counts[3]).toBe(23 * 60 + (99_999 % 60) + 1);
  });

  test('counts of one activity within the same five seconds take one cell', () => {
    const cells = newCells();
    for (let i = 0; i < 3; i++) {
      for (const kind of [0, 1]) countIn(cells, START + i, kind, 1);
      expect(countOf(cells)).toBe(2);
    }
    countIn(cells, START + 5 * SECOND, 0, 1);
    expect(countOf(cells)).toBe(3);
  });

  test('after 30 quiet days no old cell is left', () => {
    const cells = newCells();
    for (let i = 0; i < 200; i++) countIn(cells, START + i * HOUR, i % ACTIVITIES.length, 1);
    countIn(cells, START + 50 * DAY, 0, 1);
    expect(countOf(cells)).toBe(1);
  });
});

describe('the last moment of an activity', () => {
  /** The start of the granule it is counted in, in the narrowest window that includes it. */
  const lastSlowly = (seen: readonly Observation[], kind: number, now: number): number => {
    const at = seen.findLast((observation) => observation.kind === kind)?.at ?? Number.NaN;
    for (const { granule, granules } of WINDOWS)
      if (Math.floor(now / granule) - Math.floor(at / granule) < granules) return at - (at % granule);
    return Number.NaN;
  };

  test('is the same whether cells were merged or not, whatever else happened', () => {
    fc.assert(
      fc.property(anyStart, stepsOf(anyGap, anyKind, 80), anyGap, (start, steps, rest) => {
        const [merged, alone] = [newCells(), newCells()];
        const seen: Observation[] = [];
        const kind = 3;
        const expectLast = (now: number): void => {
          const moment = lastSlowly(seen, kind, now);
          for (const { arena, first } of [merged, alone]) expect(lastMoment(arena, first, END, kind, now)).toBe(moment);
          if (!Number.isNaN(moment)) expect(moment).toBeLessThanOrEqual(now);
        };
        let at = start;
        for (const step of steps) {
          at += step.gap;
          expectLast(at);
          countIn(merged, at, step.kind, step.dollars);
          if (step.kind === kind) {
            // Without compaction.
            alone.first -= CELL;
            writeCell(alone.arena, alone.first, Math.floor(at / WINDOWS[0].granule), kind, step.dollars);
          }
          seen.push({ at, kind: step.kind, dollars: step.dollars });
        }
        expectLast(at);
        expectLast(at + rest);
      }),
      { numRuns: 150 },
    );
  });
});
