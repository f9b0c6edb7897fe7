/**
 * One at a time for each key, in the order they came. What is decided by what was read must not be overtaken between reading and writing: two
 * would each see room for one.
 */
export const makeTurns = <Key extends string | number>() => {
  const last = new Map<Key, Promise<void>>();
  return <T>(key: Key, act: () => Promise<T>): Promise<T> => {
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
