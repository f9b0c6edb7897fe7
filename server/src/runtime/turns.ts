import { makeFairQueue } from './fair-queue.ts';

/** Further tasks are refused: an early refusal is better than a late answer. */
const MAX_WAITING = 5000;

/** Runs tasks, at most `atOnce` at a time. Tenants take turns. */
export const makeTurns = (atOnce: number, refusal: (message: string) => Error) => {
  const waiting = makeFairQueue<() => void>();
  let running = 0;
  const startNext = (): void => {
    while (running < atOnce) {
      const start = waiting.take();
      if (start === undefined) return;
      running++;
      start();
    }
  };
  const run = <T>(tenant: number, task: () => Promise<T>): Promise<T> => {
    if (waiting.size() >= MAX_WAITING) return Promise.reject(refusal('too many reads are waiting'));
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        running--;
        startNext();
      };
      waiting.add(tenant, () => {
        const result = task();
        result.then(resolve, reject);
        result.then(end, end);
      });
      startNext();
    });
  };
  return { run, waiting: waiting.size };
};
