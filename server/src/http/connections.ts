import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type ConnectionTableDeps, makeConnectionTable } from './connection-table.ts';

/** How long each part of an exchange may take. */
export interface ConnectionTimes {
  /** From the first byte of a request, or from the start of a connection, to the last byte of the request. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** From the end of a response until the client has read it. */
  readonly unreadMs: number;
  /** Between two checks of these times. */
  readonly checkMs: number;
}
export const CONNECTION_TIMES: ConnectionTimes = {
  requestMs: 30_000,
  keepAliveMs: 72_000,
  unreadMs: 30_000,
  checkMs: 1000,
};

/**
 * Requests of one connection at a time. They and their responses are all the memory that a client who never reads can
 * use. A client without a valid key has no reason to send several.
 */
export const MAX_IN_PROGRESS = 16;
export const MAX_IN_PROGRESS_OF_STRANGER = 4;

/**
 * Whether output waits and the client took none for too long. A response counts as taken as a whole: a client that
 * reads a byte now and then does not stay.
 */
const isUnread = (connection: Connection, now: number, unreadMs: number): boolean => {
  const { socket } = connection;
  const isAllTaken = socket.writableLength === 0;
  const bytesTaken = isAllTaken ? 0 : socket.bytesWritten - socket.writableLength;
  if (isAllTaken || bytesTaken !== connection.bytesTaken) {
    connection.bytesTaken = bytesTaken;
    connection.takenAt = now;
  }
  return now - connection.takenAt > unreadMs;
};

/** Whether no request came for too long. The timer of Node starts again at every byte, even at those of empty lines. */
const isSilent = (connection: Connection, now: number, keepAliveMs: number): boolean => {
  if (connection.inProgress > 0 || connection.requests !== connection.requestsSeen) {
    connection.requestsSeen = connection.requests;
    connection.idleSince = now;
  }
  return now - connection.idleSince > keepAliveMs;
};

/** Whether the body of the last request has not arrived yet. */
const isArriving = ({ lastRequest }: Connection): boolean => lastRequest?.complete === false;

/** Requests in progress before the one that is arriving. */
const earlierInProgress = (connection: Connection): number =>
  isArriving(connection) && !connection.isLastAnswered ? connection.inProgress - 1 : connection.inProgress;

/** What Node's parser calls for a new request. With the result 2, the parser drops the rest of its input. */
interface Parser {
  onIncoming: (() => number) | null;
}
const dropInput = (): number => 2;

/**
 * Reads no more from a connection. It is closed after the responses in progress. The parser is internal to Node. Without
 * access to it, up to 2,000 pipelined requests that were read together would still be parsed and kept: 40 ms and 2 MB
 * for 64 KiB of input.
 */
const stopReading = (connection: Connection): void => {
  const { socket } = connection;
  connection.isClosing = true;
  socket.pause();
  const { parser } = socket as Socket & { readonly parser?: Parser | null };
  if (parser) parser.onIncoming = dropInput;
};

/**
 * How long a closed connection is kept for the client to read the last response. If it were ended at once while the
 * client still sends, the system would discard the response.
 */
const LINGER_MS = 1000;

/** Sends a last text, ends the connection, and destroys it soon: the client need not end its side. */
export const finish = (socket: Socket, text = ''): void => {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

/** Keeps the open connections within the limits of count, time and requests in progress. */
export const makeConnections = (deps: ConnectionTableDeps & { readonly times: ConnectionTimes }) => {
  const { times, trust, metrics } = deps;
  const table = makeConnectionTable(deps);
  metrics.gauge('portcullis_connections', 'Open connections.', table.count);

  const check = (): void => {
    const now = performance.now();
    for (const connection of table.values()) {
      if (isUnread(connection, now, times.unreadMs)) table.close(connection, 'unread');
      else if (isSilent(connection, now, times.keepAliveMs)) table.close(connection, 'silent');
    }
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    times,
    open: table.open,
    /** Counts a request. Returns whether it may be handled. */
    begin: (request: IncomingMessage, response: ServerResponse): boolean => {
      const connection = table.get(request.socket);
      if (connection === undefined || connection.isClosing) return false;
      if (connection.inProgress >= (connection.isStranger ? MAX_IN_PROGRESS_OF_STRANGER : MAX_IN_PROGRESS)) {
        // The client gets the responses of the requests before this one, and can send the others again.
        stopReading(connection);
        metrics.connectionsClosed.inc({ reason: 'pipelined' });
        return false;
      }
      connection.inProgress++;
      connection.requests++;
      connection.lastRequest = request;
      connection.lastResponse = response;
      connection.isLastAnswered = false;
      return true;
    },
    /** Counts a response that the client has read, or that it will never read. */
    end: (request: IncomingMessage): void => {
      const connection = table.get(request.socket);
      if (connection === undefined) return;
      connection.inProgress--;
      if (connection.lastRequest === request) {
        connection.isLastAnswered = true;
        connection.lastResponse = undefined;
      }
      if (connection.isClosing && earlierInProgress(connection) === 0) finish(request.socket);
    },
    /** Ignores all further requests of the connection. */
    closeSoon: (socket: Socket): void => {
      const connection = table.get(socket);
      if (connection !== undefined) stopReading(connection);
    },
    /**
     * Makes the responses in progress the last ones of their connections, and says so in them. Without that, a client
     * would send its next request while the service closes the connection. A request that is still arriving is read.
     */
    closeAllSoon: (): void => {
      for (const connection of table.values()) {
        const { lastResponse } = connection;
        if (lastResponse === undefined || lastResponse.headersSent || isArriving(connection)) continue;
        lastResponse.shouldKeepAlive = false;
        stopReading(connection);
      }
    },
    /**
     * Whether an error that the parser found may be answered. While earlier requests are in progress, the client would
     * take it for the response of the first of them: the connection closes after their responses. A request that is
     * answered already gets no second response, and neither does one whose error closes the connection.
     */
    mayAnswerError: (socket: Socket): boolean => {
      const connection = table.get(socket);
      if (connection === undefined) return true;
      if (connection.isClosing) return false;
      if (earlierInProgress(connection) > 0) {
        stopReading(connection);
        return false;
      }
      if (!isArriving(connection) || !connection.isLastAnswered) return true;
      finish(socket);
      return false;
    },
    /** Whether the client sent a request before it had the response to the last. */
    isPipelined: (socket: Socket): boolean => (table.get(socket)?.inProgress ?? 0) > 1,
    /** Notes that the connection sent a valid key. */
    trust: (socket: Socket): void => {
      const connection = table.get(socket);
      if (connection !== undefined) table.trust(connection);
    },
    /** The address of the client, behind the proxies that are trusted. */
    addressOf: (socket: Socket, forwardedFor: string | undefined): string =>
      trust.clientAddress(table.get(socket)?.address ?? '', forwardedFor),
    start: (): void => {
      timer ??= setInterval(check, times.checkMs).unref();
    },
    stop: (): void => clearInterval(timer),
  };
};
export type Connections = ReturnType<typeof makeConnections>;
