/** First-in-first-out queues, one per tenant. `take` serves the tenants in turn, so a long queue delays only itself. */
export const makeFairQueue = <T>() => {
  /** Tenants with waiting items, in the order of their turns. */
  const queues = new Map<number, T[]>();
  let size = 0;
  return {
    size: (): number => size,
    sizeOf: (tenant: number): number => queues.get(tenant)?.length ?? 0,
    add: (tenant: number, item: T): void => {
      const queue = queues.get(tenant);
      if (queue === undefined) queues.set(tenant, [item]);
      else queue.push(item);
      size++;
    },
    /** The oldest item of the next tenant that is `ready`. Its tenant then waits until all others had their turn. */
    take: (isReady: (tenant: number) => boolean = () => true): T | undefined => {
      for (const [tenant, queue] of queues) {
        if (!isReady(tenant)) continue;
        const item = queue.shift() as T;
        size--;
        queues.delete(tenant);
        if (queue.length > 0) queues.set(tenant, queue);
        return item;
      }
      return undefined;
    },
    /** Removes the items at the head of each queue for as long as `isOver` holds. */
    drop: (isOver: (item: T) => boolean): T[] => {
      const dropped: T[] = [];
      for (const [tenant, queue] of queues) {
        while (queue[0] !== undefined && isOver(queue[0])) dropped.push(queue.shift() as T);
        if (queue.length === 0) queues.delete(tenant);
      }
      size -= dropped.length;
      return dropped;
    },
  };
};
export type FairQueue<T> = ReturnType<typeof makeFairQueue<T>>;
