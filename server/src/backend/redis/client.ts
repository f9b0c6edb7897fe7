/// <reference path="./cluster-key-slot.d.ts" />
import slotOf from 'cluster-key-slot';
import type { Cluster, Redis } from 'ioredis';
import {
  CONNECT_MS,
  CommandRejected,
  isNoConnection,
  makeCluster,
  makeSingle,
  RedisUnavailable,
  reasonOf,
  SILENT_MS,
  withTimeout,
} from './connection.ts';
import { FENCED, type ScriptName } from './scripts.ts';
import { makeServerClocks, type ServerClocks } from './server-clocks.ts';

/** Short, because screenings wait for it. */
const TIMEOUT_MS = 250;
const PROBE_MS = 200;
/** A server whose clock is further behind the last deadline was set back. It is not waited for. */
const MAX_FENCE_MS = 1000;

export type Argument = string | Buffer;
type Client = Redis | Cluster;
type Command<T> = (client: Client) => Promise<T>;

export interface RedisClientOptions {
  readonly url: string;
  /** A key to probe with before any other key is known. */
  readonly key: string;
  /** How long to wait for an answer. Tests on a busy machine wait longer. */
  readonly timeoutMs?: number | undefined;
  /** Called once each time Redis stops answering, and once each time it answers again. */
  readonly onUnavailable: (reason: string) => void;
  readonly onAvailable: (unavailableMs: number) => void;
  readonly onRejected: (reason: string) => void;
}

interface SilentServer {
  /** A key to probe it with. */
  readonly key: string;
  /** The last deadline, on its clock, of the calls it did not answer. It may run these until then. */
  readonly until: number;
}

interface ClientState {
  readonly options: RedisClientOptions;
  readonly timeoutMs: number;
  readonly single: Redis;
  client: Client;
  cluster: Cluster | undefined;
  opening: Promise<void> | undefined;
  isOpen: boolean;
  isClosed: boolean;
  unavailableSince: number | undefined;
  /** Servers that do not answer, by address. */
  readonly silent: Map<string, SilentServer>;
  readonly clocks: ServerClocks;
  probeTimer: NodeJS.Timeout | undefined;
  /** Why there is no connection. The errors of ioredis only report that there is none. */
  lastError: string | undefined;
}

const noteError = (state: ClientState, error: unknown): void => {
  const reason = reasonOf(error);
  if (!isNoConnection(reason)) state.lastError = reason;
};

/** The address of the server that holds a key; empty where there is no cluster. */
const serverOf = ({ cluster }: ClientState, key: string): string =>
  cluster === undefined ? '' : (cluster.slots[slotOf(key)]?.[0] ?? '');

const canReach = (state: ClientState, key: string): boolean =>
  state.isOpen && (state.silent.size === 0 || !state.silent.has(serverOf(state, key)));

const markSilent = (state: ClientState, key: string, reason: string, deadline = 0): void => {
  const { silent } = state;
  const server = serverOf(state, key);
  silent.set(server, { key, until: Math.max(deadline, silent.get(server)?.until ?? 0) });
  if (state.unavailableSince === undefined) {
    state.unavailableSince = Date.now();
    state.options.onUnavailable(isNoConnection(reason) ? (state.lastError ?? 'the connection is lost') : reason);
  }
  state.probeTimer ??= setTimeout(() => probe(state), PROBE_MS);
};

/** An unused key in the slot of another key. */
const probeKey = (key: string): string => `${key.slice(0, key.indexOf('{'))}probe:${key.slice(key.indexOf('{'))}`;

const callScript = (
  { client }: ClientState,
  script: ScriptName,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> => {
  const call = (client as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>)[`${script}Buffer`];
  return call?.call(client, keys.length, ...keys, ...args) as Promise<unknown>;
};

/** Measures the clock of the server of a key. Returns the time there. */
const measureClock = (state: ClientState, key: string): Promise<number> =>
  state.clocks.measure(serverOf(state, key), async () => {
    const [seconds, micros] = (await callScript(state, 'clock', [key], [])) as Buffer[];
    return Number(seconds) * 1000 + Number(micros) / 1000;
  });

/** Writes to each silent server. A read is not enough: a replica and a server that is out of memory answer reads. */
const probe = async (state: ClientState): Promise<void> => {
  const { silent } = state;
  await Promise.all(
    [...silent].map(async ([server, { key }]) => {
      try {
        if (!state.isOpen) await open(state);
        await state.client.set(probeKey(key), '', 'PX', SILENT_MS);
        const now = await measureClock(state, key);
        const fenceMs = (silent.get(server)?.until ?? 0) - now;
        if (fenceMs <= 0 || fenceMs > MAX_FENCE_MS) silent.delete(server);
      } catch {
        // The server stays silent and is probed again.
      }
    }),
  );
  state.probeTimer = undefined;
  if (state.isClosed) return;
  if (silent.size > 0) state.probeTimer = setTimeout(() => probe(state), PROBE_MS);
  else if (state.unavailableSince !== undefined) {
    const since = state.unavailableSince;
    state.unavailableSince = undefined;
    state.lastError = undefined;
    state.options.onAvailable(Date.now() - since);
  }
};

/** The first contact. Only a server itself knows whether it is part of a cluster. */
const firstContact = async (state: ClientState): Promise<void> => {
  const { single } = state;
  if (single.status === 'wait' || single.status === 'end') await single.connect();
  const info = String(await single.info('cluster'));
  if (!/cluster_enabled:1/.test(info)) {
    state.isOpen = true;
    return;
  }
  const cluster = makeCluster(single.options, (error) => noteError(state, error));
  state.cluster = cluster;
  await new Promise<void>((resolve) => cluster.once('ready', () => resolve()));
  await Promise.allSettled(cluster.nodes('master').map((server) => server.ping()));
  state.client = cluster;
  single.disconnect();
  state.isOpen = true;
};
const open = (state: ClientState): Promise<void> => {
  state.opening ??= firstContact(state).finally(() => {
    state.opening = undefined;
  });
  return state.opening;
};

/** Runs a command on the server of a key, and marks the server silent when it does not answer. */
const runFor = async <T>(
  state: ClientState,
  key: string,
  answer: () => Promise<T>,
  timeoutMs: number,
  { onRejected = () => {}, deadline }: { onRejected?: (reason: string) => void; deadline?: number } = {},
): Promise<T> => {
  if (!canReach(state, key)) throw new RedisUnavailable('Redis does not answer');
  try {
    return await withTimeout(timeoutMs, answer());
  } catch (error) {
    if (error instanceof CommandRejected) onRejected(error.message);
    else if (!state.isClosed) markSilent(state, key, reasonOf(error), deadline);
    throw error;
  }
};

const runScript = (
  state: ClientState,
  script: ScriptName,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> => {
  const { clocks, timeoutMs } = state;
  const { key: anyKey, onRejected } = state.options;
  const key = keys[0] ?? anyKey;
  if (!FENCED.has(script))
    return runFor(state, key, () => callScript(state, script, keys, args), timeoutMs, { onRejected });
  const server = serverOf(state, key);
  if (clocks.isDue(server) && canReach(state, key)) measureClock(state, key).catch(() => {});
  const deadline = clocks.deadline(server, timeoutMs);
  const answer = (): Promise<unknown> => callScript(state, script, keys, [...args, String(deadline)]);
  return runFor(state, key, answer, timeoutMs, { onRejected, deadline });
};

const serversOf = ({ cluster, single }: ClientState): readonly Redis[] =>
  cluster === undefined ? [single] : cluster.nodes('master');

async function* scan(state: ClientState, match: string): AsyncGenerator<string[]> {
  for (const server of serversOf(state))
    for await (const keys of server.scanStream({ match, count: 1000 })) yield keys as string[];
}

const close = (state: ClientState): void => {
  state.isClosed = true;
  clearTimeout(state.probeTimer);
  state.single.disconnect();
  state.cluster?.disconnect();
};

/**
 * Connects to a single server or a cluster; the first contact finds out which. Every call ends within the timeout. A
 * server that did not answer gets no further commands until it answers a probe, so that only one screening waits for
 * it.
 */
export const connectRedis = async (options: RedisClientOptions) => {
  const single = makeSingle(options.url, (error) => noteError(state, error));
  const state: ClientState = {
    options,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    single,
    client: single,
    cluster: undefined,
    opening: undefined,
    isOpen: false,
    isClosed: false,
    unavailableSince: undefined,
    silent: new Map(),
    clocks: makeServerClocks(),
    probeTimer: undefined,
    lastError: undefined,
  };
  const { timeoutMs } = state;
  try {
    const ready = open(state).then(() => measureClock(state, options.key));
    await withTimeout(Math.max(CONNECT_MS, timeoutMs), ready);
  } catch (error) {
    markSilent(state, options.key, reasonOf(error));
  }
  return {
    /** Runs a script on the server of its first key. */
    runScript: (script: ScriptName, keys: readonly string[], args: readonly Argument[]) =>
      runScript(state, script, keys, args),
    /** Sends a plain command, whether or not the server is known to be silent. */
    send: <T>(command: Command<T>, limitMs = timeoutMs): Promise<T> => withTimeout(limitMs, command(state.client)),
    /** Sends a plain command for one key, unless its server is silent. */
    sendFor: <T>(key: string, command: Command<T>): Promise<T> =>
      runFor(state, key, () => command(state.client), timeoutMs),
    /** Yields every key that matches, from every server. */
    scan: (match: string) => scan(state, match),
    /** The address of the server that holds a key; empty where there is no cluster. */
    serverOf: (key: string): string => serverOf(state, key),
    /** The server, or every primary of the cluster. */
    servers: () => serversOf(state),
    isCluster: (): boolean => state.cluster !== undefined,
    /** Whether every server answers, as far as is known. */
    isAvailable: (): boolean => state.unavailableSince === undefined,
    /** Whether the server of a key answers, as far as is known. */
    canReach: (key: string): boolean => canReach(state, key),
    close: (): void => close(state),
  };
};
export type RedisClient = Awaited<ReturnType<typeof connectRedis>>;

/** Commands may wait longer for an answer than screenings. */
const COMMAND_TIMEOUT_MS = 10_000;

/** Connects for a command of the command line, which ends when Redis does not answer. */
export const connectForCommand = async (url: string, key: string): Promise<RedisClient> => {
  let reason: string | undefined;
  const redis = await connectRedis({
    url,
    key,
    timeoutMs: COMMAND_TIMEOUT_MS,
    onUnavailable: (why) => {
      reason = why;
    },
    onAvailable: () => {},
    onRejected: () => {},
  });
  if (reason === undefined) return redis;
  redis.close();
  throw new Error(`Redis does not answer: ${reason}`);
};
