import { uptime } from 'node:os';

/**
 * The clock of the service: the system clock, unless that jumps. A few seconds at another date would delete records,
 * expire cases and stamp histories with a time that no later screening reaches. So a jump is followed only after the
 * system clock has kept it for a while, and irreversible work waits longer.
 */
export interface SteadyClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Why this clock is not certain enough for irreversible work; undefined where it is. */
  readonly doubt: () => string | undefined;
  /** The system clock minus this one, in milliseconds. Not 0 while a jump is not followed. */
  readonly offsetMs: () => number;
}

export interface ClockSources {
  readonly wall: () => number;
  /** Milliseconds since any moment. Only moves forward, and cannot be set. */
  readonly monotonic: () => number;
  /** How long the machine has slept in all. `monotonic` stands still then. */
  readonly sleptMs: () => number;
}
export const SYSTEM_SOURCES: ClockSources = {
  wall: Date.now,
  monotonic: () => performance.now(),
  // Only Linux counts sleep in its uptime without asking the system clock.
  sleptMs: () => (process.platform === 'linux' ? uptime() * 1000 - performance.now() : 0),
};

/** A larger difference is a jump. Time synchronisation makes smaller corrections all the time. */
const JUMP_MS = 5000;
const FOLLOW_AFTER_MS = 60_000;
const CERTAIN_AFTER_MS = 10 * 60_000;

interface Jump {
  /** Wall clock minus monotonic clock since the jump. */
  readonly offset: number;
  readonly since: number;
}

interface ClockState {
  readonly sources: ClockSources;
  readonly report: (message: string) => void;
  /** Wall clock minus monotonic clock, as followed. */
  offset: number;
  sleptMs: number;
  /** When this clock started, or last followed a jump. */
  steadySince: number;
  jump: Jump | undefined;
}

const differs = (a: number, b: number): boolean => Math.abs(a - b) > JUMP_MS;
const inWords = (ms: number): string => {
  const seconds = Math.round(Math.abs(ms) / 1000);
  return `${seconds} s ${ms > 0 ? 'ahead' : 'back'}`;
};

const follow = (state: ClockState, offset: number): void => {
  state.offset = offset;
  state.jump = undefined;
};

/** The system clock and ours differ by more than a correction. */
const handleJump = (state: ClockState, offset: number, monotonic: number): void => {
  const { sources, report, jump } = state;
  const by = offset - state.offset;
  if (jump === undefined) {
    const slept = sources.sleptMs() - state.sleptMs;
    state.sleptMs += slept;
    if (!differs(by, slept)) {
      follow(state, offset);
      return;
    }
  }
  if (jump === undefined || differs(jump.offset, offset)) {
    state.jump = { offset, since: monotonic };
    const seconds = FOLLOW_AFTER_MS / 1000;
    report(
      `the system clock jumped ${inWords(by)}; the service keeps its own time and follows if the jump lasts ${seconds} s`,
    );
  } else if (monotonic - jump.since >= FOLLOW_AFTER_MS) {
    follow(state, offset);
    state.steadySince = monotonic;
    report(
      `the system clock has stayed ${inWords(by)}; the service follows it now, and deletes nothing for 10 minutes`,
    );
  }
};

const now = (state: ClockState): number => {
  const { sources } = state;
  const wall = sources.wall();
  const monotonic = sources.monotonic();
  const offset = wall - monotonic;
  if (differs(offset, state.offset)) handleJump(state, offset, monotonic);
  else if (state.jump !== undefined)
    state.report('the system clock has returned from its jump, which the service did not follow');
  if (differs(offset, state.offset)) return Math.floor(monotonic + state.offset);
  follow(state, offset);
  return wall;
};

export const makeSteadyClock = (report: (message: string) => void, sources = SYSTEM_SOURCES): SteadyClock => {
  const state: ClockState = {
    sources,
    report,
    offset: sources.wall() - sources.monotonic(),
    sleptMs: sources.sleptMs(),
    steadySince: sources.monotonic(),
    jump: undefined,
  };
  return {
    now: () => now(state),
    doubt: () => {
      const time = now(state);
      const ahead = sources.wall() - time;
      if (state.jump !== undefined) return `the system clock jumped ${inWords(ahead)}`;
      const steadyMs = sources.monotonic() - state.steadySince;
      if (steadyMs < CERTAIN_AFTER_MS)
        return 'the process started, or followed a jump of the clock, less than 10 minutes ago';
      return undefined;
    },
    offsetMs: () => {
      const time = now(state);
      return state.jump === undefined ? 0 : sources.wall() - time;
    },
  };
};

/** A clock that is certain, for tests that move it. */
export const makeCertainClock = (clock: () => number): SteadyClock => ({
  now: clock,
  doubt: () => undefined,
  offsetMs: () => 0,
});
