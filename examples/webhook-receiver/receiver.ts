import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readCertificate } from './certificate.ts';
import { verifyThrice } from './verify.ts';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 1024 * 1024;
/** Enough for an example. A receiver with a database keeps the ids there, for a month: so long can a person have a message sent again. */
const MAX_REMEMBERED = 10_000;

const folder = process.argv[2] ?? join(import.meta.dirname, 'data');
const certificate = await readCertificate(folder);
const secretFile = join(folder, 'secret');

/** Read for each delivery, one on each line: the secret is known only after the start, and two are valid while one is rotated. */
const readSecrets = (): string[] =>
  existsSync(secretFile) ? readFileSync(secretFile, 'utf8').split(/\s+/).filter(Boolean) : [];

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    // Whoever is not verified yet must not fill our memory.
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const seen = new Set<string>();
/** Whether the message came before. Deliveries may come twice: when our answer was lost, Portcullis cannot know it arrived. */
const isRepetition = (id: string): boolean => {
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
    console.log(`no secret in ${secretFile} yet: the delivery will come again`);
    return answer(503);
  }
  const { message, outcomes } = await verifyThrice(body, request.headers, secrets);
  if (message === undefined) {
    console.log(`refused: ${outcomes}`);
    return answer(400);
  }
  // First the answer, then the work: it must be there within ten seconds. What must not be lost in a crash is put into a queue or a
  // database before the answer.
  answer(204);
  const again = isRepetition(message.id) ? ' (again, ignored)' : '';
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
