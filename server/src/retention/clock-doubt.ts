import type { SteadyClock } from '../runtime/steady-clock.ts';

/** The machines of a store agree within this, or one of them has a wrong clock. */
const TOLERATED_MS = 60_000;

/** Why nothing may be deleted by the clock now; undefined where it is certain. */
export type ClockDoubt = () => Promise<string | undefined>;

/** Doubts a clock that jumped, that is too young, or that differs from the clock of the database where there is one. */
export const makeClockDoubt =
  (clock: SteadyClock, readDatabaseClock: (() => Promise<number>) | undefined): ClockDoubt =>
  async () => {
    const doubt = clock.doubt();
    if (doubt !== undefined || readDatabaseClock === undefined) return doubt;
    const before = clock.now();
    const there = await readDatabaseClock();
    const ahead = before > there ? before - there : Math.min(0, clock.now() - there);
    if (Math.abs(ahead) <= TOLERATED_MS) return undefined;
    return `the clock is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the database`;
  };
