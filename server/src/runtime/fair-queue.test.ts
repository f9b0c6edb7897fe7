import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFairQueue } from './fair-queue.ts';

test('serves each tenant in its own order, and no tenant twice while another waits', () => {
  const arrivals = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(arrivals, (tenants) => {
      const queue = makeFairQueue<readonly [tenant: number, at: number]>();
      for (const [at, tenant] of tenants.entries()) queue.add(tenant, [tenant, at]);
      const taken = tenants.map(() => queue.take() as readonly [number, number]);
      expect([queue.take(), queue.size()]).toEqual([undefined, 0]);
      for (const tenant of new Set(tenants)) {
        const own = taken.filter(([of]) => of === tenant).map(([, at]) => at);
        expect(own).toEqual(own.toSorted((a, b) => a - b));
      }
      // Between two turns of a tenant, every other tenant with waiting items has exactly one.
      for (const [index, [tenant]] of taken.entries()) {
        const next = taken.findIndex(([of], at) => at > index && of === tenant);
        if (next === -1) continue;
        const between = taken.slice(index + 1, next).map(([of]) => of);
        expect(new Set(between).size).toBe(between.length);
        for (const [other] of taken.slice(next)) if (other !== tenant) expect(between).toContain(other);
      }
    }),
  );
});

test('skips a tenant that is not ready, which keeps its turn', () => {
  const queue = makeFairQueue<string>();
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.add(item.charCodeAt(0), item);
  const isReady = (tenant: number): boolean => tenant !== 'a'.charCodeAt(0);
  expect([queue.take(isReady), queue.take(), queue.take(), queue.take()]).toEqual(['b1', 'a1', 'c1', 'a2']);
});

test('drops the oldest items of each tenant and keeps the others', () => {
  const queue = makeFairQueue<number>();
  for (const [tenant, at] of [
    [1, 10],
    [1, 20],
    [2, 15],
    [2, 30],
  ] as const)
    queue.add(tenant, at);
  expect(queue.drop((at) => at < 20)).toEqual([10, 15]);
  expect([queue.size(), queue.sizeOf(1), queue.sizeOf(2), queue.sizeOf(3)]).toEqual([2, 1, 1, 0]);
  expect([queue.take(), queue.take()]).toEqual([20, 30]);
});
