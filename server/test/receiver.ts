import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEachFile, takeAll } from './after-file.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: number;
  /** The port it came from: the same for all that came over one connection. */
  readonly from: number | undefined;
  /** The name that was asked for in the TLS handshake; false when none was. */
  readonly servername: string | false | null;
}

/** `reset` ends the connection with a TCP reset. */
export type Handler = (received: Received, response: ServerResponse, reset: () => void) => void;

const TRICKLE_MS = 10;

const endless = (response: ServerResponse): void => {
  const block = Buffer.alloc(64 * 1024, 'x');
  const pour = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', pour);
  pour();
};

const trickle = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write('x'), TRICKLE_MS);
  response.on('close', () => clearInterval(timer));
};

/** What a receiver can do with a request, each by the path of its name, whatever query follows; any other path is answered with 204. */
export const BEHAVIOURS: Readonly<Record<string, Handler>> = {
  '/ok': (_received, response) => response.writeHead(200).end('ok'),
  '/hang': () => {},
  '/announce': (_received, response) => response.writeProcessing(),
  '/trickle': (_received, response) => trickle(response.writeHead(200)),
  '/trickle-headers': (_received, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
    const timer = setInterval(() => response.socket?.write('x'), TRICKLE_MS);
    response.on('close', () => clearInterval(timer));
  },
  '/reset': (_received, _response, reset) => reset(),
  '/cut': (_received, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('only this', () => response.socket?.destroy());
  },
  '/cut-chunk': (_received, response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n64\r\nonly this');
  },
  '/redirect': (_received, response) => response.writeHead(302, { location: '/ok' }).end(),
  '/500': (_received, response) => response.writeHead(500).end('{"secret":"of the receiver"}'),
  '/410': (_received, response) => response.writeHead(410).end(),
  '/garbage': (_received, response) => response.socket?.end('\x00\x01 this is not HTTP \r\n\r\n'),
  '/endless': (_received, response) => endless(response.writeHead(200)),
  '/endless-500': (_received, response) => endless(response.writeHead(500)),
  '/close': (_received, response) => response.writeHead(200, { connection: 'close' }).end(),
};

export const byPath: Handler = (received, response, reset) => {
  const behave = BEHAVIOURS[received.path.split('?', 1)[0] as string];
  if (behave === undefined) response.writeHead(204).end();
  else behave(received, response, reset);
};

const makeCertificate = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-receiver-'));
  const made = await generate([{ name: 'commonName', value: 'receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'api.localhost' },
          { type: 2, value: 'hooks.example.com' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, made.cert);
  return { key: made.private, ca: made.cert, caFile, folder };
};

let certificate: ReturnType<typeof makeCertificate> | undefined;

/** One that goes on pouring or trickling would take its time from the files that follow. */
const opened = new Set<() => Promise<void>>();
afterEachFile(async () => {
  await Promise.all(takeAll(opened).map((close) => close()));
  if (certificate !== undefined) rmSync((await certificate).folder, { recursive: true, force: true });
  certificate = undefined;
});

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** An HTTPS receiver on this machine, whose certificate is trusted by whoever trusts `ca`. */
export const startReceiver = async (handler: Handler = byPath) => {
  certificate ??= makeCertificate();
  const { key, ca, caFile } = await certificate;
  const received: Received[] = [];
  const server = createServer({ key, cert: ca }, async (request, response) => {
    const at = Date.now();
    const { remotePort: from, servername } = request.socket as TLSSocket;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
      at,
      from,
      servername,
    };
    received.push(one);
    handler(one, response, () => sockets.get(from)?.resetAndDestroy());
  });
  // How many connections came, those included that never got to a request.
  let connections = 0;
  // TLS sockets cannot be reset, so the TCP sockets below them are kept, by their remote ports.
  const sockets = new Map<number | undefined, Socket>();
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    connections++;
    sockets.set(remotePort, socket);
    socket.on('close', () => sockets.delete(remotePort));
  });
  const port = await listen(server);
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  opened.add(close);
  return { url: `https://127.0.0.1:${port}`, port, ca, caFile, received, connections: () => connections, close };
};

/** Takes connections and handles them as bare TCP; by default, it never says anything. */
export const startTcpReceiver = async (handle: (socket: Socket) => void = () => {}) => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    // What is not read would hide that the other side has gone.
    socket.resume();
    handle(socket);
  });
  const port = await listen(server);
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  opened.add(close);
  return { url: `https://127.0.0.1:${port}`, port, connections: () => connections, open: () => sockets.size, close };
};
