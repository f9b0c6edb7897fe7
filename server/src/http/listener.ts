import { lookup } from 'node:dns/promises';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Connections } from './connections.ts';

/** Not imported: an import of `node:http` also loads the client behind `fetch`, which takes 50 ms and 5 MB. */
const { createServer } = process.getBuiltinModule('node:http');

/**
 * The HTTP server of Node with the limits of its connections. Node answers 408 to a request that does not arrive in
 * time. By default it would check only every 30 seconds, and give the headers 60.
 */
export const makeListener = (handle: RequestListener, connections: Connections): Server => {
  const { requestMs, keepAliveMs, checkMs } = connections.times;
  const server = createServer(
    {
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: keepAliveMs,
      // Node itself would answer a request without Host, but not with JSON.
      requireHostHeader: false,
    },
    (request, response) => {
      if (!connections.begin(request, response)) return;
      response.on('close', () => connections.end(request));
      handle(request, response);
    },
  );
  // An unknown expectation is ignored. Node itself would answer it, but not with JSON.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connection', connections.open);
  server.on('listening', connections.start);
  server.on('close', connections.stop);
  return server;
};

/** `localhost` may have an IPv4 and an IPv6 address. The server listens on one of them, and this on the others. */
export const listenOnOtherAddresses = async (server: Server, host: string): Promise<void> => {
  const { address: own, port } = server.address() as AddressInfo;
  const others = (await lookup(host, { all: true })).filter(({ address }) => address !== own);
  for (const { address } of others) {
    const other = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    );
    // One address is enough: the system may not have the other, or another program may use the port there.
    other.on('error', () => {});
    server.on('close', () => other.close());
    await new Promise<void>((done) => {
      other.once('error', () => done());
      other.listen(port, address, done);
    });
  }
};
