import type { Worker } from 'node:worker_threads';
import { makeTurns } from './turns.ts';

interface RequestThreadOptions {
  readonly start: () => Worker;
  /** The error of a request that gets no answer. */
  readonly refusal: (message: string, cause?: Error) => Error;
  /** Called when the thread ended by itself. */
  readonly onEnded: (error: Error) => void;
}

/**
 * A thread that answers requests one at a time; tenants take turns. The next request is sent when this thread has
 * received the last answer, so that the work on answers is spread over the turns of the event loop. The thread starts
 * with the first request. If it ended, the next request starts it again, so it must not keep anything that matters.
 */
export const makeRequestThread = <Request, Answer>({ start, refusal, onEnded }: RequestThreadOptions) => {
  const turns = makeTurns(1, refusal);
  let thread: Worker | undefined;
  let settle: ((answer: Answer | Error) => void) | undefined;
  let isClosed = false;

  const startThread = (): Worker => {
    const started = start();
    let failure: Error | undefined;
    started.on('message', (answer: Answer) => settle?.(answer));
    started.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    started.on('exit', () => {
      thread = undefined;
      const error = failure ?? new Error('its thread is gone');
      if (!isClosed) onEnded(error);
      settle?.(error);
    });
    return started;
  };
  const send = (request: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (isClosed) {
        reject(refusal('its thread is closed'));
        return;
      }
      settle = (answer) => {
        settle = undefined;
        if (answer instanceof Error) reject(refusal('its thread ended', answer));
        else resolve(answer);
      };
      thread ??= startThread();
      thread.postMessage(request);
    });

  return {
    ask: (tenant: number, request: Request): Promise<Answer> => turns.run(tenant, () => send(request)),
    waiting: turns.waiting,
    /** Ends the thread after the request in progress. It must close its port at the message `close`. */
    close: async (): Promise<void> => {
      isClosed = true;
      const closing = thread;
      if (closing === undefined) return;
      const exited = new Promise((resolve) => closing.once('exit', resolve));
      closing.postMessage('close');
      await exited;
    },
  };
};
