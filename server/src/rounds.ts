/** Does something again and again, one time after the other: soon again while it says that there is more to do, else after a rest. */
export const makeRounds = (options: {
  readonly act: () => Promise<unknown>;
  readonly firstMs: number;
  readonly moreMs?: number;
  readonly restMs: number;
  /** It is tried again after a rest. */
  readonly onFault: (error: unknown) => void;
}) => {
  const { act, firstMs, restMs, moreMs = restMs, onFault } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const round = (): void => {
    running = act().then(
      (more) => schedule(more === true ? moreMs : restMs),
      (error: unknown) => {
        onFault(error);
        schedule(restMs);
      },
    );
  };
  const schedule = (afterMs: number): void => {
    if (stopped) return;
    timer = setTimeout(round, afterMs);
    timer.unref();
  };
  return {
    start: (): void => schedule(firstMs),
    isStopped: (): boolean => stopped,
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
