/**
 * Lets callers share a long run. One who calls while a run is going on gets the next run, with all others who wait for it:
 * its result is not older than the call, and one key never has more than one run at a time.
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
