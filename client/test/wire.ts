import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEachFile, takeAll } from '../../server/test/after-file.ts';

/**
 * What the wire does to one request. `refuse`: it never arrives, and the connection breaks. The others let it arrive, and of the answer comes: nothing, the
 * connection breaks (`lose`); half, then it breaks (`reset`) or ends (`half`); nothing, for ever (`stall`); all, byte by byte (`slow`). Text is
 * answered instead of the service.
 */
export type Fault = 'pass' | 'refuse' | 'lose' | 'reset' | 'half' | 'stall' | 'slow' | { readonly answer: string };

const REQUEST = /^(?:GET|POST|PUT|DELETE) \S+ HTTP\/1\.1\r\n/;

const trickle = (socket: Socket, bytes: Buffer): void => {
  if (bytes.length === 0 || socket.destroyed) return;
  socket.write(bytes.subarray(0, 1));
  setImmediate(trickle, socket, bytes.subarray(1));
};

const close = new Set<() => void>();
afterEachFile(async () => {
  for (const one of takeAll(close)) one();
});

/** A TCP proxy in front of a service that does to each request what is next in the plan, and to all others nothing. */
export const makeWire = async (url: string) => {
  const far = new URL(url);
  const sockets = new Set<Socket>();
  const plan: Fault[] = [];
  const requests: string[] = [];

  const server = createServer((near) => {
    const service = connect(Number(far.port), far.hostname);
    let fault: Fault = 'pass';
    for (const socket of [near, service]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    near.on('close', () => service.end());
    near.on('data', (data) => {
      const text = data.toString('latin1');
      // A body may come behind its head.
      if (REQUEST.test(text)) {
        requests.push(text);
        fault = plan.shift() ?? 'pass';
      }
      if (fault === 'refuse') near.resetAndDestroy();
      else if (typeof fault === 'object') near.end(fault.answer);
      else service.write(data);
    });
    service.on('close', () => fault === 'stall' || near.end());
    service.on('data', (data: Buffer) => {
      const part = data.subarray(0, data.length / 2);
      if (fault === 'pass') near.write(data);
      else if (fault === 'slow') trickle(near, data);
      else if (fault === 'lose') near.resetAndDestroy();
      else if (fault === 'reset') near.write(part, () => near.resetAndDestroy());
      else if (fault === 'half') near.end(part);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  close.add(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every request that came, as it came. */
    requests,
    /** What becomes of the next requests. */
    next: (...faults: Fault[]): void => void plan.splice(0, plan.length, ...faults),
  };
};

/** An answer of somebody who is not the service. */
export const answered = (status: string, headers: Record<string, string> = {}, body = ''): Fault => ({
  answer: [
    `HTTP/1.1 ${status}`,
    ...Object.entries({ 'content-length': String(body.length), connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n'),
});
