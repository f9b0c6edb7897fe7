/**
 * Lets concurrent callers share a long run. A call made during a run joins the next run, so its result is never older than
 * the call. One key never has more than one run at a time.
 */
export const shareRuns = <Result>(run: (key: string) => Promise<Result>): ((key: string) => Promise<Result>) => {
  const runs = new Map<string, { readonly now: Promise<Result>; next: Promise<Result> | undefined }>();
  const start = (key: string): Promise<Result> => {
    const going = { now: run(key), next: undefined };
    runs.set(key, going);
    const end = (): void => {
      if (going.next === undefined) runs.delete(key);
    };
    going.now.then(end, end);
    return going.now;
  };
  return (key) => {
    const going = runs.get(key);
    if (going === undefined) return start(key);
    going.next ??= going.now.then(
      () => start(key),
      () => start(key),
    );
    return going.next;
  };
};
