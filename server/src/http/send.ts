import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A long response. `name` is what a browser saves it as. */
export interface StreamedFile {
  readonly type: string;
  readonly name: string;
  readonly content: Readable;
}

/** A response that is ready to be sent. */
interface Sendable {
  readonly status: number;
  readonly body: string;
  /** Sent instead of the body, piece by piece. */
  readonly stream?: StreamedFile;
}

export const send = (reply: FastifyReply, { status, body, stream }: Sendable): void => {
  reply.code(status);
  if (stream !== undefined) {
    reply.header('content-type', stream.type).header('content-disposition', `attachment; filename="${stream.name}"`);
    reply.send(stream.content);
  } else if (status === 204) reply.send();
  else reply.header('content-type', 'application/json; charset=utf-8').send(body);
};
