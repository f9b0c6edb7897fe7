import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { unavailable } from '../validation/errors.ts';

/** Reports at intervals how late the event loop is, until the returned function is called. */
export type WatchLoop = (report: (lateMs: number) => void) => () => void;

const CHECK_EVERY_MS = 100;
export const watchLoop: WatchLoop = (report) => {
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const due = performance.now() + CHECK_EVERY_MS;
    timer = setTimeout(() => {
      report(performance.now() - due);
      check();
    }, CHECK_EVERY_MS);
    timer.unref();
  };
  check();
  return () => clearTimeout(timer);
};

/** A check of the event loop later than this counts as late. Every screening then waits at least this long. */
const LATE_MS = 500;
/** Shedding starts when late checks outnumber timely ones by this many. One slow task is not an overload. */
const LATE_CHECKS = 3;

/**
 * Refuses screenings while the event loop stays late, before any work is done for them: answering some in time is
 * better than answering all too late. The first timely check admits them again.
 */
export const makeShedding = ({ log, metrics }: { log: Log; metrics: Metrics }) => {
  let lateChecks = 0;
  let stop: (() => void) | undefined;
  const isShedding = (): boolean => lateChecks === LATE_CHECKS;
  const report = (lateMs: number): void => {
    const wasShedding = isShedding();
    lateChecks = lateMs > LATE_MS ? Math.min(LATE_CHECKS, lateChecks + 1) : Math.max(0, lateChecks - 1);
    if (isShedding() && !wasShedding)
      log.warn({ late_ms: Math.round(lateMs) }, 'event loop is lagging; refusing screenings');
    else if (wasShedding && !isShedding()) log.info('event loop is on time; accepting screenings again');
  };
  return {
    start: (watch: WatchLoop): void => {
      stop = watch(report);
    },
    stop: (): void => stop?.(),
    /** Throws while screenings are refused. */
    check: (): void => {
      if (!isShedding()) return;
      metrics.shed.inc();
      throw unavailable('The service is overloaded.');
    },
  };
};
export type Shedding = ReturnType<typeof makeShedding>;
