import type { FeedEvent } from '@portcullis/client';
import { clientOf } from './client.ts';
import type { Environment } from './session.ts';
import { makeStore } from './store.ts';

type Listener = (event: FeedEvent) => void;

/** Whether events arrive as they happen. Without them, pages ask again from time to time. */
export const isLive = makeStore(false);

const RETRY_MS = 10_000;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RETRY_MS));

/** Listens until aborted, and passes events on to the other tabs: browsers open only six connections to a host. */
const lead = async (environment: Environment, tell: (message: FeedEvent | boolean) => void, signal: AbortSignal) => {
  while (!signal.aborted) {
    try {
      tell(true);
      const events = clientOf(environment).feed.listen({ topics: 'cases,reviews,blocks' }, { signal });
      for await (const event of events) tell(event);
    } catch {
      if (signal.aborted) return;
      tell(false);
      await pause();
    }
  }
};

/** Follows the feed of an environment. One tab of the browser holds the connection. */
export const followFeed = (environment: Environment, listener: Listener): (() => void) => {
  const name = `portcullis-feed-${environment}`;
  const channel = new BroadcastChannel(name);
  const controller = new AbortController();
  const hear = (message: FeedEvent | boolean): void => {
    if (controller.signal.aborted) return;
    if (typeof message === 'boolean') isLive.set(message);
    else {
      isLive.set(true);
      listener(message);
    }
  };
  channel.onmessage = ({ data }: MessageEvent<FeedEvent | boolean>) => hear(data);
  const tell = (message: FeedEvent | boolean): void => {
    if (controller.signal.aborted) return;
    hear(message);
    channel.postMessage(message);
  };
  // A tab that does not lead hears whether the connection works with the next event. Until then it takes the leader's word.
  isLive.set(true);
  const led =
    navigator.locks === undefined
      ? lead(environment, tell, controller.signal)
      : navigator.locks.request(name, { signal: controller.signal }, () => lead(environment, tell, controller.signal));
  led.catch(() => {});
  return () => {
    controller.abort();
    channel.close();
  };
};
