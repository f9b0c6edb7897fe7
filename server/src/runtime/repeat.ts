/**
 * Runs `task` repeatedly, never overlapping: after `moreMs` when it returned true, else after `restMs`.
 * A failed run is reported to `onError`, and the next one starts after `restMs`.
 */
export const repeat = (options: {
  readonly task: () => Promise<unknown>;
  readonly firstMs: number;
  readonly moreMs?: number;
  readonly restMs: number;
  readonly onError: (error: unknown) => void;
}) => {
  const { task, firstMs, restMs, moreMs = restMs, onError } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const run = (): void => {
    running = task().then(
      (hasMore) => schedule(hasMore === true ? moreMs : restMs),
      (error: unknown) => {
        onError(error);
        schedule(restMs);
      },
    );
  };
  const schedule = (afterMs: number): void => {
    if (stopped) return;
    timer = setTimeout(run, afterMs);
    timer.unref();
  };
  return {
    start: (): void => schedule(firstMs),
    isStopped: (): boolean => stopped,
    /** Cancels the next run and waits for the current one. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
