import type { Readable } from 'node:stream';
import type { ApiReply } from './exchange.ts';

/** A long response. `name` is what a browser saves it as; undefined for one that does not end. */
export interface StreamedFile {
  readonly type: string;
  readonly name: string | undefined;
  readonly content: Readable;
}

/** A response that is ready to be sent. */
interface Sendable {
  readonly status: number;
  readonly body: string;
  /** Sent instead of the body, piece by piece. */
  readonly stream?: StreamedFile;
}

export const send = (reply: ApiReply, { status, body, stream }: Sendable): void => {
  reply.code(status);
  if (stream !== undefined) {
    reply.header('content-type', stream.type);
    // Proxies would hold back a response that does not end.
    if (stream.name === undefined) reply.header('x-accel-buffering', 'no');
    else reply.header('content-disposition', `attachment; filename="${stream.name}"`);
    // Nobody reads the content of a HEAD request, or after the caller has disconnected.
    if (reply.raw.destroyed) stream.content.destroy();
    else reply.raw.once('close', () => stream.content.destroy());
    reply.send(stream.content);
  } else if (status === 204) reply.send();
  else reply.header('content-type', 'application/json; charset=utf-8').send(body);
};
