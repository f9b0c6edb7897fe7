import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** Load in a thread of its own, so that reading its responses does not delay the requests that are measured. */
export interface BackgroundLoad {
  readonly port: number;
  readonly connections: number;
  /** Complete HTTP requests, sent in turn. */
  readonly requests: readonly string[];
  /** Requests per second of all connections together. Without it, each connection sends as soon as it can. */
  readonly perSecond?: number;
}
export interface BackgroundResult {
  readonly requests: number;
  readonly refused: number;
  readonly seconds: number;
}

const { port, connections, requests, perSecond } = workerData as BackgroundLoad;
const startedAt = performance.now();
let sent = 0;
let done = 0;
let refused = 0;
let isOver = false;

const open = (): void => {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let head = '';
  let missing = -1;
  const send = (): void => {
    if (isOver) return;
    const dueMs = perSecond === undefined ? 0 : (sent * 1000) / perSecond - (performance.now() - startedAt);
    if (dueMs > 1) {
      setTimeout(send, dueMs);
      return;
    }
    socket.write(requests[sent++ % requests.length] as string);
  };
  const end = (): void => {
    done++;
    if (!head.startsWith('HTTP/1.1 200') && !head.startsWith('HTTP/1.1 304')) refused++;
    head = '';
    missing = -1;
    send();
  };
  socket.on('connect', send);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (missing >= 0) missing -= chunk.length;
    else {
      head += chunk.toString('latin1');
      const headEnd = head.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (head.length - headEnd - 4);
    }
    if (missing <= 0) end();
  });
  socket.on('close', () => {
    if (!isOver) open();
  });
};
for (let i = 0; i < connections; i++) open();

parentPort?.once('message', () => {
  isOver = true;
  const result: BackgroundResult = { requests: done, refused, seconds: (performance.now() - startedAt) / 1000 };
  parentPort?.postMessage(result);
  setImmediate(() => process.exit(0));
});
