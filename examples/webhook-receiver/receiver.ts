import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readCertificate } from './certificate.ts';
import { verifyThrice } from './verify.ts';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 1024 * 1024;
/** Enough for an example. A real receiver stores the ids in a database for a month, the period for manual retries. */
const MAX_REMEMBERED = 10_000;

const folder = process.argv[2] ?? join(import.meta.dirname, 'data');
const certificate = await readCertificate(folder);
const secretFile = join(folder, 'secret');

/** Secrets, one per line, read for each delivery: the secret is known only after the start, and two are valid during a rotation. */
const readSecrets = (): string[] =>
  existsSync(secretFile) ? readFileSync(secretFile, 'utf8').split(/\s+/).filter(Boolean) : [];

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    // An unverified sender must not exhaust the memory.
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const seen = new Set<string>();
/** Whether the message was received before. A delivery is repeated if the response was lost. */
const isDuplicate = (id: string): boolean => {
  if (seen.has(id)) return true;
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > MAX_REMEMBERED && oldest !== undefined) seen.delete(oldest);
  return false;
};

const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const answer = (status: number): void => void response.writeHead(status).end();
  const body = await readBody(request);
  if (body === undefined) {
    response.setHeader('connection', 'close');
    return answer(413);
  }
  const secrets = readSecrets();
  if (secrets.length === 0) {
    console.log(`no secret in ${secretFile} yet: the delivery will be retried`);
    return answer(503);
  }
  const { message, outcomes } = await verifyThrice(body, request.headers, secrets);
  if (message === undefined) {
    console.log(`refused: ${outcomes}`);
    return answer(400);
  }
  // Respond first, then work: the response must arrive within ten seconds. Store a message that must survive a crash in a queue or a
  // database before responding.
  answer(204);
  const again = isDuplicate(message.id) ? ' (duplicate, ignored)' : '';
  console.log(`${message.id} ${message.type}${again}: ${outcomes}`);
};

const server = createServer(certificate, (request, response) => {
  receive(request, response).catch((error: Error) => {
    console.error(error.message);
    response.destroy();
  });
});
server.listen(Number(process.env.PORT ?? 8443), HOST, () => {
  console.log(`certificate: ${certificate.file}`);
  console.log(`secret:      ${secretFile}`);
  console.log(`listening:   https://${HOST}:${(server.address() as AddressInfo).port}/`);
});
