import { connect, type Socket } from 'node:net';

export interface Load {
  readonly requests: number;
  readonly errors: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

interface Connection {
  send: (body: string, scheduledAt: number) => void;
  close: () => void;
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted.length === 0 ? Number.NaN : (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number);

const summarize = (latencies: number[], errors: number, seconds: number): Load => {
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length,
    errors,
    seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    p999Ms: quantile(sorted, 0.999),
  };
};

/** One keep-alive connection with at most one pending request. A raw socket, because an HTTP client would cost more than the server. */
const openConnection = (
  port: number,
  key: string,
  onDone: (connection: Connection, tookMs: number, isOk: boolean) => void,
) =>
  new Promise<Connection>((ready, fail) => {
    const socket: Socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    const head =
      'POST /v1/transactions/screen HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${key}\r\nContent-Length: `;
    let sentAt = 0;
    let received = '';
    const connection: Connection = {
      send: (body, scheduledAt) => {
        sentAt = scheduledAt;
        socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
      },
      close: () => socket.destroy(),
    };
    socket.on('connect', () => ready(connection));
    socket.on('error', fail);
    socket.on('data', (chunk: Buffer) => {
      received = received === '' ? chunk.toString('latin1') : received + chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      if (received.length < headEnd + 4 + length) return;
      const isOk = received.startsWith('HTTP/1.1 200');
      received = '';
      onDone(connection, performance.now() - sentAt, isOk);
    });
  });

export interface Target {
  readonly port: number;
  readonly key: string;
}

/** Closed loop: each connection sends its next request after the response. Ends after a time or a number of requests. */
export const closedLoop = async (
  { port, key }: Target,
  connections: number,
  next: () => string,
  until: { ms: number } | { requests: number },
): Promise<Load> => {
  const latencies: number[] = [];
  let errors = 0;
  let sent = 0;
  const startedAt = performance.now();
  const isOver = (): boolean => ('ms' in until ? performance.now() - startedAt >= until.ms : sent >= until.requests);
  let open = connections;
  await new Promise<void>((finished, fail) => {
    const advance = (connection: Connection): void => {
      if (isOver()) {
        connection.close();
        if (--open === 0) finished();
        return;
      }
      sent++;
      connection.send(next(), performance.now());
    };
    for (let i = 0; i < connections; i++) {
      openConnection(port, key, (connection, tookMs, isOk) => {
        latencies.push(tookMs);
        if (!isOk) errors++;
        advance(connection);
      }).then(advance, fail);
    }
  });
  return summarize(latencies, errors, (performance.now() - startedAt) / 1000);
};

/** Open loop: requests arrive at a fixed rate. The time a request waits for a free connection counts as latency. */
export const openLoop = async (
  { port, key }: Target,
  perSecond: number,
  next: () => string,
  ms: number,
): Promise<Load> => {
  const latencies: number[] = [];
  let errors = 0;
  const idle: Connection[] = [];
  const queue: number[] = [];
  const onDone = (connection: Connection, tookMs: number, isOk: boolean): void => {
    latencies.push(tookMs);
    if (!isOk) errors++;
    const queuedAt = queue.shift();
    if (queuedAt === undefined) idle.push(connection);
    else connection.send(next(), queuedAt);
  };
  const all = await Promise.all(Array.from({ length: 128 }, () => openConnection(port, key, onDone)));
  idle.push(...all);
  const startedAt = performance.now();
  let issued = 0;
  await new Promise<void>((finished) => {
    const tick = (): void => {
      const elapsed = performance.now() - startedAt;
      while (issued < (elapsed * perSecond) / 1000 && elapsed < ms) {
        const scheduledAt = startedAt + (issued * 1000) / perSecond;
        issued++;
        const connection = idle.pop();
        if (connection === undefined) queue.push(scheduledAt);
        else connection.send(next(), scheduledAt);
      }
      if (elapsed >= ms && latencies.length >= issued) finished();
      else setTimeout(tick, 1);
    };
    tick();
  });
  for (const connection of all) connection.close();
  return summarize(latencies, errors, (performance.now() - startedAt) / 1000);
};
