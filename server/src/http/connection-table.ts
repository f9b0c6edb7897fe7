import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Metrics } from '../runtime/metrics.ts';
import { clientNetwork, type ProxyTrust } from './client-address.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Connections of one client that have not sent a valid key. */
  readonly maxPerAddress: number;
}

export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The client whose limit it counts for; undefined for a proxy, whose connections belong to many clients. */
  readonly network: string | undefined;
  /** Whether it has not sent a valid key. */
  isStranger: boolean;
  /** Whether further requests on it are ignored. */
  isClosing: boolean;
  /** Requests that are not answered, or whose responses the client has not read. */
  inProgress: number;
  lastRequest: IncomingMessage | undefined;
  /** The response to it, until it is sent. */
  lastResponse: ServerResponse | undefined;
  /** Whether the last request is answered. Its body may still arrive. */
  isLastAnswered: boolean;
  requests: number;
  /** Findings of the last check. */
  requestsSeen: number;
  idleSince: number;
  bytesTaken: number;
  takenAt: number;
}

type CloseReason = Parameters<Metrics['connectionsClosed']['inc']>[0]['reason'];

export interface ConnectionTableDeps {
  readonly limits: ConnectionLimits;
  readonly trust: ProxyTrust;
  readonly metrics: Metrics;
}

interface Table extends ConnectionTableDeps {
  readonly all: Map<Socket, Connection>;
  /** Connections without a valid key so far: all of them, and those of each client. The oldest come first. */
  readonly strangers: Set<Connection>;
  readonly strangersOf: Map<string, Set<Connection>>;
}

const first = <T>(items: Iterable<T>): T | undefined => {
  for (const item of items) return item;
  return undefined;
};

const firstIdle = (connections: Iterable<Connection>): Connection | undefined => {
  for (const connection of connections) if (connection.inProgress === 0) return connection;
  return undefined;
};

const addStranger = ({ strangers, strangersOf }: Table, connection: Connection): void => {
  strangers.add(connection);
  const { network } = connection;
  if (network === undefined) return;
  const others = strangersOf.get(network);
  if (others === undefined) strangersOf.set(network, new Set([connection]));
  else others.add(connection);
};

const removeStranger = ({ strangers, strangersOf }: Table, connection: Connection): void => {
  if (!strangers.delete(connection) || connection.network === undefined) return;
  const others = strangersOf.get(connection.network);
  others?.delete(connection);
  if (others?.size === 0) strangersOf.delete(connection.network);
};

const remove = (table: Table, connection: Connection): void => {
  table.all.delete(connection.socket);
  removeStranger(table, connection);
};

const close = (table: Table, connection: Connection, reason: CloseReason): void => {
  remove(table, connection);
  table.metrics.connectionsClosed.inc({ reason });
  connection.socket.destroy();
};

/**
 * Closes the oldest connection where a new one would exceed a limit. Refusing the new one instead would let callers that
 * came first keep out all others, health checks included. Returns whether there is room now.
 */
const makeRoom = (table: Table, network: string | undefined): boolean => {
  const { all, strangers, strangersOf, limits } = table;
  const own = network === undefined ? undefined : strangersOf.get(network);
  if (own !== undefined && own.size >= limits.maxPerAddress) close(table, first(own) as Connection, 'address_limit');
  if (all.size < limits.maxConnections) return true;
  const oldest = first(strangers) ?? firstIdle(all.values());
  if (oldest !== undefined) close(table, oldest, 'total_limit');
  return oldest !== undefined;
};

const open = (table: Table, socket: Socket): void => {
  const address = socket.remoteAddress ?? '';
  const network = table.trust.isProxy(address) ? undefined : clientNetwork(address);
  const now = performance.now();
  const connection: Connection = {
    socket,
    address,
    network,
    isStranger: true,
    isClosing: false,
    inProgress: 0,
    lastRequest: undefined,
    lastResponse: undefined,
    isLastAnswered: false,
    requests: 0,
    requestsSeen: 0,
    idleSince: now,
    bytesTaken: 0,
    takenAt: now,
  };
  if (makeRoom(table, network)) {
    table.all.set(socket, connection);
    addStranger(table, connection);
    socket.on('close', () => remove(table, connection));
  } else close(table, connection, 'total_limit');
};

/** The open connections, within the limits in all and per client. */
export const makeConnectionTable = (deps: ConnectionTableDeps) => {
  const table: Table = { ...deps, all: new Map(), strangers: new Set(), strangersOf: new Map() };
  return {
    open: (socket: Socket): void => open(table, socket),
    close: (connection: Connection, reason: CloseReason): void => close(table, connection, reason),
    get: (socket: Socket): Connection | undefined => table.all.get(socket),
    values: (): Iterable<Connection> => table.all.values(),
    count: (): number => table.all.size,
    /** Notes that the connection sent a valid key. It no longer counts for the limit of its client. */
    trust: (connection: Connection): void => {
      if (!connection.isStranger) return;
      connection.isStranger = false;
      removeStranger(table, connection);
    },
  };
};
