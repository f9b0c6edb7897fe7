import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEachFile, takeAll } from '../../server/test/fixtures/after-file.ts';

/**
 * A network fault of one request. With `refuse` the request never reaches the service, and the connection is reset. With the others it does:
 * - `lose`: the connection is reset before the response.
 * - `reset`, `half`: the connection is reset, or ends, after half of the response.
 * - `stall`: the response never arrives, and the connection stays open.
 * - `slow`: the response arrives byte by byte.
 * - `response`: the proxy responds instead of the service.
 */
export type Fault = 'pass' | 'refuse' | 'lose' | 'reset' | 'half' | 'stall' | 'slow' | { readonly response: string };

const REQUEST = /^(?:GET|POST|PUT|DELETE) \S+ HTTP\/1\.1\r\n/;

const trickle = (socket: Socket, bytes: Buffer): void => {
  if (bytes.length === 0 || socket.destroyed) return;
  socket.write(bytes.subarray(0, 1));
  setImmediate(trickle, socket, bytes.subarray(1));
};

const closers = new Set<() => void>();
afterEachFile(async () => {
  for (const close of takeAll(closers)) close();
});

/** Starts a TCP proxy in front of a service. Each request takes the next fault of the plan; further requests pass. */
export const makeFaultyProxy = async (url: string) => {
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
      // The body may arrive in a later chunk than the head.
      if (REQUEST.test(text)) {
        requests.push(text);
        fault = plan.shift() ?? 'pass';
      }
      if (fault === 'refuse') near.resetAndDestroy();
      else if (typeof fault === 'object') near.end(fault.response);
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
  closers.add(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The text of every request, in order of arrival. */
    requests,
    /** Sets the faults of the next requests. */
    next: (...faults: Fault[]): void => void plan.splice(0, plan.length, ...faults),
  };
};

/** A response that does not come from the service. */
export const forgedResponse = (status: string, headers: Record<string, string> = {}, body = ''): Fault => ({
  response: [
    `HTTP/1.1 ${status}`,
    ...Object.entries({ 'content-length': String(body.length), connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n'),
});
