import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.ts';

/** The shop's own system in the demo: it receives webhooks on this machine and accepts all of them. */
export const startReceiver = async () => {
  const server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/portcullis`,
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};
