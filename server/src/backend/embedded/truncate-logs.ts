import type { Worker } from 'node:worker_threads';
import type { HousekeeperAnswer, HousekeeperMessage } from './housekeeper-thread.ts';

/** Empties the logs of records and histories. Returns false where it has to be tried again. */
export const truncateLogs = (housekeeper: Worker): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isDone: boolean): void => {
      housekeeper.off('message', receive).off('exit', refuse);
      resolve(isDone);
    };
    const receive = (answer: HousekeeperAnswer): void => {
      if (typeof answer === 'object' && 'truncated' in answer) end(answer.truncated);
    };
    const refuse = (): void => end(false);
    housekeeper.on('message', receive).once('exit', refuse);
    housekeeper.postMessage('truncate' satisfies HousekeeperMessage);
  });
