/**
 * One at a time for each key, in the order they came. What is decided by what was read must not be overtaken between reading and writing, where
 * the store could only refuse it when it is counted already.
 */
export const makeTurns = () => {
  const last = new Map<string, Promise<void>>();
  return <T>(key: string, act: () => Promise<T>): Promise<T> => {
    const acted = (last.get(key) ?? Promise.resolve()).then(act);
    const over = acted.then(
      () => {},
      () => {},
    );
    last.set(key, over);
    void over.then(() => {
      if (last.get(key) === over) last.delete(key);
    });
    return acted;
  };
};
export type Turns = ReturnType<typeof makeTurns>;
