import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The connection ended before a whole answer was there. */
export class Dropped extends Error {
  override name = 'Dropped';
}

const readHead = (head: string): { status: number; headers: Record<string, string> } => {
  const [first = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(first.split(' ')[1]), headers };
};

/** The first whole answer among the bytes and how many it takes; undefined when more must come. */
const readAnswer = (bytes: Buffer, isHead: boolean): { answer: Answer; length: number } | undefined => {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const { status, headers } = readHead(bytes.toString('latin1', 0, end));
  const bodyAt = end + 4;
  if (status < 200) {
    const rest = readAnswer(bytes.subarray(bodyAt), isHead);
    return rest === undefined ? undefined : { answer: rest.answer, length: bodyAt + rest.length };
  }
  const bodyLength = isHead || status === 204 ? 0 : Number(headers['content-length']);
  if (Number.isNaN(bodyLength)) throw new Error(`an answer without a length: ${bytes.toString('latin1', 0, end)}`);
  if (bytes.length < bodyAt + bodyLength) return undefined;
  const text = bytes.toString('utf8', bodyAt, bodyAt + bodyLength);
  return { answer: { status, headers, text }, length: bodyAt + bodyLength };
};

interface Sending {
  readonly isHead: boolean;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One keep-alive connection with at most one request under way, on a bare socket: it sends what no client library would, and sees
 * whether the server or we ended it. `send` rejects when no whole answer came, by the deadline or at all.
 */
export const openConnection = (port: number, options: { deadlineMs?: number } = {}) => {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let received: Buffer = Buffer.alloc(0);
  let sending: Sending | undefined;
  let ended: Error | undefined;

  const settle = (how: (of: Sending) => void): void => {
    const of = sending;
    sending = undefined;
    if (of === undefined) return;
    clearTimeout(of.timer);
    how(of);
  };
  const end = (error: Error): void => {
    ended ??= error;
    settle(({ reject }) => reject(error));
    socket.destroy();
  };
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    try {
      const read = sending === undefined ? undefined : readAnswer(received, sending.isHead);
      if (read === undefined) return;
      received = received.subarray(read.length);
      settle(({ resolve }) => resolve(read.answer));
    } catch (error) {
      end(error as Error);
    }
  });
  socket.on('error', (error) => end(new Dropped(error.message)));
  socket.on('close', () => end(new Dropped(`closed after ${received.length} bytes of an answer`)));

  return {
    isOpen: (): boolean => ended === undefined,
    send: (bytes: string | Uint8Array, isHead = false): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        const deadlineMs = options.deadlineMs ?? 20_000;
        const timer = setTimeout(() => end(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
        sending = { isHead, timer, resolve, reject };
        socket.write(bytes);
      }),
    /** Sends more of the request under way. */
    write: (bytes: string): void => void socket.write(bytes),
    /** Says that nothing more will be sent, without closing the other way. */
    finish: (): void => void socket.end(),
    close: (): void => end(new Dropped('closed by the caller')),
  };
};
export type Connection = ReturnType<typeof openConnection>;

export interface Message {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as the bytes of HTTP/1.1. */
export const encode = ({ method, path, key, body, headers = {} }: Message): string => {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${key}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
};

/** Does the work over several connections at once, each taking the next as it is done with one. */
export const spread = async <T>(
  port: number,
  connections: number,
  work: Iterable<T>,
  act: (connection: Connection, item: T) => Promise<void>,
): Promise<void> => {
  const items = work[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    const connection = openConnection(port);
    try {
      for (let item = items.next(); !item.done; item = items.next()) await act(connection, item.value);
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
};
