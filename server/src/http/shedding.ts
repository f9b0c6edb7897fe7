import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { ApiError } from './errors.ts';

/** Tells now and then how late the event loop is, until what it answers with is called. */
export type WatchLoop = (note: (lateMs: number) => void) => () => void;

const LOOK_EVERY_MS = 100;
export const watchLoop: WatchLoop = (note) => {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const due = performance.now() + LOOK_EVERY_MS;
    timer = setTimeout(() => {
      note(performance.now() - due);
      look();
    }, LOOK_EVERY_MS);
    timer.unref();
  };
  look();
  return () => clearTimeout(timer);
};

/** Whoever waits for a decision waits at least so long, and what comes on top makes it worse for all. */
const LATE_MS = 500;
/** So often late in a row, and it is no hiccup. What was late lately needs less. */
const LATE_LOOKS = 3;

/**
 * Refuses screenings while the event loop stays behind, before any work is done for them: answering some in time is better than answering all too late. A look
 * that finds it in time lets them in again.
 */
export const makeShedding = ({ log, metrics }: { log: Log; metrics: Metrics }) => {
  let late = 0;
  let stop: (() => void) | undefined;
  const isShedding = (): boolean => late === LATE_LOOKS;
  const note = (lateMs: number): void => {
    const was = isShedding();
    late = lateMs > LATE_MS ? Math.min(LATE_LOOKS, late + 1) : Math.max(0, late - 1);
    if (isShedding() && !was)
      log.warn({ late_ms: Math.round(lateMs) }, 'more comes than can be answered in time: screenings are refused');
    else if (was && !isShedding()) log.info('screenings are taken again');
  };
  return {
    start: (watch: WatchLoop): void => {
      stop = watch(note);
    },
    stop: (): void => stop?.(),
    /** Throws where a screening is not to be begun now. */
    check: (): void => {
      if (!isShedding()) return;
      metrics.shed.inc();
      throw new ApiError('unavailable', 'More comes than can be answered in time. Try again.', {
        headers: { 'Retry-After': '1' },
      });
    },
  };
};
export type Shedding = ReturnType<typeof makeShedding>;
