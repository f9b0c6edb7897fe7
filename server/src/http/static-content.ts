import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip' | 'identity';

interface Representation {
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * A response that never changes while the process runs, encoded once. Each encoding has an ETag of its own. It is plain
 * data, so a thread can make it.
 */
export type StaticContent = {
  readonly type: string;
  readonly identity: Representation;
} & Readonly<Partial<Record<Encoding, Representation>>>;

const BROTLI_QUALITY = 9;

const represent = (body: Uint8Array): Representation => ({
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
});

/** Compresses in the thread pool: the event loop stays free. */
export const encodeContent = async (type: string, content: string | Uint8Array): Promise<StaticContent> => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  ]);
  return { type, identity: represent(bytes), gzip: represent(zipped), br: represent(brotli) };
};

/** Content that is compressed already, such as a picture. */
export const asIs = (type: string, bytes: Uint8Array): StaticContent => ({ type, identity: represent(bytes) });

/** Makes a value at its first use. Requests that arrive while it is made share it. After a failure, the next use tries again. */
export const makeOnce = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
};

/** A longer header is not that of a browser. Reading it would take longer than sending the content. */
const MAX_HEADER_LENGTH = 512;
const readable = (header: string | undefined): string =>
  header === undefined || header.length > MAX_HEADER_LENGTH ? '' : header;

const accepts = (accepted: string, encoding: Encoding): boolean =>
  accepted
    .split(',')
    .map((item) =>
      item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .some(
      ([name, ...more]) => (name === encoding || name === '*') && !more.some((part) => /^q=0(?:\.0*)?$/.test(part)),
    );

const chooseEncoding = (accepted: string): Encoding =>
  (['br', 'gzip'] as const).find((encoding) => accepts(accepted, encoding)) ?? 'identity';

const isKnown = (known: string, etag: string): boolean =>
  known.split(',').some((item) => ['*', etag, `W/${etag}`].includes(item.trim()));

/** Sends the best encoding the caller accepts, or 304 where the caller has it already. */
export const sendContent = (
  content: StaticContent,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const accepted = chooseEncoding(readable(request.headers['accept-encoding'] as string | undefined));
  const encoding = accepted in content ? accepted : 'identity';
  const { body, etag } = content[encoding] ?? content.identity;
  reply
    .header('Cache-Control', cacheControl)
    .header('ETag', etag)
    .header('Vary', 'Accept-Encoding')
    .header('X-Content-Type-Options', 'nosniff')
    .type(content.type);
  if (isKnown(readable(request.headers['if-none-match']), etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.send(body);
};
