/**
 * Runs tasks of the same key one at a time, in the order they came; tasks of different keys run at once.
 * It protects a read followed by a write: two tasks at once could each see room for one more row.
 */
export const serializeByKey = <Key extends string | number>() => {
  const lastByKey = new Map<Key, Promise<void>>();
  return <T>(key: Key, task: () => Promise<T>): Promise<T> => {
    const result = (lastByKey.get(key) ?? Promise.resolve()).then(task);
    const settled = result.then(
      () => {},
      () => {},
    );
    lastByKey.set(key, settled);
    void settled.then(() => {
      if (lastByKey.get(key) === settled) lastByKey.delete(key);
    });
    return result;
  };
};
