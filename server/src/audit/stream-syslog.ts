import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Receiver } from '../audit-destination.ts';
import type { Sink } from './stream-sink.ts';
import { frameOf } from './syslog-message.ts';

/** How long a connection, or a receiver that reads nothing, may take. */
const TIMEOUT_MS = 10_000;
/** A receiver whose machine is gone is noticed after this and ten further seconds. */
const KEEP_ALIVE_MS = 10_000;
/**
 * In TLS 1.3 the receiver can refuse the client after the handshake has ended on this side. A session ticket shows that
 * it did not. Of a receiver that sends none, a refusal must come within this time.
 */
const REFUSAL_MS = 1000;

const failAfter = (socket: Socket, ms: number, what: string, reject: (error: Error) => void): NodeJS.Timeout =>
  setTimeout(() => {
    reject(new Error(`${what} within ${ms / 1000} s`));
    socket.destroy();
  }, ms).unref();

const isOpen = (socket: Socket): boolean => socket.writable && !socket.destroyed;
const closedError = (): Error => new Error('the receiver closed the connection');

/** Runs `start` until it calls `done`. Rejects when the socket fails or closes first. */
const untilDone = (
  socket: Socket,
  timeoutText: string,
  start: (done: (error?: Error | null) => void) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = failAfter(socket, TIMEOUT_MS, timeoutText, reject);
    const onClose = (): void => end(closedError());
    const end = (error?: Error | null): void => {
      clearTimeout(timer);
      socket.off('error', end).off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    socket.once('error', end).once('close', onClose);
    start(end);
  });

const untilAccepted = (socket: TLSSocket): Promise<void> =>
  untilDone(socket, 'no TLS connection', (done) => {
    socket.once('session', () => done());
    socket.once('secureConnect', () => {
      if (socket.getProtocol() !== 'TLSv1.3') done();
      else setTimeout(done, REFUSAL_MS).unref();
    });
  });

const openSocket = async ({ host, port, isTls }: Receiver, onOpening: (socket: Socket) => void): Promise<Socket> => {
  // `rejectUnauthorized` is stated so that no environment variable turns the verification off.
  const servername = isIP(host) === 0 ? host : '';
  const socket = isTls
    ? tlsConnect({ host, port, servername, rejectUnauthorized: true })
    : connect({ host, port, noDelay: true });
  onOpening(socket);
  // An error of an idle connection closes it. The next write opens another.
  socket.on('error', () => {});
  // The receiver sends nothing, but the end of the connection is seen only while it is read.
  socket.resume();
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  if (isTls) await untilAccepted(socket as TLSSocket);
  else await untilDone(socket, 'no connection', (done) => socket.once('connect', () => done()));
  return socket;
};

/**
 * Sends entries to a syslog receiver over one connection. They are handed over when the socket has taken the bytes:
 * syslog has no acknowledgement.
 */
export const makeSyslogSink = (receiver: Receiver): Sink => {
  const host = hostname();
  let socket: Socket | undefined;
  let isWriting = false;

  const currentSocket = async (): Promise<Socket> => {
    if (socket !== undefined && isOpen(socket)) return socket;
    socket?.destroy();
    return openSocket(receiver, (opening) => {
      socket = opening;
    });
  };

  return {
    write: async (entries) => {
      isWriting = true;
      try {
        const open = await currentSocket();
        const bytes = Buffer.concat(entries.map((entry) => frameOf(entry, host, process.pid)));
        await untilDone(open, 'the receiver did not take the entries', (done) => open.write(bytes, done));
        // The receiver may have closed the connection before the bytes were sent. The event is handled by then.
        await nextTurn();
        if (!isOpen(open)) throw closedError();
      } catch (error) {
        socket?.destroy();
        throw error;
      } finally {
        isWriting = false;
      }
    },
    close: async () => {
      if (isWriting) socket?.destroy();
      else socket?.destroySoon();
    },
  };
};
