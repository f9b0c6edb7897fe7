import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SCRIPTS } from './scripts.ts';

/** The connections that ioredis makes, and the errors they end in. */

/** Redis was not reached, or did not answer in time. The command may or may not have run. */
export class RedisUnavailable extends Error {
  override name = 'RedisUnavailable';
}

/** Redis rejected a command. A retry would be rejected too. */
export class CommandRejected extends Error {
  override name = 'CommandRejected';
}
/** Other rejections, such as out of memory, are temporary. */
const PERMANENT = /^(?:ERR|WRONGTYPE)\b/;

export const CONNECT_MS = 1000;
/** A connection silent for longer is closed: the other end may be gone without having closed it. */
export const SILENT_MS = 2000;

const OPTIONS = {
  connectTimeout: CONNECT_MS,
  socketTimeout: SILENT_MS,
  // ioredis queues and resends nothing: the caller gets the error, and the retry queue holds the update.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: true,
  // A server demoted to a replica stays one. A new connection may lead to the new primary.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;
const reconnectAfter = (times: number): number => Math.min(50 * times, 500);

/** Messages of ioredis that report a missing connection without the cause. */
const NO_CONNECTION =
  /^(?:Connection is closed|Stream isn't writeable|Redis is already connecting|Cluster isn't ready)/;
export const isNoConnection = (reason: string): boolean => NO_CONNECTION.test(reason);

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Rejects with RedisUnavailable when there is no answer in time. */
export const withTimeout = <T>(ms: number, answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const expire = (): void => reject(new RedisUnavailable(`no answer within ${ms} ms`));
    // One turn of the event loop later: after a long turn the answer may have arrived without having been read.
    const timer = setTimeout(() => setImmediate(expire), ms);
    const fail = (error: unknown): void => {
      const reason = reasonOf(error);
      reject(PERMANENT.test(reason) ? new CommandRejected(reason) : new RedisUnavailable(reason));
    };
    answer.then(resolve, fail).finally(() => clearTimeout(timer));
  });

const defineScripts = (client: Redis | Cluster): void => {
  for (const [name, lua] of Object.entries(SCRIPTS)) client.defineCommand(name, { lua });
};

export const makeSingle = (url: string, onError: (error: unknown) => void): Redis => {
  const single = new Redis(url, {
    ...OPTIONS,
    enableOfflineQueue: false,
    retryStrategy: reconnectAfter,
    lazyConnect: true,
  });
  single.on('error', onError);
  defineScripts(single);
  return single;
};

/** A cluster, from the options that reached one of its nodes. */
export const makeCluster = (
  { host, port, username, password, tls }: RedisOptions,
  onError: (error: unknown) => void,
): Cluster => {
  const cluster = new Cluster([{ host: host ?? '127.0.0.1', port: port ?? 6379 }], {
    enableOfflineQueue: false,
    // The check asks a random node and closes all connections if that node is still connecting. Most are at that time,
    // so the first contact would take several attempts, and more in a larger cluster. A cluster that is down rejects
    // the commands themselves.
    enableReadyCheck: false,
    clusterRetryStrategy: reconnectAfter,
    // After more redirections the caller has timed out.
    maxRedirections: 3,
    // A command in flight when a connection was lost may have been counted: a resend would count it twice.
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: CONNECT_MS,
    // Certificates are issued for host names, not for the addresses that nodes report of each other.
    ...(tls === undefined ? {} : { dnsLookup: (address, done) => done(null, address) }),
    redisOptions: {
      ...OPTIONS,
      ...(username == null ? {} : { username }),
      ...(password == null ? {} : { password }),
      ...(tls === undefined ? {} : { tls }),
    },
  });
  cluster.on('error', onError);
  cluster.on('node error', onError);
  // Connects each new node before its first command: a command sent while the connection is being made would be
  // rejected.
  cluster.on('+node', (server: Redis) => void server.ping().catch(() => {}));
  defineScripts(cluster);
  return cluster;
};
