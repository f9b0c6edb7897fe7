import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as tlsConnect } from 'node:tls';
import type { Receiver } from '../audit-destination.ts';
import type { Sink } from './stream-sink.ts';
import { frameOf } from './syslog-message.ts';

/** How long each step may take: to connect, to take the bytes, and to read them to the end. */
const TIMEOUT_MS = 10_000;
const MAX_REFUSAL_MS = 2000;

const closedError = (): Error => new Error('the receiver closed the connection before it read the entries');

interface Step {
  /** What did not happen, for the error after the time limit. */
  readonly failure: string;
  readonly start: (done: (error?: Error | null) => void) => void;
  /** Whether the receiver may end the connection in this step. */
  readonly mayEnd?: boolean;
}

/** Rejects when the step takes too long, or the connection fails or ends before it is done. */
const runStep = (socket: Socket, { failure, start, mayEnd = false }: Step): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.destroyed || socket.readableEnded) return reject(closedError());
    const end = (error?: Error | null): void => {
      clearTimeout(timer);
      socket.off('error', end).off('close', onClosed).off('end', onClosed);
      if (error) reject(error);
      else resolve();
    };
    const onClosed = (): void => end(closedError());
    const timer = setTimeout(() => end(new Error(`${failure} within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS).unref();
    socket.once('error', end).once('close', onClosed);
    if (!mayEnd) socket.once('end', onClosed);
    start(end);
  });

const openSocket = ({ host, port, isTls }: Receiver): Socket => {
  const servername = isIP(host) === 0 ? host : '';
  // `rejectUnauthorized` is stated so that no environment variable turns the verification off.
  const socket = isTls ? tlsConnect({ host, port, servername, rejectUnauthorized: true }) : connect({ host, port });
  // Every step has its own listener. This one is for errors between two of them.
  socket.on('error', () => {});
  // The receiver sends nothing, but the end of the connection is seen only while it is read.
  return socket.resume();
};

/**
 * Sends bytes over a connection of their own. Syslog has no acknowledgement, and an operating system takes megabytes for
 * a receiver that reads nothing. But a receiver ends its side of the connection once it has read to the end of ours:
 * then the bytes are handed over.
 */
const sendOver = async (socket: Socket, bytes: Buffer, isTls: boolean): Promise<void> => {
  const startedAt = performance.now();
  const opened = isTls ? 'secureConnect' : 'connect';
  await runStep(socket, { failure: 'no connection', start: (done) => socket.once(opened, () => done()) });
  // More than the way there and back: a receiver that accepts and closes, or refuses a client without a certificate,
  // has done so by then. Afterwards, it could be taken for one that has read everything.
  const refusalMs = Math.min(10 + 2 * (performance.now() - startedAt), MAX_REFUSAL_MS);
  await runStep(socket, { failure: 'the entries were not sent', start: (done) => socket.write(bytes, done) });
  await runStep(socket, { failure: '', start: (done) => setTimeout(done, refusalMs).unref() });
  await runStep(socket, {
    failure: 'the receiver did not read all entries and close the connection',
    start: (done) => socket.once('end', () => done()).end(),
    mayEnd: true,
  });
};

/** Sends entries to a syslog receiver. */
export const makeSyslogSink = (receiver: Receiver): Sink => {
  const host = hostname();
  let socket: Socket | undefined;
  return {
    write: async (entries) => {
      const bytes = Buffer.concat(entries.map((entry) => frameOf(entry, host, process.pid)));
      socket = openSocket(receiver);
      try {
        await sendOver(socket, bytes, receiver.isTls);
      } finally {
        socket.destroy();
      }
    },
    close: async () => void socket?.destroy(),
  };
};
