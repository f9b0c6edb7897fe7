import { Readable } from 'node:stream';
import {
  EVENT_STREAM,
  FEED_TOPICS,
  type FeedTopic,
  type FeedType,
  MAX_FEED_LISTENERS,
  MAX_FEED_LISTENERS_OF_ALL,
} from '@portcullis/contract';
import type { Answer, Call } from '../http/route.ts';
import { firstSeqAt } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { repeat } from '../runtime/repeat.ts';
import type { Search } from '../search/search.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import { eventText, gapText, heartbeatText, startText } from './event-text.ts';

export interface FeedTimes {
  /** Between two reads of new events. */
  readonly pollMs: number;
  /** Between two heartbeats, which also check that the caller may still read. */
  readonly heartbeatMs: number;
}
const TIMES: FeedTimes = { pollMs: 1000, heartbeatMs: 15_000 };
/** Events of one read. They are all that waits for a listener who does not read. */
const PAGE = 200;
/** Events that are sent to a listener who resumes. With more of them it reads the lists again. */
const MAX_REPLAYED = 1000;

interface FeedDeps {
  readonly events: Search['feed'];
  readonly clock: () => number;
  readonly metrics: Pick<Metrics, 'gauge'>;
  readonly log: Pick<Log, 'warn'>;
  readonly times?: FeedTimes;
}
interface Listener {
  readonly tenant: number;
  readonly isStillAllowed: () => Promise<boolean>;
  readonly types: ReadonlySet<FeedType>;
  readonly content: Readable;
  /** The last event that it was sent or that was none of its topics. Undefined until it is known. */
  position: number | undefined;
}
interface FeedState extends FeedDeps {
  readonly listeners: Set<Listener>;
  isStopping: boolean;
}

const typesOf = (topics = Object.keys(FEED_TOPICS).join(',')): ReadonlySet<FeedType> =>
  new Set(topics.split(',').flatMap((topic): readonly FeedType[] => FEED_TOPICS[topic as FeedTopic]));

/** The position in `Last-Event-ID`; undefined if none was sent. An empty one is what a browser sends before any event. */
const readPosition = (text = ''): number | undefined => {
  if (text === '') return undefined;
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  throw invalidRequest([{ field: 'Last-Event-ID', message: 'must be the `id` of an event of this feed' }]);
};

/** Refuses a listener beyond the limits. They are those of one process, as listeners use its memory and connections. */
const requireRoom = ({ listeners, isStopping }: FeedState, tenant: number): void => {
  const headers = { 'Retry-After': '10' };
  if (isStopping) throw new ApiError('unavailable', 'The service is stopping. Retry later.', { headers });
  const own = [...listeners].filter((listener) => listener.tenant === tenant).length;
  if (own >= MAX_FEED_LISTENERS) {
    const message = `At most ${MAX_FEED_LISTENERS} listeners of an account and environment are allowed. Close one of them, and retry.`;
    throw new ApiError('rate_limited', message, { headers });
  }
  if (listeners.size >= MAX_FEED_LISTENERS_OF_ALL)
    throw new ApiError('rate_limited', 'This process has too many listeners. Retry later.', { headers });
};

const write = ({ content }: Listener, text: string): void => {
  if (text !== '' && !content.destroyed) content.push(text);
};
/** Whether a listener has taken all texts so far. One that never does is disconnected like every client that does not read. */
const isReady = ({ content }: Listener): boolean => content.readableLength === 0;

/** Where a listener begins, and its first text. Later events wait for the next poll. */
const begin = async (
  { events, clock }: FeedState,
  tenant: number,
  asked: number | undefined,
): Promise<{ position: number; text: string }> => {
  const newest = await events.newest(tenant);
  if (asked === undefined || asked >= newest) return { position: newest, text: startText(newest) };
  const isKept = asked >= firstSeqAt(clock() - events.keptMs);
  if (isKept && !(await events.hasMoreAfter(tenant, asked, MAX_REPLAYED)))
    return { position: asked, text: startText(asked) };
  return { position: newest, text: gapText(newest, clock()) };
};

const listen = async (state: FeedState, call: Call<'listenFeed'>): Promise<Answer> => {
  const { lastEventId, query, isStillAllowed } = call;
  const { tenant } = call.caller;
  const asked = readPosition(lastEventId);
  requireRoom(state, tenant);
  const content = new Readable({ read: () => {} });
  const types = typesOf(query.topics);
  const listener: Listener = { tenant, isStillAllowed, types, content, position: undefined };
  state.listeners.add(listener);
  content.once('close', () => state.listeners.delete(listener));
  try {
    const { position, text } = await begin(state, tenant, asked);
    listener.position = position;
    write(listener, text);
    if (state.isStopping) content.push(null);
    return call.stream({ type: EVENT_STREAM, name: undefined, content });
  } catch (error) {
    content.destroy();
    throw error;
  }
};

type Begun = Listener & { position: number };

/** Sends new events to the listeners of a tenant. Returns whether there may be more. */
const pollTenant = async ({ events }: FeedState, tenant: number, listeners: readonly Begun[]): Promise<boolean> => {
  const rows = await events.after(tenant, Math.min(...listeners.map(({ position }) => position)), PAGE);
  for (const listener of listeners) {
    const later = rows.filter(({ number }) => number > listener.position);
    write(
      listener,
      later
        .filter(({ type }) => listener.types.has(type))
        .map(eventText)
        .join(''),
    );
    listener.position = later.at(-1)?.number ?? listener.position;
  }
  return rows.length === PAGE;
};

/** Reads the new events of the tenants that somebody listens to, once for all listeners of a tenant. */
const poll = async (state: FeedState): Promise<boolean> => {
  const begun = [...state.listeners].filter((one): one is Begun => one.position !== undefined && isReady(one));
  let hasMore = false;
  for (const [tenant, listeners] of Map.groupBy(begun, (listener) => listener.tenant))
    hasMore = (await pollTenant(state, tenant, listeners)) || hasMore;
  return hasMore;
};

/** Ends the streams of callers that may no longer read, and shows the others that the connection works. */
const beat = async ({ listeners }: FeedState): Promise<void> => {
  for (const listener of listeners) {
    if (!(await listener.isStillAllowed())) listener.content.push(null);
    else if (listener.position !== undefined && isReady(listener)) write(listener, heartbeatText(listener.position));
  }
};

/**
 * The live feed. Events come from the projection, which all processes share, so every process serves the same feed. It
 * is read only while somebody listens.
 */
export const makeFeed = (deps: FeedDeps) => {
  const state: FeedState = { ...deps, listeners: new Set(), isStopping: false };
  const { pollMs, heartbeatMs } = deps.times ?? TIMES;
  const onError = (error: unknown): void => deps.log.warn({ err: error }, 'the live feed could not be read; retrying');
  const polls = repeat({ task: () => poll(state), firstMs: pollMs, moreMs: 0, restMs: pollMs, onError });
  const beats = repeat({ task: () => beat(state), firstMs: heartbeatMs, restMs: heartbeatMs, onError });
  polls.start();
  beats.start();
  deps.metrics.gauge('portcullis_feed_listeners', 'Open streams of the live feed.', () => state.listeners.size);
  return {
    listen: (call: Call<'listenFeed'>): Promise<Answer> => listen(state, call),
    /** Ends every stream. Their responses would never end by themselves. */
    stop: async (): Promise<void> => {
      state.isStopping = true;
      for (const { content, position } of state.listeners) if (position !== undefined) content.push(null);
      await Promise.all([polls.stop(), beats.stop()]);
    },
  };
};
export type Feed = ReturnType<typeof makeFeed>;
