import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SCRIPTS, type ScriptName } from './redis-scripts.ts';

/** Redis did not answer, or not in time. What was asked of it may have happened or not. */
export class Away extends Error {
  override name = 'Away';
}

/** Redis answered that it cannot do what was asked: asked again, it would say the same. */
export class Refused extends Error {
  override name = 'Refused';
}
/** Other refusals, such as for want of memory, pass. */
const FOR_GOOD = /^(?:ERR|WRONGTYPE)\b/;

/** Screenings wait for it, so not long. */
const ANSWER_MS = 250;
const CONNECT_MS = 1000;
/** Longer without a word, and the connection is given up: the other end of it may be gone without having said so. */
const SILENT_MS = 2000;
const PROBE_MS = 200;

const OPTIONS = {
  connectTimeout: CONNECT_MS,
  socketTimeout: SILENT_MS,
  // Nothing is kept to be sent later, for whoever asked is told that it did not work and remembers it.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: true,
  // A server that has become a copy of another stays one: the name may lead to that other by now.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;
const reconnectAfter = (times: number): number => Math.min(50 * times, 500);

export type Argument = string | Buffer;
type Client = Redis | Cluster;

export interface LinkOptions {
  readonly url: string;
  /** A key it should answer for, to be asked before there is another. */
  readonly key: string;
  /** How long an answer is waited for. Tests on a busy machine have more patience. */
  readonly limitMs?: number | undefined;
  /** Once each time it stops answering, and each time it answers again. */
  readonly onAway: (reason: string) => void;
  readonly onBack: (awayMs: number) => void;
  readonly onRefused: (reason: string) => void;
}

/** What its client says where there is no connection, whatever the reason. */
const NO_CONNECTION =
  /^(?:Connection is closed|Stream isn't writeable|Redis is already connecting|Cluster isn't ready)/;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An answer, or a refusal in bounded time. */
const within = <T>(ms: number, answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const expire = (): void => reject(new Away(`no answer within ${ms} ms`));
    // A turn later: after a long turn of ours the answer may be here, but not read yet.
    const timer = setTimeout(() => setImmediate(expire), ms);
    const refuse = (error: unknown): void => {
      const reason = reasonOf(error);
      reject(FOR_GOOD.test(reason) ? new Refused(reason) : new Away(reason));
    };
    answer.then(resolve, refuse).finally(() => clearTimeout(timer));
  });

/** Where in a cluster a key is kept: CRC16 of what stands in braces. */
export const slotOf = (key: string): number => {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open);
  let crc = 0;
  for (const byte of Buffer.from(open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff) >>> 0;
  }
  return crc % 16_384;
};
/** A key of no meaning, kept where another is. */
const besides = (key: string): string => `${key.slice(0, key.indexOf('{'))}probe:${key.slice(key.indexOf('{'))}`;

const define = (client: Client): void => {
  for (const [name, lua] of Object.entries(SCRIPTS)) client.defineCommand(name, { lua });
};

/** A cluster from what one of its nodes was reached by. */
const openCluster = ({ host, port, username, password, tls }: RedisOptions): Cluster =>
  new Cluster([{ host: host ?? '127.0.0.1', port: port ?? 6379 }], {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectAfter,
    // Whoever asks has given up by then.
    maxRedirections: 3,
    // What was under way when a connection was lost may have been counted: sent again, it would be counted twice.
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: CONNECT_MS,
    // Certificates are for names, not for the addresses that a node tells of the others.
    ...(tls === undefined ? {} : { dnsLookup: (address, done) => done(null, address) }),
    redisOptions: {
      ...OPTIONS,
      ...(username == null ? {} : { username }),
      ...(password == null ? {} : { password }),
      ...(tls === undefined ? {} : { tls }),
    },
  });

/**
 * The way to Redis, be it one server or a cluster, which it tells itself when it is first reached. Every call is bounded in time. Where a server
 * has failed to answer, nothing more is asked of it until it answers a question nobody waits for.
 */
export const openLink = async ({
  url,
  key: anyKey,
  limitMs: usualMs = ANSWER_MS,
  onAway,
  onBack,
  onRefused,
}: LinkOptions) => {
  const single = new Redis(url, {
    ...OPTIONS,
    enableOfflineQueue: false,
    retryStrategy: reconnectAfter,
    lazyConnect: true,
  });
  let client: Client = single;
  let cluster: Cluster | undefined;
  let isOpen = false;
  let isClosed = false;
  let awaySince: number | undefined;
  /** Servers that do not answer, by name, each with a key that it should answer for. */
  const silent = new Map<string, string>();
  let probing: NodeJS.Timeout | undefined;
  /** Why there is no connection: whoever asks is only told that there is none. */
  let lastFault: string | undefined;
  const noteFault = (error: unknown): void => {
    if (!NO_CONNECTION.test(reasonOf(error))) lastFault = reasonOf(error);
  };
  single.on('error', noteFault);
  define(single);

  /** Who answers for a key. */
  const serverOf = (key: string): string => {
    if (cluster === undefined) return '';
    return cluster.slots[slotOf(key)]?.[0] ?? '';
  };

  const noteAway = (key: string, reason: string): void => {
    silent.set(serverOf(key), key);
    if (awaySince === undefined) {
      awaySince = Date.now();
      onAway(NO_CONNECTION.test(reason) ? (lastFault ?? 'the connection is lost') : reason);
    }
    probing ??= setTimeout(probe, PROBE_MS);
  };
  const probe = async (): Promise<void> => {
    await Promise.all(
      [...silent].map(async ([server, key]) => {
        try {
          if (!isOpen) await contact();
          // A write: one that is full, or only a copy, answers what is read.
          await client.set(besides(key), '', 'PX', SILENT_MS);
          silent.delete(server);
        } catch {
          // Asked again.
        }
      }),
    );
    probing = undefined;
    if (isClosed) return;
    if (silent.size > 0) probing = setTimeout(probe, PROBE_MS);
    else if (awaySince !== undefined) {
      const since = awaySince;
      awaySince = undefined;
      lastFault = undefined;
      onBack(Date.now() - since);
    }
  };

  /** The first contact: only it can tell whether there are more like it. */
  const firstContact = async (): Promise<void> => {
    if (single.status === 'wait' || single.status === 'end') await single.connect();
    const info = String(await single.info('cluster'));
    if (!/cluster_enabled:1/.test(info)) {
      isOpen = true;
      return;
    }
    const opened = openCluster(single.options);
    opened.on('error', noteFault);
    opened.on('node error', noteFault);
    // Before anything else is asked of it: that would be refused while the connection is being made.
    opened.on('+node', (server: Redis) => void server.ping().catch(() => {}));
    define(opened);
    cluster = opened;
    await new Promise<void>((resolve) => opened.once('ready', () => resolve()));
    await Promise.allSettled(opened.nodes('master').map((server) => server.ping()));
    client = opened;
    single.disconnect();
    isOpen = true;
  };
  let contacting: Promise<void> | undefined;
  const contact = (): Promise<void> => {
    contacting ??= firstContact().finally(() => {
      contacting = undefined;
    });
    return contacting;
  };

  const answersFor = (key: string): boolean => isOpen && (silent.size === 0 || !silent.has(serverOf(key)));

  const run = async (
    script: ScriptName,
    keys: readonly string[],
    args: readonly Argument[],
    limitMs = usualMs,
  ): Promise<unknown> => {
    const [key = anyKey] = keys;
    if (!answersFor(key)) throw new Away('Redis does not answer');
    const call = (client as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>)[`${script}Buffer`];
    try {
      return await within(limitMs, call?.call(client, keys.length, ...keys, ...args) as Promise<unknown>);
    } catch (error) {
      if (error instanceof Refused) onRefused(error.message);
      else if (!isClosed) noteAway(key, reasonOf(error));
      throw error;
    }
  };

  /** A plain command, bounded as well. */
  const ask = <T>(act: (client: Client) => Promise<T>, limitMs = usualMs): Promise<T> => within(limitMs, act(client));
  /** The same of one key, where that is worth it; unanswered, whoever keeps the key is away. */
  const askOf = async <T>(key: string, act: (client: Client) => Promise<T>): Promise<T> => {
    if (!answersFor(key)) throw new Away('Redis does not answer');
    try {
      return await ask(act);
    } catch (error) {
      if (!(error instanceof Refused) && !isClosed) noteAway(key, reasonOf(error));
      throw error;
    }
  };
  const servers = (): readonly Redis[] => (cluster === undefined ? [single] : cluster.nodes('master'));
  /** Every key that matches, from every server. */
  async function* scan(match: string): AsyncGenerator<string[]> {
    for (const server of servers())
      for await (const keys of server.scanStream({ match, count: 1000 })) yield keys as string[];
  }

  try {
    await within(Math.max(CONNECT_MS, usualMs), contact());
  } catch (error) {
    noteAway(anyKey, reasonOf(error));
  }
  return {
    run,
    ask,
    askOf,
    scan,
    /** All that keep something. */
    servers,
    isCluster: (): boolean => cluster !== undefined,
    /** Whether all of it answers, as far as is known. */
    isHere: (): boolean => awaySince === undefined,
    /** Whether it is worth asking for a key. */
    answersFor,
    close: (): void => {
      isClosed = true;
      clearTimeout(probing);
      single.disconnect();
      cluster?.disconnect();
    },
  };
};
export type Link = Awaited<ReturnType<typeof openLink>>;
