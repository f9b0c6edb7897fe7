import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** A webhook receiver that responds at once, or after `hold` only at `open`. Reports the number of deliveries. */
const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ],
});

let received = 0;
let held: ServerResponse[] | undefined;
const server = createServer({ cert, key }, (request, response) => {
  received++;
  request.resume().on('end', () => {
    if (held === undefined) response.writeHead(204).end();
    else held.push(response);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, ca: cert });
});

process.on('message', (message: 'hold' | 'open' | 'count' | 'stop') => {
  if (message === 'stop') process.exit(0);
  if (message === 'hold') held ??= [];
  if (message === 'open') {
    for (const response of held ?? []) response.writeHead(204).end();
    held = undefined;
  }
  process.send?.({ received });
});
